package org.posthouse.detector;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import org.posthouse.wire.DetectorMessage;

/**
 * Checks suspected hosts: two pings, then pings by three others, then the question to the suspect's relay, which is
 * repeated until it is answered. A sign of life ends the check. Confined to its detector.
 */
final class SuspicionChecks {
    /** Others that ping a host in our place: SWIM's k. */
    static final int HELPERS = 3;

    /** Stages' times that a question waits for its answer. The relay needs one for its own check. */
    private static final int QUESTION_STAGES = 4;

    /** What a check waits for. */
    private enum Stage {
        FIRST_PING, SECOND_PING, HELPERS, RELAY
    }

    private static final class Check {
        private final long number;
        private Stage stage;
        private long deadlineNanos;

        Check(long number) {
            this.number = number;
        }
    }

    private final DetectorPort port;
    private final RandomGenerator random;
    private final long stageNanos;
    private final RingViews ring;
    private final Map<Integer, Check> checks = new LinkedHashMap<>();
    private long lastNumber;

    SuspicionChecks(DetectorSettings settings, DetectorPort port, RandomGenerator random, RingViews ring) {
        this.port = port;
        this.random = random;
        this.stageNanos = settings.checkNanos();
        this.ring = ring;
    }

    boolean isChecked(int host) {
        return checks.containsKey(host);
    }

    /** Checks under way. */
    int count() {
        return checks.size();
    }

    /** Begins to check a host, unless that has begun. */
    void begin(int host, long nowNanos) {
        if (!isChecked(host)) {
            Check check = new Check(++lastNumber);
            checks.put(host, check);
            port.onSuspected(host);
            ping(host, check, Stage.FIRST_PING, nowNanos);
        }
    }

    /** Asks the relay of a host that has been checked otherwise. */
    void ask(int host, int self, long nowNanos) {
        if (!isChecked(host)) {
            Check check = new Check(++lastNumber);
            check.stage = Stage.HELPERS;
            checks.put(host, check);
            next(host, check, self, nowNanos);
        }
    }

    private void ping(int host, Check check, Stage stage, long nowNanos) {
        check.stage = stage;
        check.deadlineNanos = nowNanos + stageNanos / 2;
        port.send(host, new DetectorMessage.Ping(check.number, List.of()));
    }

    void tick(int self, long nowNanos) {
        checks.forEach((host, check) -> {
            if (nowNanos - check.deadlineNanos >= 0) {
                next(host, check, self, nowNanos);
            }
        });
    }

    private void next(int host, Check check, int self, long nowNanos) {
        if (check.stage == Stage.FIRST_PING) {
            ping(host, check, Stage.SECOND_PING, nowNanos);
            return;
        }
        List<Integer> helpers = check.stage == Stage.SECOND_PING ? helpers(host, self) : List.of();
        if (!helpers.isEmpty()) {
            check.stage = Stage.HELPERS;
            check.deadlineNanos = nowNanos + stageNanos;
            helpers.forEach(helper -> port.send(helper, new DetectorMessage.PingRequest(check.number, host, List.of())));
            return;
        }
        check.stage = Stage.RELAY;
        check.deadlineNanos = nowNanos + QUESTION_STAGES * stageNanos;
        port.ask(host);
    }

    /** Hosts that are not suspected themselves. */
    private List<Integer> helpers(int host, int self) {
        return drawn(ring, random, other -> other != host && other != self && !isChecked(other));
    }

    /** Up to {@link #HELPERS} hosts of the ring that {@code fits} takes. */
    static List<Integer> drawn(RingViews ring, RandomGenerator random, IntPredicate fits) {
        List<Integer> all = new ArrayList<>();
        for (int other : ring.living()) {
            if (fits.test(other)) {
                all.add(other);
            }
        }
        List<Integer> drawn = new ArrayList<>();
        while (drawn.size() < HELPERS && !all.isEmpty()) {
            drawn.add(all.remove(random.nextInt(all.size())));
        }
        return drawn;
    }

    /** The host lives. */
    void refute(int host) {
        if (checks.remove(host) != null) {
            port.onRefuted(host);
        }
    }

    /** The host is not watched any more. */
    void drop(int host) {
        checks.remove(host);
    }

    /** Keeps the checks of hosts that are still in the ring. */
    void retainRing() {
        checks.keySet().removeIf(host -> !ring.has(host));
    }

    /** We stood still: answers may wait for us, so every check begins anew. */
    void restart(long nowNanos) {
        checks.forEach((host, check) -> ping(host, check, Stage.FIRST_PING, nowNanos));
    }

    /** When the next check has something to do; {@code otherwise} if none has before that. */
    long wakeNanos(long otherwise) {
        long wake = otherwise;
        for (Check check : checks.values()) {
            wake = check.deadlineNanos - wake < 0 ? check.deadlineNanos : wake;
        }
        return wake;
    }
}
