package org.posthouse.mpj;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;

/** The name service of a {@link LocalWorld}, with what ranks ask of it. Thread-safe. */
final class LocalNames {
    private final Map<String, NamedRecord> bound = new TreeMap<>();

    synchronized NameAnswer answer(int rank, NameAsk ask) {
        NamedRecord found = bound.get(ask.name());
        return switch (ask.operation()) {
            case BIND -> bind(rank, ask, found);
            case LOOKUP -> done(found);
            case UNBIND -> done(bound.remove(ask.name()));
            default -> new NameAnswer(NameAnswer.Status.DENIED, "a rank asks for " + ask.operation(), 0, List.of(), false);
        };
    }

    private NameAnswer bind(int rank, NameAsk ask, NamedRecord found) {
        TreeMap<String, String> fields = new TreeMap<>(ask.fields());
        fields.put("rank", Integer.toString(rank));
        if (found != null && !found.fields().equals(fields)) {
            return new NameAnswer(NameAnswer.Status.ALREADY_BOUND, ask.name() + " is bound already", 0, List.of(found), false);
        }
        bound.put(ask.name(), new NamedRecord(ask.name(), 1, 0, true, fields));
        return done(bound.get(ask.name()));
    }

    private static NameAnswer done(NamedRecord found) {
        return NameAnswer.done(found == null ? List.of() : List.of(found), false);
    }
}
