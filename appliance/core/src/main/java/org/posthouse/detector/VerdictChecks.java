package org.posthouse.detector;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a relay decides about agents of its own that other hosts have found silent: some pings over the agent's connection.
 * A frame of the agent within the time shows that it lives; else it is dead. A relay that stood still begins anew.
 * Confined to the relay's control strand.
 */
public final class VerdictChecks {
    /** Most agents that are checked at a time: all of a relay. */
    private static final int CHECKS_MAX = 4_096;

    /** Pings of a check, evenly spread: some are left after a pause of the agent, and one of them may be lost. */
    private static final int PINGS = 6;

    private static final class Check {
        private long lengthNanos;
        private long pingNanos;
        private long deadlineNanos;

        Check(long lengthNanos) {
            this.lengthNanos = lengthNanos;
        }

        void begin(long nowNanos) {
            pingNanos = nowNanos + lengthNanos / PINGS;
            deadlineNanos = nowNanos + lengthNanos;
        }

        /** Another question is in more of a hurry. */
        void hurry(long length, long nowNanos) {
            if (length < lengthNanos) {
                lengthNanos = length;
                pingNanos = Math.min(pingNanos, nowNanos + length / PINGS);
                deadlineNanos = Math.min(deadlineNanos, nowNanos + length);
            }
        }

        /** Whether the next ping is due; the one after it is planned then. */
        boolean wantsPing(long nowNanos) {
            if (nowNanos - pingNanos < 0) {
                return false;
            }
            pingNanos = nowNanos + lengthNanos / PINGS;
            return true;
        }
    }

    private final VerdictPort port;
    private final Map<Long, Check> checks = new LinkedHashMap<>();
    private final LocalHealth health;
    private final long tickNanos;

    /** @param tickNanos at most how often {@link #tick} is called while it has something to do */
    public VerdictChecks(VerdictPort port, long tickNanos) {
        this.port = port;
        this.tickNanos = tickNanos;
        this.health = new LocalHealth(tickNanos);
    }

    /** Begins to check an agent, or checks it sooner if that has begun. */
    public void ask(long agent, long periodNanos, long nowNanos) {
        long lengthNanos = DetectorSettings.verdictNanos(periodNanos);
        if (checks.containsKey(agent)) {
            checks.get(agent).hurry(lengthNanos, nowNanos);
        } else if (checks.size() < CHECKS_MAX) {
            Check check = new Check(lengthNanos);
            checks.put(agent, check);
            check.begin(nowNanos);
            if (checks.size() == 1) {
                health.expect(nowNanos + tickNanos);
            }
            port.ping(agent);
        }
    }

    /** The agent has sent a frame, or its connection has ended, which says more than a check. */
    public void onHeard(long agent, boolean isConnected) {
        if (checks.remove(agent) != null && isConnected) {
            port.onVerdict(agent, false);
        }
    }

    public boolean isIdle() {
        return checks.isEmpty();
    }

    /** Does what is due. Called each {@code tickNanos}, or more often, while it is not idle. */
    public void tick(long nowNanos) {
        boolean stoodStill = health.stoodStill(nowNanos);
        List<Long> dead = new ArrayList<>();
        checks.forEach((agent, check) -> {
            if (stoodStill) {
                check.begin(nowNanos);
                port.ping(agent);
            } else if (nowNanos - check.deadlineNanos >= 0) {
                dead.add(agent);
            } else if (check.wantsPing(nowNanos)) {
                port.ping(agent);
            }
        });
        health.expect(nowNanos + tickNanos);
        for (long agent : dead) {
            checks.remove(agent);
            port.onVerdict(agent, true);
        }
    }
}
