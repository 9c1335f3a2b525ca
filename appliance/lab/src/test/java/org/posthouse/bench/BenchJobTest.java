package org.posthouse.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.bench.wan.WanPart;
import org.posthouse.bench.wan.WanPlan;
import org.posthouse.bench.wan.WanReport;
import org.posthouse.bench.wan.WanRun;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.config.SocketKind;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.tunnel.Compression;
import org.posthouse.wan.WanProfile;
import org.posthouse.wan.WanShape;

/** What becomes of a bench whose job fails: before it has measured anything, between, and behind it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class BenchJobTest {
    private static final Variant VARIANT = new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "", Optional.empty());
    private static final BenchPlan PLAN =
            new BenchPlan(List.of(Benchmark.BARRIER, Benchmark.BCAST), 2, 1, 1, 1, List.of(1), List.of(VARIANT), false, 1, 1, 1);

    @TempDir
    private Path folder;

    /** Knows the job, and ends something when it is about to run or a phase begins. */
    public static class Watch implements BenchWatch {
        private final List<String> remarks = new ArrayList<>();
        private JobRun job;

        @Override
        public void onJob(JobRun running) {
            job = running;
        }

        @Override
        public void onStart(Runnable end) {}

        @Override
        public void onPhase(String what, int done, int total) {}

        @Override
        public void onRemark(String what) {
            remarks.add(what);
        }
    }

    @Test
    void aJobThatCannotBeStartedEndsTheBenchAndSaysWhy() throws Exception {
        Vertx vertx = EmbeddedGrid.vertx();
        try {
            EmbeddedGrid grid = EmbeddedGrid.start(vertx, 1, 1, false, ModeConfig.of(Mode.MULTIPLEXED));
            Watch closesTheRelay = new Watch() {
                @Override
                public void onJob(JobRun running) {
                    grid.close();
                }
            };
            assertThatThrownBy(() -> BenchJob.start(PLAN, VARIANT, grid.addresses(), Map.of(), closesTheRelay))
                    .isInstanceOf(JobFailure.class)
                    .hasMessageContaining("the bench's job: ")
                    .hasMessageContaining("relay");
        } finally {
            vertx.close().await();
        }
    }

    @Test
    void failedJobIsReported() throws Exception {
        Vertx vertx = EmbeddedGrid.vertx();
        Watch watch = new Watch();
        try (EmbeddedGrid grid = EmbeddedGrid.start(vertx, 1, 1, false, ModeConfig.of(Mode.MULTIPLEXED));
                BenchJob job = BenchJob.start(PLAN, VARIANT, grid.addresses(), Map.of(), watch)) {
            watch.job.stop(7, "enough");
            job.finish();
            assertThat(watch.remarks).singleElement().asString().contains("the bench's job").contains("enough");
        } finally {
            vertx.close().await();
        }
    }

    @Test
    void figuresMeasuredBeforeFailureAreReported() throws Exception {
        Watch stopsAtBcast = new Watch() {
            @Override
            public void onPhase(String what, int done, int total) {
                if (what.startsWith("bcast")) {
                    super.job.stop(7, "enough");
                }
            }
        };
        BenchReport report = BenchRun.measure(PLAN, stopsAtBcast);
        Path file = folder.resolve("figures.json");
        report.writeJson("", file);
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("failed").asText()).contains("the bench's job ended during bcast", "enough");
        assertThat(json.path("figures")).extracting(figure -> figure.path("test").asText()).containsExactly("barrier");
        assertThat(report.failed()).get().extracting(JobFailure::getMessage).isEqualTo(json.path("failed").asText());
    }

    @Tag("long")
    @Test
    void linksAreReportedThoughAJobOverThemFails() throws Exception {
        WanProfile near = new WanProfile("near", List.of("a", "b"), Map.of(List.of("a", "b"), WanShape.of(0.1, 400)));
        List<JobSpec> jobs = List.of(new JobSpec("none", 2, List.of(folder), "no.such.Program", List.of(), List.of(), Map.of(), false, RestartPolicy.DEFAULT));
        WanPlan plan = new WanPlan(
                near, 0, List.of(1), 64 << 10, 4, 0.1, false, List.of(false), 1, 1, jobs, 1, Set.of(WanPart.LINKS, WanPart.JOBS), List.of(),
                Compression.NEVER, List.of(ProcessLayout.FREE));
        WanReport report = WanRun.measure(plan, new Watch());
        Path file = folder.resolve("wan.json");
        report.writeJson("", file);
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("failed").asText()).startsWith("a run failed").contains("no.such.Program");
        assertThat(json.path("links").get(0).path("figures").findValuesAsText("test")).containsOnly("pingpong", "stream");
        assertThat(json.path("jobs")).isEmpty();
        assertThat(report.failed()).get().extracting(JobFailure::getMessage).isEqualTo(json.path("failed").asText());
    }
}
