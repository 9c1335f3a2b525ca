package org.posthouse.directory.names;

import com.hazelcast.map.IMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Forgets names that were unbound long ago, of those that this member owns. Confined to one sweep at a time.
 *
 * <p>What is stored of an unbound name keeps a merge from bringing it back, so it stays while a relay is missing that may still have the name. A merge follows
 * the return of a relay, so the time begins again with each change of the member list. Hazelcast's own expiry would not do: a merge gives a record
 * that stays the expiry of the one that goes.
 */
final class UnboundNames {
    private static final int READ_AT_ONCE = 100;

    private final IMap<String, String> map;
    private final NamesMajority majority;

    /** By key: at most as many as the map has. */
    private Map<String, Unbound> seen = new HashMap<>();

    /** The member list of the last sweep. */
    private long term;

    /** @param sinceNanos when a sweep has first seen what is stored */
    private record Unbound(String text, long sinceNanos) {}

    UnboundNames(IMap<String, String> map, NamesMajority majority) {
        this.map = map;
        this.majority = majority;
    }

    /**
     * Blocks.
     *
     * @param nowNanos as of {@link System#nanoTime}
     */
    void sweep(long nowNanos, long rememberedSeconds) {
        boolean listChanged = term != majority.term();
        term = majority.term();
        if (listChanged || !majority.isWhole()) {
            seen.clear();
        }
        if (!majority.isWhole()) {
            return;
        }
        Map<String, Unbound> remembered = new HashMap<>();
        List<String> owned = List.copyOf(map.localKeySet());
        for (int from = 0; from < owned.size(); from += READ_AT_ONCE) {
            List<String> some = owned.subList(from, Math.min(from + READ_AT_ONCE, owned.size()));
            map.getAll(new HashSet<>(some)).forEach((key, text) -> {
                if (isUnbound(text)) {
                    remembered.put(key, Optional.ofNullable(seen.get(key)).filter(before -> before.text.equals(text)).orElse(new Unbound(text, nowNanos)));
                }
            });
        }
        seen = remembered;
        long limitNanos = TimeUnit.SECONDS.toNanos(rememberedSeconds);
        for (Map.Entry<String, Unbound> each : List.copyOf(remembered.entrySet())) {
            if (nowNanos - each.getValue().sinceNanos >= limitNanos && majority.isWhole()) {
                map.remove(each.getKey(), each.getValue().text);
                seen.remove(each.getKey());
            }
        }
    }

    private static boolean isUnbound(String text) {
        try {
            return !StoredName.parse(text).bound();
        } catch (IllegalArgumentException e) {
            return false; // No relay has written it. The owner replaces it with the next change.
        }
    }
}
