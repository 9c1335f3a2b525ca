package org.posthouse.relay.shard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * The output gate of one shard: holds, in order, effects that must not leave the relay before the log is synced.
 * Confined to the shard's strand.
 *
 * <p>Jobs with {@code --durability host} have four such effects (docs/architecture.md, the way of a message; P3).
 * Every frame to another relay is one. Every message that allows a rank or a relay to drop a copy or to end is another.
 * The third is the history that a process is sent, the fourth what a rank is told of failures. Messages between ranks of
 * one relay do not wait. There is one log and one order, so a message can never outlive what was logged before it.
 */
public final class OutputGate {
    /**
     * @param position log position that must be synced first
     * @param job the job of a frame that the effect acknowledges; empty for other effects
     */
    private record Held(long position, Runnable effect, OptionalLong job) {}

    private final ArrayDeque<Held> held = new ArrayDeque<>();

    /** Acknowledgements of frames that were not handled; sent when their jobs have ended. */
    private final List<Held> kept = new ArrayList<>();

    private final LongSupplier position;
    private final LongSupplier safe;
    private final LongConsumer want;

    /** Whether the log is no longer synced. */
    private boolean givenUp;

    /**
     * @param position position of the log's last record
     * @param safe position up to which the log is synced
     * @param want requests a sync up to a position
     */
    public OutputGate(LongSupplier position, LongSupplier safe, LongConsumer want) {
        this.position = position;
        this.safe = safe;
        this.want = want;
    }

    /**
     * Runs the effect when all records logged so far are synced, at once if they are. That is more than the effect
     * depends on.
     */
    public void pass(Runnable effect) {
        pass(effect, OptionalLong.empty());
    }

    /** The same for the acknowledgement of a frame of {@code job}. */
    public void passHandled(long job, Runnable word) {
        pass(word, OptionalLong.of(job));
    }

    /**
     * Keeps the acknowledgement of a frame that the log did not take. The relay's next process may continue the job,
     * and then needs the frame.
     */
    public void keepHandled(long job, Runnable word) {
        kept.add(new Held(Long.MAX_VALUE, word, OptionalLong.of(job)));
    }

    private void pass(Runnable effect, OptionalLong job) {
        long here = position.getAsLong();
        if (held.isEmpty() && here <= safe.getAsLong()) {
            effect.run();
        } else if (!givenUp || job.isPresent()) {
            held.add(new Held(here, effect, job));
            want.accept(here);
        }
    }

    /** Position up to which the log is synced. */
    long safe() {
        return safe.getAsLong();
    }

    /** Has the log synced up to its end, for what passes no gate. */
    void sync() {
        if (!givenUp) {
            want.accept(position.getAsLong());
        }
    }

    /** Runs the effects that wait for positions which are synced now. */
    public void open() {
        long now = safe.getAsLong();
        while (!held.isEmpty() && held.peek().position() <= now) {
            held.remove().effect().run();
        }
    }

    /**
     * Called when the log is no longer synced. Discards the waiting effects, except acknowledgements. {@link #forgo}
     * runs those, because until then the relay at the other end of a link keeps all frames behind.
     */
    public void giveUp() {
        givenUp = true;
        held.removeIf(each -> each.job().isEmpty());
    }

    boolean hasGivenUp() {
        return givenUp;
    }

    /** Whether there are acknowledgements for {@link #forgo}. */
    boolean keepsHandled() {
        return !kept.isEmpty() || givenUp && !held.isEmpty();
    }

    /** Sends the acknowledgements for jobs that have ended, where the log will never be safe. */
    public void forgo(LongPredicate hasEnded) {
        List<Runnable> words = new ArrayList<>();
        for (Collection<Held> waiting : givenUp ? List.of(held, kept) : List.of(kept)) {
            waiting.removeIf(each -> hasEnded.test(each.job().getAsLong()) && words.add(each.effect()));
        }
        words.forEach(Runnable::run);
    }
}
