package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;

/**
 * What the elected relay has recorded of each relay of the grid (docs/names.md), which also a relay without a link to it knows. Immutable.
 *
 * @param leader the elected relay; empty if none is known to lead, and nobody keeps the record
 * @param relays by their ids
 */
public record RecordedNodes(String leader, List<Relay> relays) {
    private static final String STATE = "vm/state";
    private static final String COPIES = "vm/copy/";
    private static final String HEARTBEAT = "vm/leader-heartbeat";
    private static final String WRITTEN = "copyWritten";

    /** Reads of a record that changes meanwhile. */
    private static final int READS_MAX = 3;

    /**
     * One relay.
     *
     * @param nodes its agents
     * @param slots of them together
     * @param written when the record was last changed, in milliseconds since 1970 UTC by the elected relay's clock; 0 if that is not known
     */
    public record Relay(String site, String relay, String address, int nodes, int slots, long written) {}

    public RecordedNodes {
        relays = List.copyOf(relays);
    }

    /** But for these relays. */
    RecordedNodes without(Set<String> others) {
        return new RecordedNodes(leader, relays.stream().filter(relay -> !others.contains(relay.relay())).toList());
    }

    /**
     * Asks a relay's name service. Blocks for some seconds at most.
     *
     * @return empty if names are not available there, or nothing is recorded
     */
    static Optional<RecordedNodes> read(RelayClient relay) throws JobFailure {
        for (int read = 1; read <= READS_MAX; read++) {
            Optional<NamedRecord> state = lookup(relay, STATE);
            if (state.isEmpty()) {
                return Optional.empty();
            }
            List<Relay> relays = new ArrayList<>();
            boolean isWhole = true;
            for (String id : state.get().fields().values()) {
                Optional<NamedRecord> copy = lookup(relay, COPIES + id);
                isWhole &= copy.isPresent();
                copy.ifPresent(found -> relays.addAll(relays(found.fields())));
            }
            if (isWhole) { // Otherwise the state points to another copy by now.
                return Optional.of(new RecordedNodes(lookup(relay, HEARTBEAT).map(beat -> beat.fields().getOrDefault("leader", "")).orElse(""), relays));
            }
        }
        return Optional.empty();
    }

    private static Optional<NamedRecord> lookup(RelayClient relay, String name) throws JobFailure {
        NameAnswer answer =
                relay.names(new NameAsk(NameAsk.Operation.LOOKUP, name, 0, 0, 0, "", Collections.emptySortedMap()), RelayClient.ANSWER_SECONDS);
        return answer.status() == NameAnswer.Status.DONE ? answer.found().stream().findFirst() : Optional.empty();
    }

    /** @param fields each relay's description in words such as {@code site=a address=h:1 nodes=2 slots=8} */
    static List<Relay> relays(SortedMap<String, String> fields) {
        long written = number(fields.getOrDefault(WRITTEN, ""));
        List<Relay> relays = new ArrayList<>();
        fields.forEach((relay, description) -> {
            if (!relay.equals(WRITTEN)) {
                Map<String, String> words = words(description);
                relays.add(new Relay(words.getOrDefault("site", ""), relay, words.getOrDefault("address", ""), (int) number(words.getOrDefault("nodes", "")),
                        (int) number(words.getOrDefault("slots", "")), written));
            }
        });
        return relays;
    }

    private static Map<String, String> words(String description) {
        Map<String, String> words = new TreeMap<>();
        for (String word : description.split(" ")) {
            int at = word.indexOf('=');
            if (at > 0) {
                words.put(word.substring(0, at), word.substring(at + 1));
            }
        }
        return words;
    }

    /** What another release has written differently counts as 0. */
    private static long number(String text) {
        return text.matches("[0-9]{1,15}") ? Long.parseLong(text) : 0;
    }
}
