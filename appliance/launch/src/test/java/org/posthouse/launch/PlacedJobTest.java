package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.folder.JobFile;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.place.JobNodes;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.stage.JobContent;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** Homes of a job's ranks. */
class PlacedJobTest {
    @Test
    void refusesJobWhoseOpeningExceedsOneFrame() {
        List<HomeRelay> homes = IntStream.range(0, 400).mapToObj(i -> new HomeRelay("here", "here/" + i, "h".repeat(255))).toList();
        assertThatExceptionOfType(JobFailure.class)
                .isThrownBy(() -> PlacedJob.requireRoom(new JobOpen(1, Token.NONE, false, "pi", homes, new int[400])))
                .withMessage("a job of 400 ranks at 400 relays cannot be opened: JOB_OPEN of more than 65536 bytes: too many channels, relays or ranks"
                        + " for one frame; use fewer relays (--relays-per-site) or fewer ranks");
    }

    /** Another program would not send again what the ranks have sent. */
    @Test
    void refusesToContinueWithOtherFilesThanTheJobBeganWith(@TempDir Path folder) throws Exception {
        Path jar = Files.writeString(folder.resolve("a.jar"), "one");
        JobSpec spec = new JobSpec("a", 1, List.of(Path.of("a.jar")), "Main", List.of(), List.of(), Map.of(), true, RestartPolicy.DEFAULT);
        JobOpen opening = new JobOpen(1, new Token(1, 2), true, "a", List.of(new HomeRelay("a", "a", "h:1")), new int[1]);
        List<String> names;
        try (JobContent content = JobContent.of(List.of(jar), List.of())) {
            names = content.names();
        }
        JobFile file = new JobFile(spec, folder, opening, Optional.empty(), Optional.of(new JobNodes(NodeRequest.LOCAL, new Token(3, 4), names)));
        PlacedJob.left(file).content().close();
        Files.writeString(jar, "two");
        assertThatExceptionOfType(JobFailure.class)
                .isThrownBy(() -> PlacedJob.left(file))
                .withMessage("the job's files are not those that it began with: " + names.getFirst()
                        + " is missing; put them back, or end the job with posthouse resume --end");
    }
}
