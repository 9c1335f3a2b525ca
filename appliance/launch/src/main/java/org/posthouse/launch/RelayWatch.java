package org.posthouse.launch;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Detects a relay of a running job that does not answer though its connection stands. Its process is stopped (SIGSTOP,
 * a debugger, a paused container), which the system's keepalive does not see, or its host is far too busy. When nothing
 * has come for a while, the relay is asked for an answer over a connection of its own. It counts its questions and not
 * the time, and reports nothing before the second. A launcher that was stopped itself finds the first one overdue when
 * it continues.
 *
 * <p>A virtual thread of its own, from its start to its interruption.
 */
final class RelayWatch implements Runnable {
    /** Without a word from the relay, before it is asked. */
    static final long QUIET_SECONDS = 5;

    /** Between two looks at a relay that answers. */
    private static final long PAUSE_SECONDS = 15;

    private static final int QUESTIONS_BEFORE_TOLD = 2;

    /** Receives the results of the watch. */
    interface Listener {
        /** @param seconds for so long at least */
        void unresponsive(long seconds);

        /** @param seconds so long it had not */
        void responsive(long seconds);
    }

    private final LongSupplier quietNs;
    private final BooleanSupplier isUnresponsive;
    private final long questionSeconds;
    private final Listener listener;
    private final Pause pause;
    private int unanswered;

    /** Waits as {@link Thread#sleep}. */
    interface Pause {
        void seconds(long seconds) throws InterruptedException;
    }

    /**
     * @param quietNs for how long nothing has come from the relay; negative while there is no connection to it
     * @param isUnresponsive asks the relay, and says whether it has not answered; blocks for {@code questionSeconds} then
     */
    RelayWatch(LongSupplier quietNs, BooleanSupplier isUnresponsive, long questionSeconds, Listener listener, Pause pause) {
        this.quietNs = quietNs;
        this.isUnresponsive = isUnresponsive;
        this.questionSeconds = questionSeconds;
        this.listener = listener;
        this.pause = pause;
    }

    @Override
    public void run() {
        try {
            while (true) {
                pause.seconds(unanswered == 0 ? PAUSE_SECONDS : 0);
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One look, and one question if there is reason for it. */
    void look() {
        long quiet = quietNs.getAsLong();
        if (quiet >= TimeUnit.SECONDS.toNanos(QUIET_SECONDS) && isUnresponsive.getAsBoolean()) {
            unanswered++;
            if (unanswered >= QUESTIONS_BEFORE_TOLD) {
                listener.unresponsive(seconds());
            }
        } else {
            if (unanswered >= QUESTIONS_BEFORE_TOLD && quiet >= 0) {
                listener.responsive(seconds());
            }
            unanswered = 0;
        }
    }

    private long seconds() {
        return QUIET_SECONDS + unanswered * questionSeconds;
    }
}
