package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mpi.MPI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/** How a rank's process ends, a real one, while a line that it prints waits for the log. */
@Timeout(120)
final class ProcessExitTest {
    private static final int ABORTED = 5;

    private final ScriptedRelay relay = new ScriptedRelay();
    private Process process;
    private Connection line;

    ProcessExitTest() throws IOException {}

    /** Prints a line that follows from nothing, and one that the next process may print otherwise. */
    public static final class Prints {
        private Prints() {}

        /** The program. */
        public static void main(String[] args) {
            MPI.Init(args);
            System.out.println("begins");
            System.out.println("at " + MPI.Wtime());
        }
    }

    /** The same, while another thread of the process reads what its relay says. */
    public static final class PrintsBesideCollective {
        private PrintsBesideCollective() {}

        /** The program. */
        public static void main(String[] args) {
            MPI.Init(args);
            System.out.println("begins");
            MPI.COMM_WORLD.iBarrier();
            while (Thread.getAllStackTraces().values().stream().noneMatch(PrintsBesideCollective::reads)) {
                Thread.onSpinWait();
            }
            System.out.println("at " + MPI.Wtime());
        }

        private static boolean reads(StackTraceElement[] stack) {
            return Arrays.stream(stack).anyMatch(frame -> frame.getMethodName().equals("readFrames"));
        }
    }

    /** Waits, and then throws, in a process that can start no thread any more; one that it has goes on. */
    public static final class Crowded {
        private static final long ROOM_BYTES = 256L << 20;

        private Crowded() {}

        /** The program. Its thread stacks are longer than that room. */
        public static void main(String[] args) throws Exception {
            MPI.Init(args);
            new Thread(LockSupport::park).start();
            Matcher used = Pattern.compile("VmSize:\\s+(\\d+) kB").matcher(Files.readString(Path.of("/proc/self/status")));
            used.find();
            String bytes = Long.toString((Long.parseLong(used.group(1)) << 10) + ROOM_BYTES);
            new ProcessBuilder("prlimit", "--pid", Long.toString(ProcessHandle.current().pid()), "--as=" + bytes).start().waitFor();
            try {
                new Thread(LockSupport::park).start();
            } catch (OutOfMemoryError full) {
                MPI.COMM_WORLD.Recv(new byte[1], 0, 1, MPI.BYTE, 1, 7);
                throw new IllegalStateException("received", full);
            }
        }
    }

    @AfterEach
    void close() throws Exception {
        process.destroyForcibly().waitFor();
        if (line != null) {
            line.close();
        }
        relay.close();
    }

    /** Starts a program; its second line waits when this returns. */
    private void start(Class<?> program) throws Exception {
        start(program, true);
        ByteBuffer said = line.hearAny();
        while (ScriptedRelay.view(said).type() != FrameType.EVENTS) {
            said = line.hearAny();
        }
        assertThat(ScriptedRelay.view(said).flags()).isEqualTo(FrameView.ACK_NOW);
    }

    private void start(Class<?> program, boolean logged, String... flags) throws Exception {
        launch(program, flags);
        line = relay.accept();
        line.hear(FrameType.HELLO);
        line.say(ScriptedRelay.welcome(1, logged, 0, 0));
    }

    private void launch(Class<?> program, String... flags) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java, "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), RankMain.class.getName(), program.getName()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .putAll(Map.of(
                        Endpoints.RELAY, relay.address(),
                        Endpoints.JOB, "%016x".formatted(ScriptedRelay.JOB),
                        Endpoints.RANK, "0",
                        Endpoints.TOKEN, ScriptedRelay.TOKEN.hex(),
                        Settings.RECONNECT_S, "0"));
        process = builder.start();
    }

    private void requireEnd(int status) throws Exception {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(process.exitValue()).isEqualTo(status);
    }

    private static String read(InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }

    private void relayGoes() throws IOException {
        relay.shut();
        line.close();
    }

    /** In any job: there is nothing that the program could do. */
    @Test
    void unreachableRelayInInitEndsProcessWithOneLine() throws Exception {
        relay.shut();
        launch(Prints.class);
        requireEnd(ExitStatuses.CONNECTION);
        assertThat(read(process.getErrorStream()).lines())
                .containsExactly("rank 0: cannot reach the relay at " + relay.address() + ": Connection refused");
    }

    /** The next process may observe something else, and prints that. */
    @ParameterizedTest
    @ValueSource(classes = {Prints.class, PrintsBesideCollective.class})
    void gatedOutputIsDiscardedWhenTheRelayIsLost(Class<?> program) throws Exception {
        start(program);
        relayGoes();
        requireEnd(ExitStatuses.CONNECTION);
        assertThat(read(process.getInputStream()).strip()).isEqualTo("begins");
        assertThat(read(process.getErrorStream())).startsWith("rank 0: the connection to the relay at " + relay.address() + " broke: ");
    }

    /** The thread that hears of it needs the lock of a stream for nothing that it must do. */
    @Test
    void theEndOfTheJobEndsItAlthoughAnotherThreadPrints() throws Exception {
        start(PrintsBesideCollective.class);
        line.say(new CloseNotice(ScriptedRelay.JOB, ABORTED, 1, "test").encode(FrameType.ABORT));
        requireEnd(ABORTED);
    }

    /** Neither the words for people nor the time limit of the last word, which have threads of their own, are the program's need. */
    @Test
    void aProcessThatCanStartNoThreadReceivesAndEnds() throws Exception {
        start(Crowded.class, false, "-Xss512m");
        ByteBuffer post = line.hear(FrameType.POST);
        line.say(ScriptedRelay.delivered(post, 1, new byte[1], 1));
        assertThat(CloseNotice.decode(line.hear(FrameType.ABORT)).text()).isEqualTo("threw java.lang.IllegalStateException: received");
        requireEnd(1);
    }
}
