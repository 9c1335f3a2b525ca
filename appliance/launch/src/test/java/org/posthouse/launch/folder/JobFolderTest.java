package org.posthouse.launch.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RankNotes;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.OutputMarks;
import org.posthouse.launch.output.OutputPump;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.JobNodes;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.SiteRestriction;
import org.posthouse.testkit.SmallDisk;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** What a launcher that dies leaves to the next one: read back as it was written, whatever the last line looks like. */
class JobFolderTest {
    @TempDir
    private Path above;

    private static JobFile job() {
        JobSpec spec = new JobSpec(
                "a job", 3, List.of(Path.of("/a/b c.jar")), "Main", List.of("-x", "\u00f6 \"\n"), List.of("-Xmx1g"), Map.of("PATH", "/bin", "E", ""),
                Durability.HOST, new RestartPolicy(5, 3_000_000_000L, 7, 600));
        List<HomeRelay> homes = List.of(new HomeRelay("a", "a", "h:1"), new HomeRelay("b", "b/2", "h:2"));
        JobOpen opening = new JobOpen(-7, new Token(1, -2), Durability.HOST, false, "a job", homes, new int[] {0, 0, 1}, 600, true);
        return new JobFile(spec, Path.of("/somewhere"), opening, Optional.of(Path.of("/t")), Optional.empty());
    }

    /** Another launcher finds the nodes' key, and compares the files with those that the job began with. */
    @Test
    void reopenedFolderRestoresTheUseOfNodes() throws Exception {
        Map<String, Integer> ranksOfSite = new LinkedHashMap<>();
        ranksOfSite.put("b", 2);
        ranksOfSite.put("a", 1);
        NodeRequest request = new NodeRequest(
                NodeRequest.Use.ALWAYS, AllocationRequest.Strategy.CONCENTRATE, AllocationRequest.Numbering.SITE, new SiteRestriction(ranksOfSite),
                Map.of("gpu", "yes"), "/work", 2, Map.of("COLOUR", "blue"), 1_500, List.of(Path.of("/in.txt")), Optional.empty());
        JobFile file = new JobFile(
                job().spec(), job().folder(), job().opening(), Optional.empty(),
                Optional.of(new JobNodes(request, new Token(3, 4), List.of("0/a.jar (SHA-256 00)"))));
        Path path = above.resolve("job");
        try (JobFolder folder = JobFolder.create(path)) {
            folder.describe(file);
        }
        try (JobFolder folder = JobFolder.open(path)) {
            assertThat(folder.job()).usingRecursiveComparison().isEqualTo(file);
            assertThat(folder.job().nodes().orElseThrow().request().sites().ranks().keySet()).as("in their order").containsExactly("b", "a");
        }
    }

    private Path left(String... more) throws Exception {
        Path path = above.resolve("job");
        try (JobFolder folder = JobFolder.create(path)) {
            folder.describe(job());
            folder.starts(0, 1);
            folder.starts(1, 1);
            folder.starts(1, 2);
        }
        for (String text : more) {
            Files.writeString(path.resolve("progress"), text, StandardOpenOption.APPEND);
        }
        return path;
    }

    @Test
    void reopenedFolderRestoresJob() throws Exception {
        try (JobFolder folder = JobFolder.open(left())) {
            assertThat(folder.job()).usingRecursiveComparison().isEqualTo(job());
            assertThat(folder.isLeft()).isTrue();
        }
    }

    @Test
    void forceSkipsLinesAlreadyOnDisk() throws Exception {
        JobFolder folder = JobFolder.open(left());
        folder.marked(0, 1, 5, 6);
        folder.force();
        folder.starts(0, 2);
        folder.close();
        folder.force(); // Of a file that is closed: nothing is asked of it.
        JobFolder next = JobFolder.open(above.resolve("job"));
        next.marked(0, 2, 7, 8);
        next.close();
        assertThatThrownBy(next::force).isInstanceOf(ClosedChannelException.class);
    }

    /** A program's text may have any end of a line in it, and a full disk cuts within a character. */
    @Test
    void whateverACauseHasInItTheFolderCanBeRead() throws Exception {
        try (JobFolder folder = JobFolder.open(left())) {
            folder.limited(0, "a\rb\nc\u0085d\u2028e");
            folder.ending(1, "rank 0 threw NumberFormatException: \"12\r\"");
        }
        Files.write(above.resolve("job/progress"), new byte[] {'e', 'n', 'd', ' ', (byte) 0xc3}, StandardOpenOption.APPEND);
        try (JobFolder folder = JobFolder.open(above.resolve("job"))) {
            assertThat(folder.notes().limit(0)).isEqualTo("a b c d e");
            assertThat(folder.notes().ending().orElseThrow().cause()).isEqualTo("rank 0 threw NumberFormatException: \"12 \"");
        }
    }

    @Test
    void whereMarksStandIsReadBack() throws Exception {
        OutputMarks.Place within = OutputMarks.Place.of(5, new byte[] {' ', '\r', -1, 0, 'x'});
        OutputMarks.Place before = new OutputMarks.Place(6, "");
        try (JobFolder folder = JobFolder.open(left())) {
            folder.placed(new JobSignal.Placed(1, false, 70, within));
            folder.placed(new JobSignal.Placed(1, true, 80, before));
        }
        for (int launcher = 0; launcher < 2; launcher++) {
            try (JobFolder folder = JobFolder.open(above.resolve("job"))) {
                assertThat(folder.notes().places(1, false)).isEqualTo(Map.of(70L, within));
                assertThat(folder.notes().places(1, true)).isEqualTo(Map.of(80L, before));
            }
        }
    }

    @Test
    void deleteRemovesUnfinishedFiles() throws Exception {
        JobFolder folder = JobFolder.create(above.resolve("job"));
        Files.writeString(above.resolve("job/progress.new"), "");
        Files.writeString(above.resolve("job/job.json.new"), "");
        folder.delete();
        assertThat(above.resolve("job")).doesNotExist();
    }

    @Test
    void itsOwnerAloneMayReadIt() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(left()))).isEqualTo("rwx------");
    }

    @Test
    void theLastLineMayBeCutShort() throws Exception {
        Path path = left("limit 1 first\ndone 0\nmark 1 0 5 6\nmark 1 1 7 8\nlimit 0 no more words\nstart 2 1");
        for (int launcher = 0; launcher < 2; launcher++) {
            try (JobFolder folder = JobFolder.open(path)) {
                RankNotes notes = folder.notes();
                assertThat(List.of(notes.incarnation(0), notes.incarnation(1), notes.incarnation(2))).containsExactly(1, 2, 0);
                assertThat(notes.isDone(0)).isTrue();
                assertThat(notes.limit(0)).isEqualTo("no more words");
                assertThat(notes.limit(1)).as("an image lies behind it").isNull();
                assertThat(notes.marks(1)).containsExactly(new RankNotes.Mark(0, 5, 6), new RankNotes.Mark(1, 7, 8));
            }
        }
    }

    @Test
    void aLineThatSaysNothingIsNamed() throws Exception {
        Path path = left("mark 1 x\n");
        assertThatThrownBy(() -> JobFolder.open(path)).isInstanceOf(JobFailure.class).hasMessageContaining("line 4 of progress says nothing: \"mark 1 x\"");
    }

    @Test
    void aMonthOfCheckpointsTakesNoMoreRoomThanADay() throws Exception {
        Path path = left();
        try (JobFolder folder = JobFolder.open(path)) {
            for (int image = 1; image <= 100_000; image++) {
                folder.marked(2, image, image, 0);
            }
        }
        assertThat(path.resolve("progress")).satisfies(file -> assertThat(Files.size(file)).isLessThan(1 << 20));
        try (JobFolder folder = JobFolder.open(path)) {
            assertThat(folder.notes().marks(2)).extracting(RankNotes.Mark::image).containsExactly(99_998, 99_999, 100_000);
            assertThat(folder.notes().incarnation(1)).isEqualTo(2);
        }
    }

    @Test
    void rewriteOfProgressPreservesJobEnd() throws Exception {
        Path path = left();
        try (JobFolder folder = JobFolder.open(path)) {
            for (int image = 1; Files.size(path.resolve("progress")) <= 1 << 20; image++) {
                folder.marked(2, image, image, 0);
            }
            folder.ended(3, "rank 1 exited");
        }
        assertThat(Files.size(path.resolve("progress"))).isLessThan(1_000);
        assertThat(JobFolder.end(path)).contains(new JobStatusReport.End(3, "rank 1 exited", false));
    }

    @Test
    void jobIsOverOnceRelaysConfirmItsEnd() throws Exception {
        Path path = left("ending 3 rank 1 exited\n");
        for (int launcher = 0; launcher < 2; launcher++) {
            assertThat(JobFolder.end(path)).isEmpty();
            try (JobFolder folder = JobFolder.open(path)) {
                assertThat(folder.notes().ending()).contains(new JobStatusReport.End(3, "rank 1 exited", false));
            }
        }
        try (JobFolder folder = JobFolder.open(path)) {
            folder.ended(3, "rank 1 exited");
        }
        assertThatThrownBy(() -> JobFolder.open(path)).hasMessageEndingWith("is over: it ended with status 3: rank 1 exited");
        JobFolder.openToEnd(path).close();
        assertThat(JobFolder.end(path)).contains(new JobStatusReport.End(3, "rank 1 exited", false));
    }

    @Test
    void truncatedLineIsRewrittenOnceDiskHasRoom() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(above.resolve("small"), 1)) {
            Path path = disk.seen("job");
            int image = 1;
            try (JobFolder folder = JobFolder.create(path)) {
                folder.describe(job());
                folder.starts(0, 1);
                disk.fill();
                while (isMarked(folder, image)) {
                    image++;
                }
                assertThat(Files.readString(path.resolve("progress"))).as("half a line").doesNotEndWith("\n");
                assertThat(isMarked(folder, image + 1)).isFalse();
                disk.makeRoom();
                folder.done(1);
                folder.marked(2, image + 2, 7, 0);
            }
            try (JobFolder folder = JobFolder.open(path)) {
                assertThat(folder.notes().marks(2)).extracting(RankNotes.Mark::image).containsExactly(image, image + 1, image + 2);
                assertThat(folder.notes().isDone(1)).isTrue();
            }
        }
    }

    private static boolean isMarked(JobFolder folder, int image) {
        try {
            folder.marked(2, image, image, 0);
            return true;
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space");
            return false;
        }
    }

    @Test
    void aJobHasOneLauncherAndOneEnd() throws Exception {
        Path path = left();
        try (JobFolder folder = JobFolder.open(path)) {
            assertThatThrownBy(() -> JobFolder.open(path)).hasMessageEndingWith("has a launcher: it is running");
            folder.ended(3, "rank 1 exited with status 3");
        }
        assertThatThrownBy(() -> JobFolder.open(path)).hasMessageEndingWith("is over: it ended with status 3: rank 1 exited with status 3");
        assertThatThrownBy(() -> JobFolder.create(path)).hasMessageContaining("name a new folder");
        assertThatThrownBy(() -> JobFolder.open(above)).hasMessageContaining("no job in");
    }

    /** As a launcher leaves it that dies at once. */
    @Test
    void aFolderWithoutAJobIsNotToBeDeletedAsItMayBeAnything() throws Exception {
        Path path = above.resolve("job");
        JobFolder.create(path).close();
        assertThat(JobFolder.isOne(path)).isFalse();
        assertThat(JobFolder.end(path)).isEmpty();
        assertThatThrownBy(() -> JobFolder.open(path)).hasMessageEndingWith("it has no job.json");
        assertThatThrownBy(() -> JobFolder.open(above.resolve("none"))).hasMessageEndingWith("posthouse run --folder " + above.resolve("none") + " begins one");
        assertThatThrownBy(() -> JobFolder.create(path)).hasMessageEndingWith("already, and no job in it: name a new folder");
    }

    @Test
    void folderProvidesJobEndAndShownOutput() throws Exception {
        Path path = left();
        assertThat(JobFolder.end(path)).isEmpty();
        try (JobFolder folder = JobFolder.open(path)) {
            folder.ended(3, "rank 1 exited");
        }
        assertThat(JobFolder.end(path)).contains(new JobStatusReport.End(3, "rank 1 exited", false));
        String longer = "x".repeat(OutputPump.LINE_BYTES_MAX);
        Files.writeString(path.resolve("rank-1.out"), "a\n\n" + longer + "yz\nb");
        assertThat(JobFolder.shown(path, 1, "out")).containsExactly("a", "", longer + "yz", "b");
        assertThat(JobFolder.shown(path, 0, "out")).isEmpty();
    }

    @Test
    void aFolderWhoseJobDidNotBeginGoes() throws Exception {
        Path path = above.resolve("job");
        JobFolder.create(path).delete();
        assertThat(path).doesNotExist();
    }
}
