package org.posthouse.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.Puppet;
import org.posthouse.launch.folder.JobFile;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.folder.JobRecords;
import org.posthouse.launch.folder.OutputJournals;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.mpj.Endpoints;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** What a rank's process is started with, and what its launcher writes down before it. */
class RankProcessTest {
    private final List<JobSignal> signals = new ArrayList<>();

    @TempDir
    private Path above;

    /** Its ranks are told from those that other tests start meanwhile by the folder that they are told. */
    private JobSpec spec(String... jvmFlags) {
        return spec(Map.of(), jvmFlags);
    }

    private JobSpec spec(Map<String, String> environment, String... jvmFlags) {
        return new JobSpec(
                "test", 2, List.of(Installation.jarOf(Puppet.class)), Puppet.class.getName(), List.of(above.toString()), List.of(jvmFlags), environment,
                Durability.PROCESS,
                RestartPolicy.DEFAULT);
    }

    private JobFolder folder() throws JobFailure {
        List<HomeRelay> homes = List.of(new HomeRelay("a", "a", "127.0.0.1:1"));
        JobOpen opening = new JobOpen(1, new Token(1, 2), Durability.PROCESS, false, "test", homes, new int[2], 60, true);
        JobFolder folder = JobFolder.create(above.resolve("job"));
        folder.describe(new JobFile(spec(), above, opening, Optional.empty(), Optional.empty()));
        return folder;
    }

    private ProcessRankHost host(JobFolder folder) throws IOException {
        RankOutput output = RankOutput.tagged(2, new PrintStream(new ByteArrayOutputStream()), new PrintStream(new ByteArrayOutputStream()));
        OutputJournals tapes = OutputJournals.in(folder, signals::add);
        JobRecords records = new JobRecords(2, true, folder, tapes, signals::add, output::tell);
        return new ProcessRankHost(
                spec(), new Token(1, 2), new LocalProcesses(spec(), 1, folder.job().folder()),
                (rank, incarnation) -> new RelayEndpointAddress("127.0.0.1:1", new Token(1, 2), false), output,
                tapes, null, records, signals::add);
    }

    /** A launcher that comes later would give its number to another process, which its relay could not tell from it. */
    @Test
    void noProcessIsStartedWhoseNumberIsNotWrittenDown() throws Exception {
        JobFolder folder = folder();
        folder.close();
        try (ProcessRankHost host = host(folder)) {
            assertThatThrownBy(() -> host.start(0, 1)).isInstanceOf(JobFailure.class)
                    .hasMessageContaining("the job's folder " + folder.path() + " cannot be written");
            assertThat(ProcessHandle.current().children().map(child -> child.info().commandLine().orElse("")))
                    .noneMatch(command -> command.contains(above.toString()));
        }
    }

    /** Else it would set the other rank's marks, in whose output its own comes. */
    @Test
    void nestedJobInheritsNoRestartVariables() {
        Map<String, String> environment = new HashMap<>(Map.of(Endpoints.PRINT_MARKS, "0123456789abcdef", Endpoints.RESTARTABLE, "yes", "HOME", "/"));
        LocalProcesses.sayWhatIsKept(environment, false, null);
        assertThat(environment).isEqualTo(Map.of("HOME", "/"));
        LocalProcesses.sayWhatIsKept(environment, true, "fedcba9876543210");
        assertThat(environment).isEqualTo(Map.of(Endpoints.PRINT_MARKS, "fedcba9876543210", Endpoints.RESTARTABLE, "yes", "HOME", "/"));
    }

    /** A JVM that is told two does not start. */
    @Test
    void aCollectorOfTheUsersTakesThePlaceOfOurs() {
        assertThat(LocalProcesses.command(spec("-Xmx2g"))).contains("-XX:+UseSerialGC");
        assertThat(LocalProcesses.command(spec("-XX:+UseParallelGC"))).contains("-XX:+UseParallelGC").doesNotContain("-XX:+UseSerialGC");
        assertThat(LocalProcesses.command(spec("@flags.txt"))).doesNotContain("-XX:+UseSerialGC");
    }

    /** One of 17 knows no AOT cache, and refuses to start with what is said of it. */
    @Test
    void anotherJavaGetsNoCacheOfThisOne() {
        List<String> command = LocalProcesses.command(spec(Map.of(Installation.RANK_JAVA_HOME, "/opt/jdk-17")));
        assertThat(command).startsWith("/opt/jdk-17/bin/java").noneMatch(word -> word.startsWith("-Xlog:aot"));
        assertThat(LocalProcesses.command(spec())).startsWith(Installation.java().toString());
    }
}
