package org.posthouse.launch;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Dials a relay that a running job has lost, later and later, until it answers, refuses, or the time is over. */
final class Redial implements Runnable {
    private static final long PAUSE_MS_MIN = 20;
    private static final long PAUSE_MS_MAX = 1_000;

    /**
     * Why the job is not open again at the relay.
     *
     * @param isFinal whether the relay itself said so, and would say so again
     * @param isJobUnknown whether it said that it does not have the job
     */
    record Refusal(String why, boolean isFinal, boolean isJobUnknown) {}

    private final int relay;
    private final String address;
    private final long timeoutMs;
    private final JobRelays relays;
    private final Consumer<Signal> signals;
    private volatile boolean stopped;

    Redial(int relay, String address, long timeoutMs, JobRelays relays, Consumer<Signal> signals) {
        this.relay = relay;
        this.address = address;
        this.timeoutMs = timeoutMs;
        this.relays = relays;
        this.signals = signals;
    }

    @Override
    public void run() {
        long start = System.nanoTime();
        boolean told = false;
        try {
            for (long pauseMs = PAUSE_MS_MIN; !stopped; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
                Refusal refusal = relays.reopen(relay, address);
                if (refusal == null) {
                    return;
                }
                if (refusal.isFinal() || System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(timeoutMs)) {
                    signals.accept(new Signal.RelayLost(relay, refusal.why(), true));
                    return;
                }
                if (refusal.isJobUnknown() && !told) {
                    signals.accept(new Signal.JobUnknown(relay, refusal.why()));
                    told = true;
                }
                Thread.sleep(pauseMs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nobody wants the relay any more: ends soon, and tells nobody. */
    void stop() {
        stopped = true;
    }
}
