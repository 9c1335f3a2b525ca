package org.posthouse.bench.replicas;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.rank.BenchRank;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.bench.rank.Phase;
import org.posthouse.bench.rank.RankLine;
import org.posthouse.launch.install.RelayGrid;
import org.posthouse.launch.install.RelayProcess;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.wire.Durability;

/**
 * Two ranks of one degree that ping-pong when they are asked, over a relay of their own. Followers read a relay's whole log: with a
 * shared relay those of one degree would pay for the others. All processes, followers too, get the same orders over connections of their
 * own and answer when they have done them. Confined to the driver's thread.
 */
final class ReplicatedPair implements AutoCloseable {
    private static final int START_MS_MAX = 120_000;
    private static final int PHASE_MS_MAX = 300_000;

    private final int degree;
    private final RelayGrid relay;
    private final ServerSocket server;
    private final ReplicatedJob job;
    private final List<RankLine> lines = new ArrayList<>();

    private ReplicatedPair(int degree, Durability durability, RelayGrid relay, ServerSocket server, BenchWatch watch)
            throws IOException, JobFailure {
        this.degree = degree;
        this.relay = relay;
        this.server = server;
        List<String> arguments = List.of(Integer.toString(server.getLocalPort()), "1", "1", "1", BufferKind.DIRECT.name());
        this.job = ReplicatedJob.start(BenchRank.class, arguments, degree, durability, relay, watch, server);
    }

    /** Starts the relay and all processes, and waits until these are there. */
    static ReplicatedPair start(int degree, Durability durability, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        RelayGrid relay = ReplicatedJob.startRelay(watch);
        ServerSocket server = new ServerSocket();
        ReplicatedPair pair;
        try {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ReplicasPlan.RANKS * degree);
            server.setSoTimeout(START_MS_MAX);
            pair = new ReplicatedPair(degree, durability, relay, server, watch);
        } catch (IOException | JobFailure | RuntimeException e) {
            server.close();
            relay.close();
            throw e;
        }
        try {
            pair.connect();
            return pair;
        } catch (IOException | JobFailure | InterruptedException | RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    private void connect() throws IOException, JobFailure, InterruptedException {
        try {
            while (lines.size() < ReplicasPlan.RANKS * degree) {
                lines.add(RankLine.greet(server.accept()));
            }
            server.close();
        } catch (SocketTimeoutException e) {
            throw job.failure(
                    "of " + ReplicasPlan.RANKS * degree + " processes of a job with -r " + degree + " only " + lines.size() + " have started within "
                            + TimeUnit.MILLISECONDS.toSeconds(START_MS_MAX) + " s",
                    e);
        } catch (IOException e) {
            throw job.ended("before its processes were connected", e);
        }
    }

    int degree() {
        return degree;
    }

    /** Has all processes look at what they receive. */
    void check(int bytes) throws JobFailure, InterruptedException {
        perform(new Phase(Phase.Work.CHECK, Benchmark.PINGPONG, Carrier.RELAY, bytes, 2));
    }

    /** Has all processes do so many round trips. @return those of the first rank's leader, and what all processes have spent */
    PhaseResult measure(int bytes, int iterations) throws IOException, JobFailure, InterruptedException {
        CpuTimes before = spent();
        long[] nanos = perform(new Phase(Phase.Work.MEASURE, Benchmark.PINGPONG, Carrier.RELAY, bytes, iterations));
        return new PhaseResult(nanos, spent().minus(before));
    }

    private long[] perform(Phase phase) throws JobFailure, InterruptedException {
        try {
            for (RankLine line : lines) {
                line.ask(phase);
            }
            long[] nanos = {};
            for (RankLine line : lines) {
                long[] own = line.answer(phase, PHASE_MS_MAX);
                nanos = line.rank() == 0 && !line.follows() ? own : nanos;
            }
            return nanos;
        } catch (IOException e) {
            throw job.ended("during " + phase, e);
        }
    }

    private CpuTimes spent() throws IOException {
        double relays = 0;
        for (RelayProcess each : relay.relays()) {
            relays += ProcessorTime.micros(each.pid());
        }
        double leaders = 0;
        double followers = 0;
        for (RankLine line : lines) {
            double micros = ProcessorTime.micros(line.process());
            leaders += line.follows() ? 0 : micros;
            followers += line.follows() ? micros : 0;
        }
        return new CpuTimes(relays, leaders, followers);
    }

    /** Sees the processes off. @throws JobFailure if the job did not go as it was measured: a process was lost, or the job failed */
    void finish() throws JobFailure, InterruptedException {
        try {
            for (RankLine line : lines) {
                line.ask(Phase.LEAVE);
            }
        } catch (IOException e) {
            throw job.ended("before its processes were to leave", e);
        }
        JobOutcome end = job.await();
        if (!end.isSuccess() || !end.promotions().isEmpty() || !end.followersLost().isEmpty() || !end.restarts().isEmpty()) {
            throw job.failure("the job with -r " + degree + " did not run as it was to be measured: status " + end.status() + ", "
                    + end.promotions().size() + " promotions, " + end.restarts().size() + " restarts, " + end.followersLost().size()
                    + " followers lost" + (end.cause().isEmpty() ? "" : ": " + end.cause()), null);
        }
    }

    @Override
    public void close() throws IOException {
        job.close();
        server.close();
        for (RankLine line : lines) {
            line.close();
        }
        relay.close();
    }
}
