package org.posthouse.launch.folder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** What is recorded of ranks before relays and other launchers may rely on it. */
class JobRecordsTest {
    private final List<JobSignal> signals = new ArrayList<>();
    private final List<String> printed = new ArrayList<>();

    @TempDir
    private Path above;

    private JobFolder folder() throws JobFailure {
        JobSpec spec = new JobSpec(
                "test", 2, List.of(), "Main", List.of(), List.of(), Map.of(), Durability.PROCESS, RestartPolicy.DEFAULT);
        List<HomeRelay> homes = List.of(new HomeRelay("a", "a", "127.0.0.1:1"));
        JobOpen opening = new JobOpen(1, new Token(1, 2), Durability.PROCESS, false, "test", homes, new int[2], 60, true);
        JobFolder folder = JobFolder.create(above.resolve("job"));
        folder.describe(new JobFile(spec, above, opening, Optional.empty(), Optional.empty()));
        return folder;
    }

    /** The relay forgets then how to bring the rank back, and a launcher that comes later must not start it again. */
    @Test
    void rankIsReportedDoneOnlyAfterItIsPersisted() throws Exception {
        JobFolder folder = folder();
        try (JobRecords records = new JobRecords(2, true, folder, OutputJournals.in(folder, signals::add), signals::add, printed::add)) {
            records.done(0);
            records.keepDone();
            assertThat(signals).containsExactly(new JobSignal.Kept(0, 0, 0, 0));
            records.done(1);
            folder.close();
            records.keepDone();
            assertThat(signals).hasSize(1);
            assertThat(printed).singleElement().asString().contains("the relay of rank 1 keeps what it needs to bring it back");
        }
    }
}
