package org.posthouse.mpj;

import java.util.Locale;

/**
 * Where a rank is among the collectives of one communicator, for the diagnosis of calls that do not match. Entering and
 * leaving cost no message and no clock; a watch looks now and then whether the rank is where it was (docs/wire.md,
 * collectives that do not match). Guarded by itself.
 */
public final class CollectivePosition {
    /** Hears of a presence that stays where it is. */
    interface Watch {
        /**
         * {@code presence} has not moved for long. Called at each look, with its monitor, which comes before the
         * endpoint's lock.
         *
         * @param again whether to say so although it was said
         */
        void stays(CollectivePosition collectivePosition, boolean again);

        /** It moves again after {@link #stays}. Called as that. */
        void goesOn(CollectivePosition collectivePosition);

        /** It leaves with an error, and {@link #stays} was not called. Called as that. */
        void fails(CollectivePosition collectivePosition);
    }

    /** Looks at one place before it counts as a stay: two whole intervals of the watch. */
    static final int LOOKS = 3;

    /** From then on every so many looks it is said again: the relay may not have been able to judge it. */
    static final int LOOKS_AGAIN = 5;

    private final Watch watch;
    private final int context;
    private final long group;

    /** Of the collective that it is in, or was in last: the low 32 bits. */
    private int number;

    private String call;
    private int root;

    /** Whether the program may do something else meanwhile. */
    private boolean background;

    private int lookedAt;
    private int looks;
    private boolean told;

    /**
     * @param worldRanks the communicator's members in their order
     * @param first number of collectives that are somebody else's, who is no part of this presence's group
     */
    CollectivePosition(Watch watch, int context, int[] worldRanks, int first) {
        number = first;
        this.watch = watch;
        this.context = context;
        long hash = worldRanks.length + 31L * first;
        for (int member : worldRanks) {
            hash = hash * 0x9E3779B97F4A7C15L + member + 1;
        }
        group = hash;
    }

    /**
     * The rank enters the next collective.
     *
     * @param root -1 if there is none
     * @param background whether the program has started it, and goes on
     */
    public synchronized void enter(String call, int root, boolean background) {
        number++;
        this.call = call;
        this.root = root;
        this.background = background;
    }

    /** The rank leaves it with an error: others may wait for it in another call, and are told why. */
    public synchronized void leaveFailed() {
        if (!told) {
            watch.fails(this);
        }
        leave();
    }

    /** The rank leaves it. */
    public synchronized void leave() {
        call = null;
        if (told) {
            told = false;
            watch.goesOn(this);
        }
    }

    /** One look of the watch. */
    synchronized void look() {
        if (call == null || lookedAt != number) {
            lookedAt = number;
            looks = call == null ? 0 : 1;
        } else if (++looks >= LOOKS) {
            told = true;
            watch.stays(this, (looks - LOOKS) % LOOKS_AGAIN == 0);
        }
    }

    int context() {
        return context;
    }

    long group() {
        return group;
    }

    /** Collectives so far: the low 32 bits. */
    public synchronized int number() {
        return number;
    }

    /** The rank goes on where another process of it was behind so many collectives. */
    public synchronized void goOn(int collectives) {
        number = collectives;
    }

    boolean isInBackground() {
        return background;
    }

    /** What the rank is in: the same for both spellings of a call, which match. */
    String description() {
        String name = call.replace("_", "").toLowerCase(Locale.ROOT);
        return root < 0 ? name : name + ", root " + root;
    }
}
