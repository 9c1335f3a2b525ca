package org.posthouse.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.wire.NodeLifetimes.Lifetime;
import org.posthouse.wire.NodeLifetimes.State;

/**
 * How long agents were connected, for the model of {@code posthouse plan}. An agent that comes back behind a cut goes on. Of those that have ended the newest
 * are kept, in memory only. Confined to the relay's control strand.
 */
final class AgentLifetimes {
    private final int endedMax;

    /** When each connected agent has connected first, on the clock of {@link System#nanoTime}. */
    private final Map<Long, Long> alive = new HashMap<>();

    /** Those that have ended, by their numbers; the oldest end first. */
    private final LinkedHashMap<Long, Ended> ended = new LinkedHashMap<>();

    private record Ended(long sinceNanos, long endNanos, boolean left) {}

    AgentLifetimes(int endedMax) {
        this.endedMax = endedMax;
    }

    void joined(long agent, long nowNanos) {
        Ended before = ended.remove(agent);
        alive.put(agent, before == null ? nowNanos : before.sinceNanos());
    }

    /** @param left whether it has said so */
    void ended(long agent, long nowNanos, boolean left) {
        Long since = alive.remove(agent);
        if (since == null) {
            return;
        }
        ended.put(agent, new Ended(since, nowNanos, left));
        if (ended.size() > endedMax) {
            ended.pollFirstEntry();
        }
    }

    List<Lifetime> list(long nowNanos) {
        List<Lifetime> lifetimes = new ArrayList<>(alive.size() + ended.size());
        alive.values().forEach(since -> lifetimes.add(lifetime(since, nowNanos, State.ALIVE)));
        ended.values().forEach(each -> lifetimes.add(lifetime(each.sinceNanos(), each.endNanos(), each.left() ? State.LEFT : State.FAILED)));
        return lifetimes;
    }

    private static Lifetime lifetime(long sinceNanos, long endNanos, State state) {
        return new Lifetime(TimeUnit.NANOSECONDS.toMillis(endNanos - sinceNanos), state);
    }
}
