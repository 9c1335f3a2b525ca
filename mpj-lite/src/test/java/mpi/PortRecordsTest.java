package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.posthouse.mpj.Endpoint;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;

/** Records of accept and connect, of a process that is killed between what a relay did and its answer. */
class PortRecordsTest {
    private static final String NAME = "mpi/_port/p/visitor";

    private final List<Long> history = new ArrayList<>();
    private int observed;

    /** What is bound; null if nothing is. */
    private NamedRecord bound;

    /** One of the next process, which has the values that were recorded again. */
    private PortRecords next() {
        observed = 0;
        Endpoint endpoint = Ends.that((call, arguments) -> switch (call) {
            case "names" -> answer((NameAsk) arguments[0]);
            case "isReplaying" -> observed < history.size();
            default -> {
                if (observed == history.size()) {
                    history.add(((LongSupplier) arguments[0]).getAsLong());
                }
                yield history.get(observed++);
            }
        });
        return new PortRecords("connect", endpoint);
    }

    /** As a relay answers LOOKUP and UNBIND. */
    private NameAnswer answer(NameAsk ask) {
        List<NamedRecord> found = bound == null ? List.of() : List.of(bound);
        if (ask.operation() == NameAsk.Operation.UNBIND) {
            long version = bound == null ? 0 : bound.version();
            if (ask.version() != -1 && ask.version() != version) {
                return new NameAnswer(NameAnswer.Status.CONFLICT, "changed", 0, found, false);
            }
            bound = null;
        }
        return NameAnswer.done(found, false);
    }

    private static NamedRecord visit(long version, String joint) {
        return new NamedRecord(NAME, version, 0, true, new TreeMap<>(Map.of("joint", joint)));
    }

    @Test
    void repeatedUnbindLeavesTheVisitOfAnotherGroup() {
        bound = visit(1, "own");
        next().unbind(NAME, record -> record.get("joint").equals("own"));
        assertThat(bound).isNull();
        List<Long> all = List.copyOf(history);
        for (int died = 0; died < all.size(); died++) {
            history.clear();
            history.addAll(all.subList(0, died));
            bound = visit(2, "another");
            next().unbind(NAME, record -> record.get("joint").equals("own"));
            assertThat(bound).as("killed behind value " + died).isEqualTo(visit(2, "another"));
        }
    }

    @Test
    void namesThatAreNotBoundOrOfOthersStay() {
        next().unbind(NAME);
        assertThat(bound).isNull();
        history.clear();
        bound = visit(1, "another");
        next().unbind(NAME, record -> record.get("joint").equals("own"));
        assertThat(bound).isEqualTo(visit(1, "another"));
    }
}
