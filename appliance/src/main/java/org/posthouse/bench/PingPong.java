package org.posthouse.bench;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.posthouse.launch.Installation;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.JobOutcome;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.JobSpec;
import org.posthouse.launch.RankOutput;
import org.posthouse.relay.EmbeddedGrid;
import org.posthouse.wire.Token;

/**
 * The ping-pong bench: round trips of two ranks through one relay, beside a raw one-hop TCP connection between the same
 * two processes and a bare Vert.x forwarder (two hops) in the relay's process. Everything is measured in one run,
 * interleaved.
 */
public final class PingPong {
    private PingPong() {}

    /**
     * One transport at one size.
     *
     * @param transport raw, forwarder or relay
     * @param bytes message size
     * @param medianMicros median round trip over all repetitions
     * @param p99Micros 99th percentile
     * @param medians the median of each repetition, in microseconds
     */
    public record Row(String transport, int bytes, double medianMicros, double p99Micros, List<Double> medians) {}

    /**
     * Measures; blocks for some seconds a size.
     *
     * @param watch is told of the job before it runs, so that an interrupt can end it
     */
    public static List<Row> run(List<Integer> sizes, int repetitions, boolean logged, Consumer<JobRun> watch)
            throws IOException, JobFailure, InterruptedException {
        Vertx vertx = EmbeddedGrid.vertx();
        Path samples = Files.createTempFile("posthouse-pingpong-", ".txt");
        try (EmbeddedGrid grid = EmbeddedGrid.start(vertx, 1, logged)) {
            Forwarder forwarder = new Forwarder();
            vertx.deployVerticle(forwarder).await();
            List<String> arguments = new ArrayList<>(List.of(
                    samples.toString(), Integer.toString(forwarder.port()), Integer.toString(repetitions)));
            sizes.forEach(size -> arguments.add(Integer.toString(size)));
            JobSpec spec = new JobSpec(
                    "bench:pingpong",
                    2,
                    List.of(Installation.jarOf(PingPongRank.class)),
                    PingPongRank.class.getName(),
                    arguments,
                    List.of(),
                    logged);
            JobRun job = JobRun.prepare(spec, grid.addresses(), 1, Token.NONE, RankOutput.tagged(2));
            watch.accept(job);
            JobOutcome outcome = job.run();
            if (!outcome.isSuccess()) {
                throw new JobFailure("the bench's job ended: " + outcome.cause());
            }
            return rows(Files.readAllLines(samples));
        } finally {
            vertx.close().await();
            Files.delete(samples);
        }
    }

    static List<Row> rows(List<String> lines) {
        Map<String, Histogram> all = new LinkedHashMap<>();
        Map<String, List<Double>> medians = new LinkedHashMap<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            String key = words[0] + " " + words[1];
            Histogram repetition = new Histogram(3);
            for (int i = 3; i < words.length; i++) {
                repetition.recordValue(Long.parseLong(words[i]));
            }
            all.computeIfAbsent(key, unseen -> new Histogram(3)).add(repetition);
            medians.computeIfAbsent(key, unseen -> new ArrayList<>()).add(repetition.getValueAtPercentile(50) / 1e3);
        }
        List<Row> rows = new ArrayList<>();
        all.forEach((key, histogram) -> rows.add(new Row(
                key.split(" ")[0],
                Integer.parseInt(key.split(" ")[1]),
                histogram.getValueAtPercentile(50) / 1e3,
                histogram.getValueAtPercentile(99) / 1e3,
                medians.get(key))));
        return rows;
    }

    /** The median, over repetitions, of the ratio of two rows' medians: what drifts between repetitions drops out. */
    public static double ratio(Row row, Row baseline) {
        double[] ratios = new double[row.medians().size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = row.medians().get(i) / baseline.medians().get(i);
        }
        Arrays.sort(ratios);
        int middle = ratios.length / 2;
        return ratios.length % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
    }
}
