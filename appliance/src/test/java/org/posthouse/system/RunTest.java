package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.install.Installation;
import org.posthouse.mpj.RankMain;

/** {@code posthouse run} with embedded relays. */
@Timeout(900)
class RunTest {
    /** The example of the P2P-MPI chapter (figure 1), with the loop's braces that print lost. */
    private static final String CHAPTER_PI =
            """
            import mpi.*;

            public class Pi {
                public static void main(String[] args) {
                    int rank, size, i;
                    double PI25DT = 3.141592653589793238462643;
                    double h, sum, x;
                    MPI.Init(args);
                    size = MPI.COMM_WORLD.Size();
                    rank = MPI.COMM_WORLD.Rank();
                    int[] n = new int[1];
                    double[] mypi = new double[1];
                    double[] pi = new double[1];
                    if (rank == 0)
                        n[0] = 1000000;
                    MPI.COMM_WORLD.Bcast(n, 0, 1, MPI.INT, 0);
                    h = 1.0 / (double) n[0];
                    sum = 0.0;
                    for (i = rank + 1; i <= n[0]; i += size) {
                        x = h * ((double) i - 0.5);
                        sum += (4.0 / (1.0 + x * x));
                    }
                    mypi[0] = h * sum;
                    MPI.COMM_WORLD.Reduce(mypi, 0, pi, 0, 1, MPI.DOUBLE, MPI.SUM, 0);
                    if (rank == 0) {
                        System.out.println("Pi is approximately " + pi[0]);
                        System.out.println("Error is " + (pi[0] - PI25DT));
                    }
                    MPI.Finalize();
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void runsProgramCompiledAgainstTheLibraryAloneOverTwoSites() throws Exception {
        Path source = Files.writeString(folder.resolve("Pi.java"), CHAPTER_PI);
        Path classes = Files.createDirectory(folder.resolve("classes"));
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", "17", "-cp", Installation.jarOf(RankMain.class).toString(), "-d",
                        classes.toString(), source.toString());
        assertThat(compiled).isZero();
        Path jar = folder.resolve("pi.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry("Pi.class"));
            out.write(Files.readAllBytes(classes.resolve("Pi.class")));
        }
        Command.Result result = Command.run(folder, "run", "-n", "4", "--sites", "2", "-cp", jar.toString(), "Pi");
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("[0] Pi is approximately 3.14159265358");
    }

    @Tag("long")
    @Test
    void jobOverTwoSitesVerifies() throws Exception {
        Command.Result result = Command.run(folder, "run", "-n", "4", "--sites", "2", "example:nas-is", "S");
        assertThat(result.out()).contains("[0] Verification: SUCCESSFUL");
        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
    }

    @Tag("long")
    @Test
    void loggedJobVerifiesAndLeavesNoFile() throws Exception {
        List<Path> before = list();
        Command.Result result =
                Command.run(folder, "run", "-n", "3", "--sites", "2", "--durability", "process", "example:heat", "48", "20");
        assertThat(result.out()).contains("Verification: SUCCESSFUL");
        assertThat(result.status()).isZero();
        assertThat(list()).isEqualTo(before);
    }

    @Tag("long")
    @Test
    void exampleReadsUserFileAndNamesItsErrors() throws Exception {
        Path file = Files.writeString(folder.resolve("lengths.csv"), "name;length\na;1\nb;2\nc;10\nd;11\n");
        String[] command = {"run", "-n", "3", "example:kmeans", "--input", file.toString(), "--separator", ";", "--k", "2"};
        Command.Result result = Command.run(folder, command);
        assertThat(result.out()).contains("2 rows around 1.50000", "2 rows around 10.5000", "inertia: 1.0000")
                .contains("Verification: SUCCESSFUL");
        assertThat(result.status()).isZero();

        Files.writeString(file, "name;length\na;1\nb;two\n");
        result = Command.run(folder, command);
        assertThat(result.err()).contains("lengths.csv: line 3, column 2 (length) is 'two', expected a number");
        assertThat(result.status()).isEqualTo(2);
    }

    private List<Path> list() throws Exception {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("posthouse-")).toList();
        }
    }
}
