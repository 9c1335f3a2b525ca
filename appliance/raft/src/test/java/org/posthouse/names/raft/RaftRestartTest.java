package org.posthouse.names.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** Judges end and begin again: names, versions and what was unbound are on their disks. */
class RaftRestartTest {
    private static final Name ROOT = Name.parse("n");

    /** A snapshot each 40 entries, and log files of some 16 records. */
    private static final RaftTiming SMALL_LOG = new RaftTiming(150, 300, 2_000, 40, 32 << 10);

    @TempDir
    private Path folder;

    private static NameRecord record(int value) {
        return NameRecord.of(Map.of("v", Integer.toString(value), "filling", "x".repeat(2_000)));
    }

    private static Name name(int number) {
        return ROOT.child(Integer.toString(number));
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private static List<BoundName> all(NameService names) throws Exception {
        return get(names.list(ROOT, NameService.LIST_MAX, Optional.empty()));
    }

    @Test
    void namesAndVersionsOutliveTheEndOfEachJudgeAndOfAll() throws Exception {
        try (JudgeGroup group = JudgeGroup.started(folder, JudgeGroup.FAST)) {
            BoundName first = get(group.near("site-1").bind(name(1), record(1)));
            BoundName gone = get(group.near("site-1").bind(name(2), record(2)));
            get(group.near("site-1").unbind(name(2), gone.version()));
            for (String judge : group.judges()) {
                group.stop(judge);
                BoundName last = get(group.near(group.running()).lookup(name(1))).orElseThrow();
                first = get(group.near(group.running()).swap(name(1), last.version(), record(3)));
                group.start(judge);
            }
            group.judges().forEach(group::stop);
            for (String judge : group.judges()) {
                group.start(judge);
            }
            assertThat(all(group.near("site-2"))).containsExactly(first);
            assertThat(first.version()).isEqualTo(4);
            assertThat(get(group.near("site-3").bind(name(2), record(2))).version()).as("of a name that was unbound before").isEqualTo(2);
        }
    }

    @Test
    void aJudgeThatWasAwayForLongerThanTheLogGetsASnapshot() throws Exception {
        try (JudgeGroup group = JudgeGroup.started(folder, SMALL_LOG)) {
            group.stop("site-3");
            NameService names = group.near("site-1");
            for (int each = 0; each < 120; each++) {
                get(names.bind(name(each), record(each)));
            }
            get(names.unbind(name(7), NameService.ANY_VERSION));
            List<BoundName> before = all(names);
            assertThat(before).hasSize(119);
            assertThat(logFiles("site-1")).as("the log's beginning was cut off").noneMatch(file -> file.matches("log_(inprogress_)?0(-.*)?"));
            group.start("site-3");
            Awaitility.await().untilAsserted(() -> assertThat(files("site-3", "sm")).anyMatch(file -> file.matches("snapshot\\.\\d+_\\d+")));
            group.stop("site-1");
            assertThat(all(group.near("site-3"))).as("as the judge that was away and one other have them").isEqualTo(before);
            assertThat(get(group.near("site-3").bind(name(7), record(0))).version()).isEqualTo(2);
        }
    }

    private List<String> logFiles(String judge) throws IOException {
        return files(judge, "current");
    }

    private List<String> files(String judge, String below) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(judge))) {
            return files.filter(file -> file.getParent().getFileName().toString().equals(below)).map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void aFolderOfOtherJudgesIsRefusedAndAPortInUseToo() throws Exception {
        try (JudgeGroup group = new JudgeGroup(folder, JudgeGroup.FAST)) {
            group.start("site-1");
            RaftConfig config = group.config("site-1");
            assertThatThrownBy(() -> RaftNames.open(config)).isInstanceOf(IOException.class).hasMessageStartingWith(
                    "judge site-1 cannot listen at " + config.judges().get("site-1") + ": ");
            RaftConfig other = new RaftConfig("site-2", config.judges(), config.folder(), config.timing(), config.guard());
            assertThatThrownBy(() -> RaftNames.open(other)).isInstanceOf(IOException.class).hasMessage("folder " + config.folder()
                    + " is of judge site-1 of site-1,site-2,site-3, and this relay is judge site-2 of site-1,site-2,site-3"
                    + "; give the same --judges as before, or another folder if the names are to begin anew");
        }
    }

    @Test
    void aJudgeThatCannotWriteEndsAndItsRelayAsksTheOthers() throws Exception {
        try (JudgeGroup group = JudgeGroup.started(folder, JudgeGroup.FAST)) {
            String leader = group.leader();
            BoundName first = get(group.near(leader).bind(name(1), record(1)));
            group.names(leader).judge().orElseThrow().logFailed(new IOException("No space left on device"));
            NameService relay = group.names(leader);
            Awaitility.await().ignoreExceptions().untilAsserted(() -> assertThat(get(relay.lookup(name(1)))).contains(first));
            assertThat(get(group.near(leader).rebind(name(1), record(2))).version()).isEqualTo(2);
            group.stop(leader);
            group.start(leader);
            assertThat(get(group.near(leader).lookup(name(1))).orElseThrow().version()).as("with the judge that had ended").isEqualTo(2);
        }
    }

    @Test
    void aDamagedSnapshotEndsTheStartInOneLine() throws Exception {
        try (JudgeGroup group = JudgeGroup.started(folder, SMALL_LOG)) {
            for (int each = 0; each < 50; each++) {
                get(group.near("site-1").bind(name(each), record(each)));
            }
            Awaitility.await().untilAsserted(() -> assertThat(files("site-1", "sm")).anyMatch(file -> file.matches("snapshot\\.\\d+_\\d+")));
            group.stop("site-1");
            try (Stream<Path> files = Files.walk(folder.resolve("site-1"))) {
                for (Path file : files.filter(file -> file.getFileName().toString().matches("snapshot\\.\\d+_\\d+")).toList()) {
                    byte[] bytes = Files.readAllBytes(file);
                    bytes[bytes.length / 2] ^= 1;
                    Files.write(file, bytes);
                }
            }
            assertThatThrownBy(() -> group.start("site-1")).isInstanceOf(IOException.class)
                    .hasMessageContaining("is damaged: the checksum is not that of the content");
        }
    }
}
