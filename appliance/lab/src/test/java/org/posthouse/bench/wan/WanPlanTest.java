package org.posthouse.bench.wan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.posthouse.bench.BenchPlan;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.Phase;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.tunnel.Compression;
import org.posthouse.wan.WanProfile;

/** Which plans of {@code bench wan} are refused before anything is measured. */
class WanPlanTest {
    private static final Set<WanPart> ALL = Set.of(WanPart.values());

    private static WanPlan plan(WanProfile profile, double megabits, int bytes, double seconds, int phaseMs, Set<WanPart> parts) {
        return plan(profile, megabits, bytes, seconds, phaseMs, List.of(), parts);
    }

    private static WanPlan plan(WanProfile profile, double megabits, int bytes, double seconds, int phaseMs, List<JobSpec> jobs, Set<WanPart> parts) {
        return new WanPlan(
                profile, megabits, List.of(1), bytes, 4, seconds, true, List.of(false), 3, phaseMs, jobs, 3, parts, List.of(), Compression.NEVER,
                List.of(ProcessLayout.FREE));
    }

    private static void refused(ThrowingCallable plan, String why) {
        assertThatIllegalArgumentException().isThrownBy(plan).withMessage(why);
    }

    @Test
    void refusesImpossiblePlans() {
        refused(() -> plan(WanProfile.GRID5000, 0, 0, 0, 250, ALL), "0 bytes of a stream's message, expected 1 to 67108864");
        refused(() -> plan(WanProfile.GRID5000, 0, 1 << 20, 0, 0, ALL), "0 milliseconds a phase, expected 1 to 60000");
        for (double megabits : new double[] {1e-7, -1, 1e9, Double.NaN}) {
            refused(() -> plan(WanProfile.GRID5000, megabits, 1 << 20, 0, 250, ALL), megabits + " Mb/s, expected 1 to 100000");
        }
        for (double seconds : new double[] {-1, 1e9, Double.NaN}) {
            refused(() -> plan(WanProfile.GRID5000, 0, 1 << 20, seconds, 250, ALL), seconds + " s of a stream, expected more than 0, and 3600 at most");
        }
        refused(
                () -> plan(WanProfile.NONE, 0, 1 << 20, 0, 250, Set.of(WanPart.JOBS, WanPart.BESIDE)),
                "nothing to measure: without a network there are links alone, and no jobs or beside");
        refused(
                () -> plan(WanProfile.MODERN, 0, 1 << 20, 0, 250, Set.of(WanPart.JOBS)),
                "nothing to measure: the part is jobs, and there are none");
    }

    @Test
    void aJobNeedsARankAtEachSite() {
        List<JobSpec> jobs = List.of(new JobSpec("nas-cg", 3, List.of(), "NasCg", List.of(), List.of(), Map.of(), false, RestartPolicy.DEFAULT));
        refused(() -> plan(WanProfile.GRID5000, 0, 1 << 20, 0, 250, jobs, ALL), "3 ranks of job nas-cg, expected 4 to 1024");
        assertThat(plan(WanProfile.GRID5000, 0, 1 << 20, 0, 250, jobs, Set.of(WanPart.LINKS)).has(WanPart.JOBS)).isFalse();
        assertThat(plan(WanProfile.NONE, 0, 1 << 20, 0, 250, jobs, ALL).has(WanPart.JOBS)).isFalse();
    }

    @Test
    void aStreamThatHasTooManyWindowsIsRefusedBeforeItsSitesAreThere() {
        refused(
                () -> plan(WanProfile.GRID5000, 100, 1, 2, 250, Set.of(WanPart.LINKS)),
                "a stream has 6250000 windows of 4 messages of 1 bytes, expected at most 1000000: longer messages, more of them in a window, or less time");
        refused(() -> plan(WanProfile.MODERN, 8, 1, 0.1, 60_000, ALL),
                "a stream has 300250000 windows of 4 messages of 1 bytes, expected at most 1000000: longer messages, more of them in a window, or less time");
        assertThat(plan(WanProfile.MODERN, 80, 1 << 20, 0, 250, ALL).ofPair(WanProfile.MODERN.scaled(0.008).between("east", "west")).rounds())
                .as("6 s of 10 MB/s").isEqualTo(15);
        BenchPlan hour = plan(WanProfile.GRID5000, 0, 1 << 20, 3_600, 250, ALL).ofPair(WanProfile.GRID5000.between("rennes", "sophia"));
        Phase stream = new Phase(Phase.Work.MEASURE, Benchmark.STREAM, Carrier.RELAY, 1 << 20, 1);
        assertThat(hour.allowanceMs(stream)).as("an hour, four times").isBetween(121_000 + 4 * 3_600_000, 121_000 + 4 * 3_601_000);
    }
}
