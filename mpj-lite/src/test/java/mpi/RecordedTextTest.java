package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.posthouse.mpj.Endpoint;

/** Where a process says that it is comes from values that are recorded. */
class RecordedTextTest {
    private final List<Long> history = new ArrayList<>();
    private int observed;

    /** One of the next process, which has the values that were recorded again, and then new ones. */
    private Endpoint next() {
        observed = 0;
        return Ends.that((call, arguments) -> {
            if (observed == history.size()) {
                history.add(((LongSupplier) arguments[0]).getAsLong());
            }
            return history.get(observed++);
        });
    }

    @Test
    void restartedProcessGetsItsRecordedName() {
        for (String name : List.of("node", "node-007", "a-node.with.a-longer.name", "kn\u00f6\u00f6t")) {
            history.clear();
            assertThat(RecordedText.of(next(), () -> name)).isEqualTo(name);
            assertThat(RecordedText.of(next(), () -> "elsewhere")).isEqualTo(name);
        }
    }

    @Test
    void partiallyRecordedNameIsReplacedByTheCurrentOne() {
        for (String now : List.of("else", "a-node.where.others-are", "a-longer.one.that.is-elsewhere")) {
            history.clear();
            RecordedText.of(next(), () -> "a-node.with.a-longer.name");
            history.subList(2, history.size()).clear();
            assertThat(RecordedText.of(next(), () -> now)).isEqualTo(now);
            assertThat(RecordedText.of(next(), () -> "a third")).isEqualTo(now);
        }
    }

    @Test
    void callAfterTheRecordedOnesReturnsCurrentName() {
        RecordedText.of(next(), () -> "node");
        Endpoint second = next();
        assertThat(RecordedText.of(second, () -> "elsewhere")).isEqualTo("node");
        assertThat(RecordedText.of(second, () -> "elsewhere")).isEqualTo("elsewhere");
    }
}
