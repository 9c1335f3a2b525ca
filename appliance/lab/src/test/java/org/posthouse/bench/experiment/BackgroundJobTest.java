package org.posthouse.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.bench.BenchJobTest;
import org.posthouse.bench.rank.BenchRank;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.host.UserToken;

/** Words for the broken connection of a job's process. The rank waits for orders, and gets none. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackgroundJobTest {
    private static final IOException SYMPTOM = new IOException("Connection reset");

    private final Vertx vertx = EmbeddedGrid.vertx();
    private EmbeddedGrid grid;
    private ServerSocket server;
    private JobRun run;
    private BackgroundJob job;
    private Socket rank;

    @BeforeEach
    void startJob() throws Exception {
        grid = EmbeddedGrid.start(vertx, 1, 1, false, ModeConfig.of(Mode.MULTIPLEXED));
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        List<String> arguments = List.of(Integer.toString(server.getLocalPort()), "1", "1", "1", BufferKind.DIRECT.name());
        JobSpec spec = new JobSpec(
                "waits", 1, List.of(Installation.jarOf(BenchRank.class)), BenchRank.class.getName(), arguments, List.of(), Map.of(), false,
                RestartPolicy.NONE);
        run = JobRun.prepare(spec, new PlacementRequest(grid.addresses(), 1, 1, UserToken.find()), RankOutput.tagged(1));
        job = BackgroundJob.start(run, new BenchJobTest.Watch(), server);
        rank = server.accept();
    }

    @AfterEach
    void endJob() throws Exception {
        job.close();
        rank.close();
        grid.close();
        vertx.close().await();
    }

    @Test
    void brokenConnectionIsReportedWhileTheJobGoesOn() throws Exception {
        assertThat(job.ended("during a phase", SYMPTOM))
                .hasMessage("a process of the bench's job ended during a phase (Connection reset), and the job still ran 10 s later")
                .hasCause(SYMPTOM);
        assertThat(job.isOver()).isFalse();
    }

    @Test
    void endOfTheJobIsReportedWithItsCause() throws Exception {
        run.stop(7, "enough");
        assertThat(job.ended("during a phase", SYMPTOM)).hasMessage("the bench's job ended during a phase: enough").hasCause(SYMPTOM);
        assertThatThrownBy(server::accept).as("nobody waits for ranks any more").isInstanceOf(SocketException.class);
    }
}
