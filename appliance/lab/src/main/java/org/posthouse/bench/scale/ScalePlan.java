package org.posthouse.bench.scale;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.RangeCheck;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.relay.config.RelayConfig.Mode;

/**
 * The plan of {@code bench scale}: figures 4 to 9 of the relay paper.
 *
 * @param clients numbers of ranks, each even
 * @param relays numbers of relays, all of one site, over which the pairs are spread
 * @param modes the relays' modes
 * @param logged whether messages are logged, for each durability that is compared
 * @param sizes message sizes X in bytes
 * @param repetitions measured phases for each line of the report
 * @param phaseMs how long a phase takes, in milliseconds
 * @param processes number of processes over which the ranks are spread
 */
public record ScalePlan(
        List<Integer> clients,
        List<Integer> relays,
        List<Mode> modes,
        List<Boolean> logged,
        List<Integer> sizes,
        int repetitions,
        int phaseMs,
        int processes) implements Experiment<ScaleReport> {
    /** Processes that host the ranks, if nothing else is asked. */
    public static final int PROCESSES_DEFAULT = 2;

    private static final int CLIENTS_MAX = 1_024;
    private static final int RELAYS_MAX = 16;

    /** Most bytes in the buffers of all ranks together, two each. */
    private static final long BUFFER_BYTES_MAX = 4L << 30;

    /** @throws IllegalArgumentException if a number is out of its range, or no relay would have a pair */
    public ScalePlan {
        clients = List.copyOf(clients);
        relays = List.copyOf(relays);
        modes = List.copyOf(modes);
        logged = List.copyOf(logged);
        sizes = List.copyOf(sizes);
        for (int count : clients) {
            RangeCheck.check("clients", count, 2, CLIENTS_MAX);
            if (count % 2 != 0) {
                throw new IllegalArgumentException(count + " clients are no pairs, expected an even number");
            }
        }
        relays.forEach(count -> RangeCheck.check("relays", count, 1, RELAYS_MAX));
        RangeCheck.check("repetitions", repetitions, 1, 1_000);
        RangeCheck.check("milliseconds a phase", phaseMs, 1, 60_000);
        RangeCheck.check("processes", processes, 1, 64);
        int most = clients.stream().mapToInt(Integer::intValue).max().orElse(0);
        long largest = sizes.stream().mapToLong(Integer::longValue).max().orElse(0);
        if (2 * largest * most > BUFFER_BYTES_MAX) {
            throw new IllegalArgumentException(
                    largest + " bytes for each of " + most + " ranks, twice, expected at most " + BUFFER_BYTES_MAX + " together");
        }
        if (cells(clients, relays).isEmpty()) {
            throw new IllegalArgumentException(
                    "nothing to measure: " + relays + " relays for " + clients + " clients, expected a pair for each relay at least");
        }
    }

    /** One number of clients at one number of relays. */
    record Cell(int clients, int relays) {
        int pairs() {
            return clients / 2;
        }

        /** Which pair a rank belongs to: partners are half the ranks apart. */
        int pairOf(int rank) {
            return rank % pairs();
        }

        int partnerOf(int rank) {
            return isFirst(rank) ? rank + pairs() : rank - pairs();
        }

        /** Whether a rank sends first, and its time counts. */
        boolean isFirst(int rank) {
            return rank < pairs();
        }

        /** Which relay (or forwarder) carries a rank's messages: both partners' the same one. */
        int relayOf(int rank) {
            return pairOf(rank) % relays;
        }

        @Override
        public String toString() {
            return clients + " clients, " + relays + (relays == 1 ? " relay" : " relays");
        }
    }

    /** Every combination in which each relay has a pair. */
    List<Cell> cells() {
        return cells(clients, relays);
    }

    private static List<Cell> cells(List<Integer> clients, List<Integer> relays) {
        List<Cell> cells = new ArrayList<>();
        for (int count : clients) {
            for (int relayCount : relays) {
                if (relayCount <= count / 2) {
                    cells.add(new Cell(count, relayCount));
                }
            }
        }
        return cells;
    }

    /** The series to compare in every cell. */
    List<ScaleSeries> series() {
        List<ScaleSeries> series = new ArrayList<>();
        series.add(ScaleSeries.baseline(Carrier.RAW));
        series.add(ScaleSeries.baseline(Carrier.VERTX));
        series.add(ScaleSeries.baseline(Carrier.SELECTOR));
        for (Mode mode : modes) {
            logged.forEach(log -> series.add(ScaleSeries.relayed(mode, log)));
        }
        return series;
    }

    /** Which process hosts a rank: first partners are spread over the first processes, second ones over the others. */
    int processOf(Cell cell, int rank) {
        return (int) ((long) rank * processes / cell.clients());
    }

    /** Number of progress steps: a warm-up and the repetitions of every line of the report. */
    int phases() {
        return cells().size() * sizes.size() * series().size() * (1 + repetitions);
    }

    /** The longest message, in bytes. */
    int bytesMax() {
        return sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    }

    @Override
    public ScaleReport run(BenchWatch watch) throws IOException, JobFailure {
        return ScaleRun.measure(this, watch);
    }
}
