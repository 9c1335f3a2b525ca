package org.posthouse.relay.names;

import java.util.List;
import java.util.Optional;
import org.posthouse.names.BoundName;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NamedRecord;

/** What the wire says of names. Stateless. */
final class NameAnswers {
    private NameAnswers() {}

    static NameAnswer done(BoundName bound) {
        return NameAnswer.done(List.of(named(bound, true)), false);
    }

    static NameAnswer done(Optional<BoundName> bound) {
        return bound.map(NameAnswers::done).orElseGet(() -> NameAnswer.done(List.of(), false));
    }

    static NameAnswer listed(List<BoundName> page, boolean isMore) {
        return NameAnswer.done(page.stream().map(bound -> named(bound, true)).toList(), isMore);
    }

    static NameAnswer changed(NameChange change) {
        return NameAnswer.done(List.of(named(change.bound(), change.present())), false);
    }

    static NameAnswer failed(NameException why) {
        List<NamedRecord> found = why.found().map(bound -> List.of(named(bound, true))).orElse(List.of());
        return new NameAnswer(NameAnswer.Status.valueOf(why.kind().name()), why.getMessage(), (int) Math.min(Integer.MAX_VALUE, why.retryMs()), found, false);
    }

    private static NamedRecord named(BoundName bound, boolean present) {
        return new NamedRecord(bound.name().toString(), bound.version(), bound.record().epoch(), present, bound.record().fields());
    }
}
