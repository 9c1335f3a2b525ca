package org.posthouse.detector;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a relay decides about agents of its own that other hosts have found silent: two pings over the agent's connection.
 * A frame of the agent within the time shows that it lives; else it is dead. A relay that stood still begins anew.
 * Confined to the relay's control strand.
 */
public final class VerdictChecks {
    /** Most agents that are checked at a time: all of a relay. */
    private static final int CHECKS_MAX = 4_096;

    private static final class Check {
        private long stageNanos;
        private long secondNanos;
        private long deadlineNanos;
        private boolean hasPingedTwice;

        Check(long stageNanos) {
            this.stageNanos = stageNanos;
        }

        void begin(long nowNanos) {
            secondNanos = nowNanos + stageNanos / 2;
            deadlineNanos = nowNanos + stageNanos;
            hasPingedTwice = false;
        }

        /** Another question is in more of a hurry. */
        void hurry(long stage, long nowNanos) {
            if (stage < stageNanos) {
                stageNanos = stage;
                secondNanos = Math.min(secondNanos, nowNanos + stage / 2);
                deadlineNanos = Math.min(deadlineNanos, nowNanos + stage);
            }
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
        long stageNanos = DetectorSettings.checkNanos(periodNanos);
        if (checks.containsKey(agent)) {
            checks.get(agent).hurry(stageNanos, nowNanos);
        } else if (checks.size() < CHECKS_MAX) {
            Check check = new Check(stageNanos);
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
            } else if (!check.hasPingedTwice && nowNanos - check.secondNanos >= 0) {
                check.hasPingedTwice = true;
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
