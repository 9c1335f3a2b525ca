package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import mpi.MPI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Notice;

/** How a rank's process ends, a real one, while a line that it prints waits for the log. */
@Timeout(120)
final class EndingTest {
    private static final int ABORTED = 5;

    private final ScriptedRelay relay = new ScriptedRelay();
    private Process process;
    private Connection line;

    EndingTest() throws IOException {}

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

    @AfterEach
    void close() throws Exception {
        process.destroyForcibly().waitFor();
        line.close();
        relay.close();
    }

    /** Starts a program; its second line waits when this returns. */
    private void start(Class<?> program) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder builder = new ProcessBuilder(
                java, "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), RankMain.class.getName(), program.getName());
        builder.environment()
                .putAll(Map.of(
                        Endpoints.RELAY, relay.address(),
                        Endpoints.JOB, "%016x".formatted(ScriptedRelay.JOB),
                        Endpoints.RANK, "0",
                        Endpoints.TOKEN, "%032x".formatted(3),
                        Settings.RECONNECT_S, "0"));
        process = builder.start();
        line = relay.accept();
        line.hear(FrameType.HELLO);
        line.say(ScriptedRelay.welcome(1, true, 0, 0));
        ByteBuffer said = line.hearAny();
        while (ScriptedRelay.view(said).type() != FrameType.EVENTS) {
            said = line.hearAny();
        }
        assertThat(ScriptedRelay.view(said).flags()).isEqualTo(FrameView.ACK_NOW);
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

    /** The next process may observe something else, and prints that. */
    @ParameterizedTest
    @ValueSource(classes = {Prints.class, PrintsBesideCollective.class})
    void whatWaitsDoesNotLeaveWhenTheRelayIsGone(Class<?> program) throws Exception {
        start(program);
        relayGoes();
        requireEnd(Ending.STATUS_CONNECTION);
        assertThat(read(process.getInputStream()).strip()).isEqualTo("begins");
        assertThat(read(process.getErrorStream())).startsWith("rank 0: the connection to the relay at " + relay.address() + " broke: ");
    }

    /** The thread that hears of it needs the lock of a stream for nothing that it must do. */
    @Test
    void theEndOfTheJobEndsItAlthoughAnotherThreadPrints() throws Exception {
        start(PrintsBesideCollective.class);
        line.say(new Notice(ScriptedRelay.JOB, ABORTED, 1, "test").encode(FrameType.ABORT));
        requireEnd(ABORTED);
    }
}
