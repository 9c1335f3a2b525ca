package org.posthouse.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.posthouse.bench.affinity.MovableProcesses;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.affinity.Processors;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.carrier.PortForwarder;
import org.posthouse.bench.experiment.BackgroundJob;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.rank.BenchRank;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.Phase;
import org.posthouse.bench.rank.RankLine;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.relay.host.UserToken;

/**
 * One job of {@link BenchRank}s and the driver's connections to them, on loopback. The job runs on a thread of its own;
 * the rest is confined to the driver's. While no phase is under way its ranks wait and cost nothing, so that several
 * jobs can take turns.
 */
public final class BenchJob implements MovableProcesses, AutoCloseable {
    private final BenchPlan plan;
    private final BackgroundJob job;
    private final BenchWatch watch;
    private final ServerSocket server;
    private final RankLine[] lines;

    private BenchJob(BenchPlan plan, BackgroundJob job, BenchWatch watch, ServerSocket server) {
        this.plan = plan;
        this.job = job;
        this.watch = watch;
        this.server = server;
        this.lines = new RankLine[plan.ranks()];
    }

    /**
     * Starts the ranks and waits until all are connected.
     *
     * @param relays one address a relay
     * @param forwarders the port of each bare forwarder; empty without baselines
     * @param watch receives the job before it runs, so that an interrupt can end it
     * @throws JobFailure naming what went wrong; nothing is left running then
     */
    public static BenchJob start(
            BenchPlan plan, Variant variant, List<String> relays, Map<Carrier, Integer> forwarders, BenchWatch watch)
            throws IOException, JobFailure, InterruptedException {
        ServerSocket server = new ServerSocket(0, plan.ranks(), InetAddress.getLoopbackAddress());
        BenchJob job;
        try {
            JobSpec spec = spec(plan, variant, arguments(server.getLocalPort(), plan, variant, forwarders));
            JobRun run = JobRun.prepare(
                    spec, new PlacementRequest(relays, plan.sites(), plan.relaysPerSite(), UserToken.find()), RankOutput.tagged(plan.ranks()));
            job = new BenchJob(plan, BackgroundJob.start(run, watch, server), watch, server);
        } catch (JobFailure e) {
            server.close();
            throw e;
        }
        try {
            job.connect();
            return job;
        } catch (IOException | JobFailure | InterruptedException e) {
            job.close();
            throw e;
        }
    }

    private static List<String> arguments(int driver, BenchPlan plan, Variant variant, Map<Carrier, Integer> forwarders) {
        List<String> arguments = new ArrayList<>();
        arguments.add(Integer.toString(driver));
        arguments.add(Integer.toString(plan.pairs()));
        arguments.add(Integer.toString(plan.window()));
        arguments.add(Integer.toString(plan.rounds()));
        arguments.add(variant.buffers().name());
        forwarders.forEach((carrier, port) -> {
            arguments.add(carrier.name());
            arguments.add(port.toString());
        });
        return arguments;
    }

    private static JobSpec spec(BenchPlan plan, Variant variant, List<String> arguments) {
        return new JobSpec(
                "bench:" + variant.label(),
                plan.ranks(),
                List.of(Installation.jarOf(BenchRank.class)),
                BenchRank.class.getName(),
                arguments,
                List.of(),
                variant.environment(),
                variant.logged(),
                RestartPolicy.NONE);
    }

    private void connect() throws IOException, JobFailure, InterruptedException {
        try {
            for (int connected = 0; connected < lines.length; connected++) {
                RankLine line = RankLine.greet(server.accept());
                lines[line.rank()] = line;
            }
            server.close();
        } catch (IOException e) {
            throw job.ended("before its ranks were connected", e);
        }
    }

    /** Puts each rank where a layout has it. */
    @Override
    public void place(ProcessLayout layout, Processors processors) throws IOException, InterruptedException {
        for (RankLine line : lines) {
            processors.put(line.process(), layout.rank(line.rank(), lines.length));
        }
    }

    /**
     * Has the ranks do a phase, and waits for the last of them.
     *
     * @return the times that count, in nanoseconds, for each rank that has any
     * @throws JobFailure if a rank received something wrong, or the job ended
     */
    public List<long[]> perform(Phase phase, int[] ranks) throws JobFailure, InterruptedException {
        try {
            for (int rank : ranks) {
                lines[rank].ask(phase);
            }
            List<long[]> times = new ArrayList<>();
            for (int rank : ranks) {
                long[] nanos = lines[rank].answer(phase, plan.allowanceMs(phase));
                if (nanos.length > 0) {
                    times.add(nanos);
                }
            }
            return times;
        } catch (IOException e) {
            throw job.ended("during " + phase, e);
        }
    }

    /**
     * Connects the ranks of the one pair past the relays.
     *
     * @param road given where the second rank listens, makes a way there and says which port leads to it
     */
    public void connect(Carrier carrier, PortForwarder road) throws IOException, JobFailure, InterruptedException {
        int port = (int) perform(new Phase(Phase.Work.LISTEN, Benchmark.PINGPONG, carrier, 0, 0), new int[] {1}).getFirst()[0];
        perform(new Phase(Phase.Work.CONNECT, Benchmark.PINGPONG, carrier, road.to(port), 0), new int[] {0, 1});
    }

    /** Sees the ranks off. A failed end of the job is reported, and leaves its measurements valid. */
    public void finish() throws InterruptedException {
        try {
            leave();
        } catch (JobFailure e) {
            watch.onRemark(e.getMessage());
        }
    }

    private void leave() throws JobFailure, InterruptedException {
        try {
            for (RankLine line : lines) {
                line.ask(Phase.LEAVE);
            }
        } catch (IOException e) {
            throw job.ended("before its ranks were to leave", e);
        }
        JobOutcome end = job.await();
        if (!end.isSuccess()) {
            throw new JobFailure("the bench's job failed at its end: " + end.cause());
        }
    }

    /** Ends the job, if it has not ended, and waits until nothing of it is left. */
    @Override
    public void close() throws IOException {
        job.close();
        server.close();
        for (RankLine line : lines) {
            if (line != null) {
                line.close();
            }
        }
    }
}
