package org.posthouse.bench.names;

import java.io.IOException;
import java.util.List;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.RangeCheck;
import org.posthouse.wan.WanShape;

/**
 * The plan of {@code bench names}.
 *
 * @param backEnds in the order of the tables
 * @param payloads bytes of one entry's value, in order
 * @param batches numbers of entries, in order
 * @param elections of each back end; 0: none
 * @param roundTripMs between front ends and back end
 * @param kilobitsPerSecond each way; 0: as many as the machine can
 * @param repetitions of each point
 */
public record NamesPlan(
        List<NamesBackEnd> backEnds,
        List<Integer> payloads,
        List<Integer> batches,
        int elections,
        double roundTripMs,
        int kilobitsPerSecond,
        int repetitions) implements Experiment<NamesReport> {
    /** Bytes of the value of each entry of a batch. */
    static final int BATCH_PAYLOAD = 100;

    private static final int POINTS_MIN = 3;
    private static final int PAYLOAD_MAX = 60_000;
    private static final int BATCH_MAX = 10_000;
    private static final int ELECTIONS_MAX = 10_000;
    private static final int KILOBITS_MAX = 10_000_000;
    private static final int REPETITIONS_MAX = 1_000;
    private static final double ROUND_TRIP_MS_MAX = 1_000;

    /** Checks the numbers. */
    public NamesPlan {
        backEnds = backEnds.stream().distinct().toList();
        payloads = payloads.stream().distinct().sorted().toList();
        batches = batches.stream().distinct().sorted().toList();
        payloads.forEach(each -> RangeCheck.check("bytes of payload", each, 1, PAYLOAD_MAX));
        batches.forEach(each -> RangeCheck.check("entries of a batch", each, 1, BATCH_MAX));
        checkPoints("payloads", payloads);
        checkPoints("batches", batches);
        RangeCheck.check("elections", elections, 0, ELECTIONS_MAX);
        RangeCheck.check("kbit/s", kilobitsPerSecond, 0, KILOBITS_MAX);
        RangeCheck.check("repetitions", repetitions, 1, REPETITIONS_MAX);
        if (!(roundTripMs >= 0 && roundTripMs <= ROUND_TRIP_MS_MAX)) {
            throw new IllegalArgumentException(roundTripMs + " ms of round trip, expected 0 to " + ROUND_TRIP_MS_MAX);
        }
    }

    /** A line through two points is always straight. */
    private static void checkPoints(String what, List<Integer> points) {
        if (points.size() < POINTS_MIN) {
            throw new IllegalArgumentException(points.size() + " different " + what + ", expected " + POINTS_MIN + " or more");
        }
    }

    WanShape way() {
        return WanShape.of(roundTripMs / 2, kilobitsPerSecond / 1e3);
    }

    @Override
    public NamesReport run(BenchWatch watch) throws IOException, InterruptedException {
        return NamesBench.measure(this, watch);
    }
}
