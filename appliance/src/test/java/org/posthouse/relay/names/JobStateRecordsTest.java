package org.posthouse.relay.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.names.BoundName;
import org.posthouse.names.MemoryNames;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;

/** The records of jobs as leaders keep them, one after the other and two that hold themselves for it. */
class JobStateRecordsTest {
    private final MemoryNames names = new MemoryNames();
    private long leads = 3;
    private final JobStateRecords leader = new JobStateRecords(names, () -> leads);

    @AfterEach
    void close() throws Exception {
        names.close();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static Map<String, Map<String, String>> jobs(String... idsAndRanks) {
        Map<String, Map<String, String>> jobs = new TreeMap<>();
        for (int i = 0; i < idsAndRanks.length; i += 2) {
            jobs.put(idsAndRanks[i], Map.of("ranks", idsAndRanks[i + 1]));
        }
        return jobs;
    }

    private Optional<BoundName> bound(String job) {
        return get(names.lookup(JobStateRecords.name(job)));
    }

    private int count() {
        return get(names.list(Name.parse("job"), 1_000, Optional.empty())).size();
    }

    @Test
    void onlyWhatDiffersIsWritten() {
        get(leader.keep(jobs("a", "1", "b", "2"), 3));
        get(leader.keep(jobs("a", "1", "b", "3"), 3));
        assertThat(bound("a")).contains(new BoundName(JobStateRecords.name("a"), NameRecord.of(Map.of("ranks", "1"), 3), 1));
        assertThat(bound("b")).contains(new BoundName(JobStateRecords.name("b"), NameRecord.of(Map.of("ranks", "3"), 3), 2));
    }

    @Test
    void aJobThatIsOverAtTwoLooksLosesItsRecord() {
        get(leader.keep(jobs("a", "1", "b", "2"), 3));
        get(leader.keep(jobs("b", "2"), 3));
        assertThat(bound("a")).as("over for one look").isPresent();
        get(leader.keep(jobs("b", "2"), 3));
        assertThat(bound("a")).isEmpty();
        assertThat(bound("b")).isPresent();
    }

    @Test
    void theNextLeaderTakesTheRecordsOverAndTheEarlierOneChangesNothing() {
        get(leader.keep(jobs("a", "1", "b", "2"), 3));
        JobStateRecords next = new JobStateRecords(names, () -> 4);
        get(next.keep(jobs("a", "1", "b", "2"), 4));
        assertThat(bound("a").orElseThrow().record().epoch()).isEqualTo(4);
        assertThatThrownBy(() -> get(leader.keep(jobs("a", "9", "b", "2"), 3))).cause().isInstanceOf(NameException.class);
        assertThatThrownBy(() -> get(leader.keep(jobs("a", "9", "b", "2"), 3))).as("also when it has read what is there").cause()
                .isInstanceOf(NameException.class);
        assertThat(bound("a").orElseThrow().record()).isEqualTo(NameRecord.of(Map.of("ranks", "1"), 4));
    }

    @Test
    void aLeaderThatHasLostRemovesNothing() {
        get(leader.keep(jobs("a", "1"), 3));
        get(leader.keep(jobs(), 3));
        leads = 0;
        get(leader.keep(jobs(), 3));
        assertThat(bound("a")).isPresent();
    }

    @Test
    void whatSomebodyElseHasChangedIsReadAndPutRight() {
        get(leader.keep(jobs("a", "1"), 3));
        get(names.unbind(JobStateRecords.name("a"), 1));
        assertThatThrownBy(() -> get(leader.keep(jobs("a", "2"), 3))).cause().isInstanceOf(NameException.class);
        get(leader.keep(jobs("a", "2"), 3));
        assertThat(bound("a").orElseThrow().record().field("ranks")).isEqualTo("2");
    }

    @Test
    void oneLookWritesSoManyAndTheNextGoesOn() {
        Map<String, Map<String, String>> many = new TreeMap<>();
        for (int job = 0; job < JobStateRecords.JOBS_MAX + 10; job++) {
            many.put(String.format("%016x", job), Map.of("ranks", "1"));
        }
        get(leader.keep(many, 3));
        assertThat(count()).isEqualTo(JobStateRecords.CHANGES_MAX);
        get(leader.keep(many, 3));
        assertThat(count()).isEqualTo(2 * JobStateRecords.CHANGES_MAX);
        for (int look = 0; look < JobStateRecords.JOBS_MAX / JobStateRecords.CHANGES_MAX; look++) {
            get(leader.keep(many, 3));
        }
        assertThat(bound(String.format("%016x", JobStateRecords.JOBS_MAX - 1))).isPresent();
        assertThat(bound(String.format("%016x", JobStateRecords.JOBS_MAX))).as("one too many").isEmpty();
    }
}
