package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;

/**
 * Which communicator numbers are free in this process. All processes of a new communicator agree on one that is free in
 * each of them ({@link Agreement}), and give it back when they free the communicator, so that the relays keep state for
 * about as many contexts as there ever were communicators at once. Thread-safe.
 *
 * <p>Under the number of a communicator that was freed there may be messages that nobody received: programs leave them behind. So
 * a number rests before it is used again, and that of a communicator on which a collective failed is never used again. Nor is one, as long as there
 * is a receive under it, or a send that may have to wait for its receive, whose end the program has not seen ({@link Communicator#keep}), or, if it has freed that,
 * {@link FreedRequests} have not.
 */
final class Contexts {
    /** Communicators that may exist at once. */
    static final int COUNT = 8192;

    /** Numbers that rest, at most: as many communicators are freed before the first of them is used again. */
    static final int RESTING = 64;

    /** Under this number the leaders of ports meet. Those behind it are for {@link #ofGroups}. */
    static final int PORTS = COUNT;

    static final int WORLD = 0;
    static final int SELF = 1;

    private final long[] free = new long[COUNT / Long.SIZE];
    /** Free numbers that are used only when there are no others, in the order in which they were given back. */
    private final Deque<Integer> resting = new ArrayDeque<>();

    private final BitSet spoiled = new BitSet();
    /** Agreements that the program has begun and not seen the end of, and the line that the first of them is in. */
    private int agreements;

    private Object line;

    /** Numbers that were given back during these agreements. */
    private final Deque<Integer> givenBack = new ArrayDeque<>();

    Contexts() {
        Arrays.fill(free, -1L);
        tryTake(WORLD);
        tryTake(SELF);
    }

    /**
     * The number under which a part of a communicator's processes makes one of its own, alone. It may do so while a collective of all goes on in another
     * thread, and in no order with that; receives are named by their context and number there, so they must not have one context.
     */
    static int ofGroups(int number) {
        return PORTS + 1 + number;
    }

    /**
     * The program begins an agreement: called in its own order, before the first number is looked at.
     *
     * @param in the collectives that it is one of: such have one order
     * @return false if one of others is under way: which numbers each finds free is a matter of time then
     */
    synchronized boolean beginAgreement(Object in) {
        if (agreements++ == 0) {
            line = in;
        }
        return line == in;
    }

    /** The program has seen its end. */
    synchronized void endAgreement() {
        agreements--;
        while (agreements == 0 && !givenBack.isEmpty()) {
            release(givenBack.remove());
        }
    }

    /** Whether there are no communicators but the first two. */
    synchronized boolean isIdle() {
        int taken = COUNT;
        for (long word : free) {
            taken -= Long.bitCount(word);
        }
        return taken == 2;
    }

    /** A bit for each number, set if it is free: a copy. */
    synchronized long[] free() {
        return free.clone();
    }

    /** As {@link #free}, without the numbers that rest. */
    synchronized long[] rested() {
        long[] rested = free.clone();
        for (int number : resting) {
            rested[number / Long.SIZE] &= ~(1L << number);
        }
        return rested;
    }

    /** Takes a number, unless it is taken. */
    synchronized boolean tryTake(int number) {
        long bit = 1L << number;
        boolean taken = (free[number / Long.SIZE] & bit) == 0;
        free[number / Long.SIZE] &= ~bit;
        resting.remove(number);
        return !taken;
    }

    /** Whether nobody has this number. */
    synchronized boolean isFree(int number) {
        return (free[number / Long.SIZE] & 1L << number) != 0;
    }

    /** Writes what an image needs. */
    synchronized void write(DataOutputStream image) throws IOException {
        for (long word : free) {
            image.writeLong(word);
        }
        writeNumbers(image, resting);
        writeNumbers(image, spoiled.stream().boxed().toList());
    }

    private static void writeNumbers(DataOutputStream image, Collection<Integer> numbers) throws IOException {
        image.writeInt(numbers.size());
        for (int number : numbers) {
            image.writeInt(number);
        }
    }

    /** Goes on from an image. */
    synchronized void read(DataInputStream image) throws IOException {
        for (int word = 0; word < free.length; word++) {
            free[word] = image.readLong();
        }
        resting.clear();
        for (int left = image.readInt(); left > 0; left--) {
            resting.add(image.readInt());
        }
        spoiled.clear();
        for (int left = image.readInt(); left > 0; left--) {
            spoiled.set(image.readInt());
        }
    }

    /**
     * Takes the number of the {@code ordinal}-th communicator that an agreement about failures makes: they are counted from the highest number
     * down, and never used again, so that none has messages of the dead.
     *
     * @return the number, or -1 if there is none left
     */
    synchronized int takeFromTop(int ordinal) {
        int number = COUNT - ordinal;
        if (number <= SELF || !tryTake(number)) {
            return -1;
        }
        spoil(number);
        return number;
    }

    /** Gives a number back that no message was sent under. */
    synchronized void putBack(int number) {
        free[number / Long.SIZE] |= 1L << number;
    }

    /**
     * Gives the number of a communicator back. While an agreement is under way that waits for its end: what that finds free, in a
     * thread of its own, must follow from the program's calls.
     */
    synchronized void release(int number) {
        if (agreements > 0) {
            givenBack.add(number);
            return;
        }
        if (spoiled.get(number)) {
            return;
        }
        putBack(number);
        resting.add(number);
        if (resting.size() > RESTING) {
            resting.remove();
        }
    }

    /** Notes that there may be messages of a collective under the number which nobody will ever receive. */
    synchronized void spoil(int number) {
        spoiled.set(number > PORTS ? number - ofGroups(0) : number);
    }
}
