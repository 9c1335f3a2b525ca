package org.posthouse.launch;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Dials a relay that a running job has lost, later and later, until it answers, refuses, or the time is over. */
final class Redial implements Runnable {
    private static final long PAUSE_MS_MIN = 20;
    private static final long PAUSE_MS_MAX = 1_000;

    /** Why the job is not open again at the relay. */
    record Refusal(String why, By by) {
        /** Who says so. */
        enum By {
            /** Nobody answers, or nobody who stays. */
            NOBODY,
            /** The relay itself, which would say so again. */
            RELAY,
            /** The relay, which does not have the job. */
            RELAY_WITHOUT_JOB,
            /** Another relay, at the address of this one. */
            ANOTHER_RELAY
        }
    }

    private final int relay;
    private final String address;
    private final long timeoutMs;
    private final JobRelays relays;
    private final Consumer<Signal> signals;

    /** Written by the job's thread, read by the one that dials. */
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
        Set<Refusal.By> told = EnumSet.noneOf(Refusal.By.class);
        try {
            for (long pauseMs = PAUSE_MS_MIN; !stopped; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
                Refusal refusal = relays.reopen(relay, address);
                if (refusal == null) {
                    return;
                }
                if (refusal.by() == Refusal.By.RELAY || System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(timeoutMs)) {
                    signals.accept(new Signal.RelayLost(relay, refusal.why(), true));
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
            case RELAY_WITHOUT_JOB -> signals.accept(new Signal.JobUnknown(relay, refusal.why()));
            case ANOTHER_RELAY -> signals.accept(new Signal.AnotherRelay(refusal.why()));
            default -> {}
        }
    }

    /** Nobody wants the relay any more: ends soon, and tells nobody. */
    void stop() {
        stopped = true;
    }
}
