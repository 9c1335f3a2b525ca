package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import mpi.MPI;
import mpi.MPIException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a rank's process, a real one, says of a program that does not come to its main method. */
@Timeout(120)
final class RankMainTest {
    /** Ends while its class is initialized. */
    public static final class Unready {
        static final int RANKS = Integer.parseInt("twelve");

        private Unready() {}

        /** The program. */
        public static void main(String[] args) {
            System.out.println("begins");
        }
    }

    /** The same, by an assertion. */
    public static final class Unsure {
        static {
            requireNothing();
        }

        private Unsure() {}

        private static void requireNothing() {
            throw new AssertionError("is not so");
        }

        /** The program. */
        public static void main(String[] args) {
            System.out.println("begins");
        }
    }

    /** Reads what mpirun would give it. */
    public static final class Reader {
        private Reader() {}

        /** The program. */
        public static void main(String[] args) throws IOException {
            System.out.println("read " + System.in.read());
            System.exit(0);
        }
    }

    /** Forgets Init. */
    public static final class Hasty {
        private Hasty() {}

        /** The program. */
        public static void main(String[] args) throws MPIException {
            System.out.println(MPI.COMM_WORLD.getRank());
        }
    }

    /** Has a word for what it does not catch. */
    public static final class Handles {
        private Handles() {}

        /** The program. */
        public static void main(String[] args) {
            Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
                System.out.println(thread.getName() + " failed: " + e.getMessage());
                throw new IllegalArgumentException(e);
            });
            throw new IllegalStateException("the fuse blew");
        }
    }

    /** As from a source file that declares no class, since Java 25. */
    static class Compact {
        private final String word = "made";

        void main() {
            System.out.println(word);
            System.exit(0);
        }
    }

    /** Two that could be meant. */
    static final class Heir extends Compact {
        void main(String[] args) {
            System.out.println("with " + args.length);
            System.exit(0);
        }
    }

    /** Nobody can make it. */
    static final class Unmade {
        private Unmade() {}

        void main(String[] args) {
            System.out.println("begins");
        }
    }

    /** Looks like a program. */
    static final class Hidden {
        private static void main(String[] args) {
            System.out.println("begins");
        }

        static int main() {
            return 0;
        }
    }

    private static String run(String program, int status, String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), RankMain.class.getName(), program));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(status);
        return output;
    }

    @Test
    void exceptionBeforeMainIsReportedLikeOneInMain() throws Exception {
        assertThat(run(Unready.class.getName(), 1))
                .startsWith("Exception in thread \"main\" java.lang.NumberFormatException: For input string: \"twelve\"")
                .contains("RankMainTest.java:");
        assertThat(run(Hasty.class.getName(), 1)).contains("posthouse: MPI.COMM_WORLD is null before MPI.Init: call that first");
        assertThat(run(Unsure.class.getName(), 1)).startsWith("Exception in thread \"main\" java.lang.AssertionError: is not so");
    }

    /** What that throws in its turn, and how that is said, is java's own. */
    @Test
    void programsUncaughtExceptionHandlerReceivesExceptionOfMain() throws Exception {
        assertThat(run(Handles.class.getName(), 1).lines())
                .containsExactly(
                        "main failed: the fuse blew",
                        "Exception: java.lang.IllegalArgumentException thrown from the UncaughtExceptionHandler in thread \"main\"");
    }

    /** That the launcher holds open to show that it lives is not the program's. */
    @Test
    void aProgramsInputIsEmptyAndNotTheLaunchers() throws Exception {
        assertThat(run(Reader.class.getName(), 0)).isEqualTo("read -1" + System.lineSeparator());
    }

    @Test
    void aProgramThatIsNotThereHasAStatusOfItsOwn() throws Exception {
        assertThat(run("No.Such", RankMain.STATUS_NO_PROGRAM)).startsWith("posthouse: no class No.Such on the class path ");
    }

    @Test
    void acceptsTheMainMethodsThatJavaAccepts() throws Exception {
        assertThat(run(Compact.class.getName(), 0)).isEqualToIgnoringNewLines("made");
        assertThat(run(Heir.class.getName(), 0)).isEqualToIgnoringNewLines("with 0");
        assertThat(run(Unmade.class.getName(), RankMain.STATUS_NO_PROGRAM)).contains("Unmade has a main method that is not static, and cannot be made");
        assertThat(run(Hidden.class.getName(), RankMain.STATUS_NO_PROGRAM)).contains("Hidden has no main method: expected static void main(String[])");
    }

    /** As {@code --jvm --module-path=…} may have it. */
    @Test
    void aProgramInAModuleThatKeepsItToItselfIsNone() throws Exception {
        String program = "sun.security.tools.keytool.Main";
        assertThat(run(program, RankMain.STATUS_NO_PROGRAM))
                .startsWith("posthouse: class " + program + " is in a package that its module java.base does not open: ");
    }

    /** Its main method can be called. */
    @Test
    void norIsOneWhoseObjectOnlyItsModuleMakes(@TempDir Path folder) throws Exception {
        Path module = Files.writeString(folder.resolve("module-info.java"), "module keeps { exports kept; }");
        Path program = Files.writeString(
                Files.createDirectory(folder.resolve("kept")).resolve("Program.java"),
                "package kept; public class Program { Program() {} public void main() {} }");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, module.toString(), program.toString())).isZero();
        assertThat(run("kept.Program", RankMain.STATUS_NO_PROGRAM, "--module-path", folder.toString(), "--add-modules", "keeps"))
                .startsWith("posthouse: class kept.Program is in a package that its module keeps does not open: ");
    }
}
