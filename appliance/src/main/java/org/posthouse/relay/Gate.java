package org.posthouse.relay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * What must not leave the relay before the log is safe on its disk: it waits here, in its order. One for each shard, confined to its strand.
 *
 * <p>In jobs with {@code --durability host} that is every frame to another relay, every word to a rank or a relay that it need not keep something any more, or may
 * end, and what a process is told of its past (docs/architecture.md, the way of a message; P3). Between ranks of one relay nothing waits: there is one log and one order, so a message can
 * never outlive what was logged before it.
 */
final class Gate {
    /**
     * @param position up to where the log must be safe for it
     * @param job of which it says that a frame was handled; empty if it says anything else
     */
    private record Held(long position, Runnable effect, OptionalLong job) {}

    private final ArrayDeque<Held> held = new ArrayDeque<>();

    /** Words of frames that were not handled, and are told when their jobs have ended. */
    private final List<Held> kept = new ArrayList<>();

    private final LongSupplier position;
    private final LongSupplier safe;
    private final LongConsumer want;

    /** Nothing becomes safe any more. */
    private boolean givenUp;

    /**
     * @param position of the last record of the log
     * @param safe up to which position it is on the disk
     * @param want is told up to where it has to be
     */
    Gate(LongSupplier position, LongSupplier safe, LongConsumer want) {
        this.position = position;
        this.safe = safe;
        this.want = want;
    }

    /** Lets an effect out: now, if all is safe that was logged so far, which is more than it depends on; else when it is. */
    void pass(Runnable effect) {
        pass(effect, OptionalLong.empty());
    }

    /** The same of the word that a frame of {@code job} was handled. */
    void passHandled(long job, Runnable word) {
        pass(word, OptionalLong.of(job));
    }

    /** Keeps the same word of a frame that the log did not take: the relay's next process may go on with the job, and needs it. */
    void keepHandled(long job, Runnable word) {
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

    /** More of the log is safe. */
    void open() {
        long now = safe.getAsLong();
        while (!held.isEmpty() && held.peek().position() <= now) {
            held.remove().effect().run();
        }
    }

    /** Nothing becomes safe any more, and what waits never leaves; but that a frame was handled is told by {@link #forgo}: the relay at the other end of a link keeps all behind it until then. */
    void giveUp() {
        givenUp = true;
        held.removeIf(each -> each.job().isEmpty());
    }

    boolean hasGivenUp() {
        return givenUp;
    }

    /** Whether there is anything for {@link #forgo}. */
    boolean keepsHandled() {
        return !kept.isEmpty() || givenUp && !held.isEmpty();
    }

    /** Tells what was handled of jobs that have ended, as far as nothing of it becomes safe any more. */
    void forgo(LongPredicate hasEnded) {
        List<Runnable> words = new ArrayList<>();
        for (Collection<Held> waiting : givenUp ? List.of(held, kept) : List.of(kept)) {
            waiting.removeIf(each -> hasEnded.test(each.job().getAsLong()) && words.add(each.effect()));
        }
        words.forEach(Runnable::run);
    }
}
