package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whoever waits for a history or a save hears of every end of the work on it. */
class LogTasksTest {
    private final List<String> told = new ArrayList<>();

    @Test
    void reportsUnreadableLogPage() {
        LogTasks.attempt("no history of", "rank 1", () -> {
            throw new InternalError("a fault occurred in an unsafe memory access operation");
        }, told::add);
        assertThat(told).containsExactly("a page of the log cannot be read (a fault occurred in an unsafe memory access operation); check the disk, and"
                + " restore the relay's data folder from a copy");
    }

    @Test
    void reportsUnexpectedException() {
        LogTasks.attempt("no history of", "rank 1", () -> {
            throw new IllegalStateException("no record is shown");
        }, told::add);
        assertThat(told).singleElement().asString().contains("IllegalStateException: no record is shown").endsWith("report it with the relay's log");
    }

    @Test
    void reportsNothingForSuccessfulTask() {
        List<Integer> done = new ArrayList<>();
        LogTasks.attempt("no history of", "rank 1", () -> done.add(1), told::add);
        assertThat(done).hasSize(1);
        assertThat(told).isEmpty();
    }
}
