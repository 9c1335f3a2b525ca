package org.posthouse.relay;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.directory.RelayEntry;
import org.posthouse.ops.RelaySnapshot.KnownRelay;

/**
 * The relays that the directory has, and those that it had lately: one that died, or was stopped, is shown as silent for
 * a while. Confined to the relay's control strand.
 */
final class KnownRelays {
    static final long SILENT_MS_MAX = TimeUnit.HOURS.toMillis(6);

    /** Those that are silent; of more the first that went are forgotten. */
    static final int SILENT_MAX = 64;

    /** Those that are there, and then the silent ones, the last that went first. */
    private Map<String, KnownRelay> known = new LinkedHashMap<>();

    /** @param present what the directory has @param nowMs milliseconds since 1970 UTC */
    List<KnownRelay> look(Collection<RelayEntry> present, long nowMs) {
        Map<String, KnownRelay> next = new LinkedHashMap<>();
        present.forEach(entry -> next.put(entry.relay(), alive(entry)));
        List<KnownRelay> silent = known.values().stream()
                .filter(relay -> !next.containsKey(relay.relay()))
                .map(relay -> relay.alive() ? silent(relay, nowMs) : relay)
                .filter(relay -> nowMs - relay.since() < SILENT_MS_MAX)
                .toList();
        silent.stream().limit(SILENT_MAX).forEach(relay -> next.put(relay.relay(), relay));
        known = next;
        return List.copyOf(next.values());
    }

    private static KnownRelay alive(RelayEntry entry) {
        return new KnownRelay(
                entry.site(), entry.relay(), entry.address(), entry.epoch(), true, entry.since(), entry.ranks());
    }

    private static KnownRelay silent(KnownRelay was, long nowMs) {
        return new KnownRelay(was.site(), was.relay(), was.address(), was.epoch(), false, nowMs, was.ranks());
    }
}
