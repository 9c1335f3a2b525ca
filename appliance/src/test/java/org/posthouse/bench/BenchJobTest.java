package org.posthouse.bench;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.JobRun;
import org.posthouse.relay.EmbeddedGrid;
import org.posthouse.relay.ModeConfig;
import org.posthouse.relay.RelayConfig.Mode;
import org.posthouse.relay.SocketKind;

/** What a bench hears of a job that fails. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchJobTest {
    /** Ends something when the job is about to run. */
    private record Ending(Runnable end) implements BenchWatch {
        @Override
        public void onJob(JobRun job) {
            end.run();
        }

        @Override
        public void onStart(Runnable ending) {}

        @Override
        public void onPhase(String what, int done, int total) {}
    }

    @Test
    void aJobThatCannotBeStartedEndsTheBenchAndSaysWhy() throws Exception {
        Variant variant = new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "", Optional.empty());
        BenchPlan plan = new BenchPlan(List.of(Benchmark.BARRIER), 2, 1, 1, 1, List.of(1), List.of(variant), false, 1, 1, 1);
        Vertx vertx = EmbeddedGrid.vertx();
        try {
            EmbeddedGrid grid = EmbeddedGrid.start(vertx, 1, 1, false, ModeConfig.of(Mode.MULTIPLEXED));
            assertThatThrownBy(() -> BenchJob.start(plan, variant, grid.addresses(), Map.of(), new Ending(grid::close)))
                    .isInstanceOf(JobFailure.class)
                    .hasMessageContaining("the bench's job: ")
                    .hasMessageContaining("relay");
        } finally {
            vertx.close().await();
        }
    }
}
