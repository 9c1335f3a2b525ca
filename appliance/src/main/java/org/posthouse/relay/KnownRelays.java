package org.posthouse.relay;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.directory.RelayEntry;
import org.posthouse.status.RelayStatus.KnownRelay;

/**
 * The relays of the directory, now and recently. One that died or was stopped is shown as silent for a while. Confined
 * to the relay's control strand.
 */
final class KnownRelays {
    static final long SILENT_MS_MAX = TimeUnit.HOURS.toMillis(6);

    /** Limit of silent relays; beyond it the first that left are forgotten. */
    static final int SILENT_MAX = 64;

    /** The present relays, then the silent ones, the last that left first. */
    private Map<String, KnownRelay> known = new LinkedHashMap<>();

    /**
     * @param present the relays of the directory
     * @param nowMs milliseconds since 1970
     */
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
                entry.site(), entry.relay(), entry.address(), entry.epoch(), true, entry.since(), entry.ranks(), entry.nodes().nodes(),
                entry.nodes().slots(), entry.nodes().free());
    }

    private static KnownRelay silent(KnownRelay was, long nowMs) {
        return new KnownRelay(was.site(), was.relay(), was.address(), was.epoch(), false, nowMs, was.ranks(), was.nodes(), was.slots(), was.free());
    }
}
