package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.agent.Agent;
import org.posthouse.launch.agent.AgentSettings;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.place.SiteRestriction;
import org.posthouse.launch.reserve.SlotLimits;
import org.posthouse.launch.stage.ContentStore;
import org.posthouse.ops.RelayView;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.host.UserToken;
import org.posthouse.status.RelayMetrics;

/** What staging carries: 100 MiB of a class path to six nodes at two sites. */
@Tag("long")
@Timeout(900)
class StagingFiguresTest {
    private static final int MIB = 1 << 20;
    private static final long BYTES = 100L * MIB;
    private static final int NODES = 6;
    private static final double OVERHEAD_MAX = 1.05;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void aClassPathCrossesToEachSiteOnceAndASecondRunSendsNothing() throws Exception {
        Path large = folder.resolve("large.bin");
        writeRandom(large);
        JobSpec spec = new JobSpec(
                "staging", NODES, List.of(compiled(), large), "Small", List.of(), List.of(), Map.of(), false, RestartPolicy.NONE);
        Vertx vertx = EmbeddedGrid.vertx();
        List<Agent> agents = new ArrayList<>();
        try (EmbeddedGrid grid = EmbeddedGrid.start(vertx, 2, 1, false, ModeConfig.of(RelayConfig.Mode.MULTIPLEXED))) {
            for (int node = 0; node < NODES; node++) {
                agents.add(agent(grid.addresses().get(node % 2), "n" + node));
            }
            await().atMost(PATIENCE).until(() -> grid.views().stream().mapToInt(view -> view.snapshot().nodes().size()).sum() == NODES);
            List<RelayClient> relays = List.of(
                    RelayClient.connect(grid.addresses().getFirst(), UserToken.find()), RelayClient.connect(grid.addresses().getLast(), UserToken.find()));
            double first = run(spec, grid, relays);
            List<RelayMetrics.Staging> after = nextStaging(grid);
            double second = run(spec, grid, relays);
            List<RelayMetrics.Staging> end = nextStaging(grid);
            System.out.printf("staging: %d MiB to %d nodes at 2 sites: %s, %.1f s; second run: %s, %.1f s%n", BYTES / MIB, NODES, after, first, end, second);
            assertThat(after).allSatisfy(site -> {
                assertThat(site.bytesIn()).as("from the launcher").isBetween(BYTES, (long) (OVERHEAD_MAX * BYTES));
                assertThat(site.bytesOut()).as("to three agents").isBetween(NODES / 2 * BYTES, (long) (OVERHEAD_MAX * NODES / 2 * BYTES));
            });
            assertThat(end).as("the second run").isEqualTo(after);
            relays.forEach(RelayClient::close);
        } finally {
            agents.forEach(Agent::close);
            vertx.close().await();
        }
    }

    private Path compiled() throws IOException {
        Path source = Files.writeString(
                folder.resolve("Small.java"), "public class Small { public static void main(String[] a) { mpi.MPI.Init(a); mpi.MPI.Finalize(); } }");
        Path classes = Files.createDirectory(folder.resolve("classes"));
        assertThat(ToolProvider.getSystemJavaCompiler().run(
                null, null, null, "-cp", System.getProperty("java.class.path"), "-d", classes.toString(), source.toString())).isZero();
        return classes;
    }

    private void writeRandom(Path file) throws IOException {
        byte[] block = new byte[MIB];
        Random random = new Random(1);
        try (var out = Files.newOutputStream(file)) {
            for (long written = 0; written < BYTES; written += MIB) {
                random.nextBytes(block);
                out.write(block);
            }
        }
    }

    private Agent agent(String relay, String name) throws IOException {
        Agent agent = new Agent(
                new AgentSettings(
                        relay, UserToken.find(), Optional.empty(), name, name, new SlotLimits(1, 1, 1), Map.of(), Set.of(), folder.resolve(name),
                        ContentStore.BYTES_DEFAULT),
                "test", line -> {});
        Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                agent.run();
            } catch (IOException e) {
                throw new AssertionError(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return agent;
    }

    /** The relays' counters. The second that is taken from now on was begun after all that has happened. */
    private static List<RelayMetrics.Staging> nextStaging(EmbeddedGrid grid) {
        for (int taken = 0; taken < 2; taken++) {
            List<RelayMetrics> seen = metrics(grid);
            await().atMost(PATIENCE).until(() -> {
                List<RelayMetrics> now = metrics(grid);
                return IntStream.range(0, now.size()).noneMatch(relay -> now.get(relay) == seen.get(relay));
            });
        }
        return metrics(grid).stream().map(RelayMetrics::staging).toList();
    }

    private static List<RelayMetrics> metrics(EmbeddedGrid grid) {
        return grid.views().stream().map(RelayView::metrics).toList();
    }

    /** Runs the job, and returns its seconds. All slots are free when it returns. */
    private static double run(JobSpec spec, EmbeddedGrid grid, List<RelayClient> relays) throws Exception {
        NodeRequest nodes = new NodeRequest(
                NodeRequest.Use.ALWAYS, AllocationRequest.Strategy.SPREAD, AllocationRequest.Numbering.SLOT, SiteRestriction.NONE, Map.of(), "", 0, Map.of(),
                NodeRequest.NODE_TIMEOUT_MS, List.of(), Optional.empty());
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream shown = new PrintStream(text, true);
        long since = System.nanoTime();
        JobOutcome outcome = JobRun.prepare(
                spec, new PlacementRequest(grid.addresses(), 2, 1, UserToken.find(), nodes), RankOutput.tagged(NODES, shown, shown)).run();
        System.out.print(text);
        double seconds = (System.nanoTime() - since) / 1e9;
        assertThat(outcome.status()).as(text.toString()).isZero();
        for (RelayClient relay : relays) {
            assertThat(relay.nodes()).as("the next job may start at once").allSatisfy(offer -> assertThat(offer.free()).isOne());
        }
        return seconds;
    }
}
