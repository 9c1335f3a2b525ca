package org.posthouse.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import mpi.Intracomm;
import mpi.MPI;

/**
 * Finds k clusters in the rows of a file of comma-separated values: k-means++ seeds, then Lloyd's algorithm.
 *
 * <p>Rank 0 reads the file and scatters its rows; each rank assigns its own rows to centroids, and one reduction an
 * iteration adds up what all found. At the end rank 0, which has all rows, computes inertia and sizes once more alone:
 * for the bundled file the whole way from the seeds, for other ones with the last centroids.
 *
 * <p>Arguments: {@code [--input FILE] [--k K] [--columns NAMES] [--separator C] [--seed S] [--iterations MAX]}.
 * Without a file it takes Fisher's irises, which come with it; k is 3, the columns are those that have numbers in the
 * first row.
 */
public final class KMeans {

    private static final int ROOT = 0;
    private static final String PROGRAM = "kmeans";
    private static final String IRISES = "iris.csv";
    private static final int IRIS_K = 3;
    private static final double IRIS_INERTIA = 78.85144142614601;
    private static final int TALLY_MAX = 1 << 27;
    private static final double EPSILON = 1e-9;

    /** What rank 0 was asked to do, and the rows it read. */
    private record Task(String source, Table table, int k, long seed, int iterationsMax, boolean isBundled) {}

    private KMeans() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        Intracomm comm = MPI.COMM_WORLD;
        Task task = comm.Rank() == ROOT ? readTask(words) : null;

        long[] shape = new long[5];
        if (task != null) {
            shape = new long[] {
                task.table().rows(), task.table().columns(), task.k(), task.seed(), task.iterationsMax()
            };
        }
        comm.Bcast(shape, 0, shape.length, MPI.LONG, ROOT);
        int columns = (int) shape[1];
        int k = (int) shape[2];
        double[] rows = scatter(comm, task == null ? new double[0] : task.table().values(), (int) shape[0], columns);

        Stopwatch watch = Stopwatch.start(comm);
        double[] seeds = Seeding.choose(comm, rows, columns, k, shape[3]);
        if (task != null && seeds.length < k * columns) {
            throw Report.refuse(PROGRAM, task.source() + ": there are only " + seeds.length / columns
                    + " different rows, give --k of at most that");
        }
        Lloyd lloyd = new Lloyd(rows, columns, seeds);
        lloyd.run((int) shape[4], own -> AllSum.of(comm, own));
        double seconds = watch.slowest();

        if (task != null) {
            report(task, lloyd, comm.Size(), seconds);
            Report.verdict(agrees(task, lloyd, seeds));
        }
        MPI.Finalize();
    }

    private static Task readTask(String[] words) {
        try {
            Options options = new Options(
                    words, "--input", "--k", "--columns", "--separator", "--seed", "--iterations");
            String source = options.text("--input").orElse(IRISES);
            Table table = readTable(options, source);
            int k = (int) options.number("--k", IRIS_K, 1, Math.min(table.rows(), TALLY_MAX / (table.columns() + 1)));
            long seed = options.number("--seed", 1, 0, Integer.MAX_VALUE);
            int iterationsMax = (int) options.number("--iterations", 1000, 1, Integer.MAX_VALUE);
            return new Task(source, table, k, seed, iterationsMax, words.length == 0);
        } catch (IllegalArgumentException e) {
            throw Report.refuse(PROGRAM, e.getMessage());
        }
    }

    private static Table readTable(Options options, String source) {
        String separator = options.text("--separator").orElse(",");
        if (separator.length() != 1 || "\"\r\n".contains(separator)) {
            throw new IllegalArgumentException("--separator is '" + separator + "', expected one character, such as ;");
        }
        try (Reader text = open(options.isGiven("--input"), source)) {
            return Table.read(text, separator.charAt(0), options.text("--columns").orElse(null));
        } catch (IOException | IllegalArgumentException e) {
            throw Report.unusable(source, e);
        }
    }

    private static Reader open(boolean isFile, String source) throws IOException {
        if (isFile) {
            return Files.newBufferedReader(Path.of(source));
        }
        InputStream bundled = KMeans.class.getResourceAsStream(source);
        return new InputStreamReader(bundled, StandardCharsets.UTF_8);
    }

    /** Gives every rank its share of the rows that rank 0 has. */
    static double[] scatter(Intracomm comm, double[] all, int rows, int columns) {
        Partition shares = new Partition(rows, comm.Size());
        double[] own = new double[shares.count(comm.Rank()) * columns];
        comm.Scatterv(
                all, 0, shares.counts(columns), shares.displacements(columns), MPI.DOUBLE,
                own, 0, own.length, MPI.DOUBLE, ROOT);
        return own;
    }

    private static void report(Task task, Lloyd lloyd, int ranks, double seconds) {
        Table table = task.table();
        Report.line("%s: %d rows, columns %s", task.source(), table.rows(), String.join(", ", table.names()));
        Report.line("%d clusters, %d iterations%s, %d ranks, %.3f s",
                lloyd.clusters(), lloyd.iterations(), lloyd.isAtRest() ? "" : " (not at rest yet)", ranks, seconds);
        for (int cluster = 0; cluster < lloyd.clusters(); cluster++) {
            int at = cluster * table.columns();
            String centroid = Arrays.stream(lloyd.centroids(), at, at + table.columns())
                    .mapToObj(value -> String.format(Locale.ROOT, "%.6g", value))
                    .collect(Collectors.joining(" "));
            Report.line("cluster %d: %d rows around %s", cluster + 1, lloyd.size(cluster), centroid);
        }
        Report.line("inertia: %.12g", lloyd.inertia());
    }

    /** Whether rank 0 alone finds the same; for the bundled file, whether it is also what is known of it. */
    private static boolean agrees(Task task, Lloyd found, double[] seeds) {
        double[] start = task.isBundled() ? seeds : found.centroids();
        Lloyd alone = new Lloyd(task.table().values(), task.table().columns(), start);
        alone.run(task.isBundled() ? task.iterationsMax() : 1, UnaryOperator.identity());
        boolean agrees = isClose(found.inertia(), alone.inertia());
        for (int cluster = 0; cluster < found.clusters(); cluster++) {
            agrees &= found.size(cluster) == alone.size(cluster);
        }
        return agrees && (!task.isBundled() || isClose(found.inertia(), IRIS_INERTIA));
    }

    private static boolean isClose(double actual, double expected) {
        return Math.abs(actual - expected) <= EPSILON * Math.abs(expected);
    }
}
