package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.posthouse.examples.Examples;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.wire.Token;

/** The programs in {@code jobs} as the command line wants them, and a job that shows that a relay still runs jobs. */
final class Jobs {
    private Jobs() {}

    /** The folder that holds the test programs. */
    static String classPath() {
        return Installation.jarOf(Jobs.class).toString();
    }

    /** Processes that run ranks of these programs and are alive: children of {@code parent}. */
    static List<ProcessHandle> ranks(ProcessHandle parent) {
        return parent.descendants().filter(ProcessHandle::isAlive).toList();
    }

    /** The process of a rank of the launcher's job. */
    static ProcessHandle rank(Command job, int rank) {
        String mark = "\0POSTHOUSE_RANK=" + rank + "\0";
        return ranks(job.handle()).stream()
                .filter(process -> environment(process).contains(mark))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no process of rank " + rank + "; the job said " + job.out() + job.err()));
    }

    /** Its variables, a NUL before and behind each; none if it has ended. */
    static String environment(ProcessHandle process) {
        try {
            Path environ = Path.of("/proc", Long.toString(process.pid()), "environ");
            return "\0" + new String(Files.readAllBytes(environ), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // It has just ended: not the one that is looked for.
            return "";
        }
    }

    /** What the launcher itself told of this, a line each. */
    static List<String> told(Command.Result result, String word) {
        return result.err().lines().filter(line -> line.startsWith("posthouse: ") && line.contains(word)).toList();
    }

    /** A ring of two rank processes, launched from this JVM, must be whole. */
    static void assertRunsARing(Relays relay) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(said, true, StandardCharsets.UTF_8);
        JobSpec ring = new JobSpec(
                "example:ring", 2, List.of(Installation.jarOf(Examples.class)), Examples.mainClass("ring").orElseThrow(),
                List.of("5", "100"), List.of("-XX:TieredStopAtLevel=1"), Map.of(), false, RestartPolicy.DEFAULT);
        JobOutcome outcome = JobRun.prepare(ring, new PlacementRequest(List.of(relay.ranks()), 0, 0, Token.NONE), RankOutput.tagged(2, stream, stream))
                .run();
        assertThat(said.toString(StandardCharsets.UTF_8)).as(outcome.toString()).contains("Verification: SUCCESSFUL");
        assertThat(outcome.isSuccess()).as(outcome.toString()).isTrue();
    }
}
