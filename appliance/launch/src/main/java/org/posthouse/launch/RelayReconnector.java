package org.posthouse.launch;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.posthouse.launch.job.JobSignal;

/**
 * Dials a relay that a running job has lost, at growing intervals, until it answers, refuses, or the time is over. Time
 * in which a relay reports that it has not read its log yet is not counted.
 */
final class RelayReconnector implements Runnable {
    private static final long PAUSE_MS_MIN = 20;
    private static final long PAUSE_MS_MAX = 1_000;

    /** Why the job is not open again at the relay. */
    record Refusal(String why, By by) {
        /** The source of the refusal. */
        enum By {
            /** No peer answers, or none that keeps the connection. */
            NOBODY,
            /** The relay, which has not read its log yet. */
            RELAY_AT_START,
            /** The relay itself, which would refuse again. */
            RELAY,
            /** The relay, which does not have the job: perhaps its next process does. */
            RELAY_WITHOUT_JOB,
            /** The relay, which has lost what the job needs. */
            RELAY_WITHOUT_LOG,
            /** Another relay at this relay's address, or a peer that has not proven to be a relay. */
            ANOTHER_RELAY
        }

        private boolean isFinal() {
            return by == By.RELAY || by == By.RELAY_WITHOUT_LOG;
        }

        private boolean isOfLog() {
            return by == By.RELAY_WITHOUT_JOB || by == By.RELAY_WITHOUT_LOG;
        }
    }

    private final int relay;
    private final String who;
    private final long timeoutMs;
    private final Supplier<Refusal> reopen;
    private final Consumer<JobSignal> signals;
    private final LongSupplier clock;

    /** Written by the job's thread, read by the one that dials. */
    private volatile boolean stopped;

    /**
     * @param who the relay, for people
     * @param reopen connects to the relay and opens the job there again; gives why it cannot, or null if it has
     * @param clock in nanoseconds, as {@link System#nanoTime}
     */
    RelayReconnector(int relay, String who, long timeoutMs, Supplier<Refusal> reopen, Consumer<JobSignal> signals, LongSupplier clock) {
        this.relay = relay;
        this.who = who;
        this.timeoutMs = timeoutMs;
        this.reopen = reopen;
        this.signals = signals;
        this.clock = clock;
    }

    @Override
    public void run() {
        long last = clock.getAsLong();
        long end = last + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        Set<Refusal.By> told = EnumSet.noneOf(Refusal.By.class);
        try {
            for (long pauseMs = PAUSE_MS_MIN; !stopped; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
                Refusal refusal = reopen.get();
                if (refusal == null) {
                    return;
                }
                long now = clock.getAsLong();
                if (refusal.by() == Refusal.By.RELAY_AT_START) {
                    end += now - last;
                }
                last = now;
                if (refusal.isFinal()) {
                    signals.accept(refusal.isOfLog() ? new JobSignal.JobLost(relay, refusal.why()) : new JobSignal.RelayLost(relay, refusal.why(), true));
                    return;
                }
                if (now - end >= 0) {
                    String why = who + " has not come back within " + TimeUnit.MILLISECONDS.toSeconds(timeoutMs) + " s (--relay-timeout): " + refusal.why();
                    signals.accept(refusal.isOfLog() ? new JobSignal.JobLost(relay, why) : new JobSignal.RelayLost(relay, why, true));
                    return;
                }
                if (told.add(refusal.by())) {
                    tell(refusal);
                }
                Thread.sleep(pauseMs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(Refusal refusal) {
        switch (refusal.by()) {
            case RELAY_WITHOUT_JOB -> signals.accept(new JobSignal.JobUnknown(relay, refusal.why()));
            case RELAY_AT_START, ANOTHER_RELAY -> signals.accept(new JobSignal.NotYet(refusal.why()));
            default -> {}
        }
    }

    /** The relay is no longer needed: ends soon, without a signal. */
    void stop() {
        stopped = true;
    }
}
