package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.examples.Examples;
import org.posthouse.keys.RelayId;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.wire.Token;

/** A relay that comes back and reads its log for longer than its job would wait if nobody answered. Real ranks, and a relay in this process. */
@Timeout(300)
class LongLogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration RELAY_TIMEOUT = Duration.ofSeconds(1);

    /** The threads that open logs: one, so that the test can keep it busy. */
    private static final String READERS = "readers";

    @TempDir
    private Path folder;

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final MemoryDirectory directory = new MemoryDirectory();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CompletableFuture<JobOutcome> outcome = new CompletableFuture<>();
    private final CountDownLatch read = new CountDownLatch(1);

    @AfterEach
    void close() {
        read.countDown();
        vertx.close().await();
        directory.close();
    }

    @Tag("long")
    @Test
    void theJobGoesOnWhenTheLogIsRead() throws Exception {
        int port = Relays.freePort();
        Relay first = relay(port);
        vertx.deployVerticle(first).await();
        Thread.ofVirtual().start(() -> run(first.address()));
        await().atMost(PATIENCE).until(() -> first.view().snapshot().counters().traffic().messagesOut() > 100 || outcome.isDone());
        vertx.undeploy(first.deploymentID()).await();

        WorkerExecutor readers = vertx.createSharedWorkerExecutor(READERS, 1);
        readers.executeBlocking(() -> {
            read.await();
            return null;
        });
        Relay second = relay(port);
        vertx.deployVerticle(second, new DeploymentOptions().setWorkerPoolName(READERS).setWorkerPoolSize(1))
                .onFailure(outcome::completeExceptionally);
        await().atMost(PATIENCE).until(() -> text(err).contains("RELAY_STARTING: relay here is starting: it recovers what is in its log") || outcome.isDone());
        await().atMost(PATIENCE).during(RELAY_TIMEOUT.multipliedBy(2)).until(() -> !outcome.isDone());
        assertThat(second.view().readiness().reasons()).isNotEmpty();
        read.countDown();

        assertThat(outcome.get().isSuccess()).as(text(err)).isTrue();
        assertThat(text(out)).containsOnlyOnce("Verification: SUCCESSFUL");
        assertThat(text(err)).containsOnlyOnce("RELAY_STARTING").contains("relay here is back after").doesNotContain("restarted");
    }

    private Relay relay(int port) {
        return new Relay(RelayConfig.loopback(RelayId.parse("here"), port).withLog(folder), directory);
    }

    private void run(String relay) {
        JobSpec ring = new JobSpec(
                "example:ring", 2, List.of(Installation.jarOf(Examples.class)), Examples.mainClass("ring").orElseThrow(), List.of("20000", "1000"),
                List.of("-XX:TieredStopAtLevel=1"), Map.of(), true, new RestartPolicy(3, RELAY_TIMEOUT.toMillis()));
        RankOutput output = RankOutput.tagged(2, new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            outcome.complete(JobRun.prepare(ring, new PlacementRequest(List.of(relay), 0, 0, Token.NONE), output).run());
        } catch (Exception e) {
            outcome.completeExceptionally(e);
        }
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }
}
