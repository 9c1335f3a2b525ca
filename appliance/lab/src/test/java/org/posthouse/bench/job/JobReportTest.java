package org.posthouse.bench.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.bench.BenchJobTest;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig.Mode;

/** What {@code bench job} compares. */
class JobReportTest {
    @ParameterizedTest
    @CsvSource({"Time in seconds: 8.5E-4, 8.5E-4", "[0]  Time in Seconds = 12.5 s, 12.5", "Time in seconds: 3, 3", "Time: 3, NaN",
        "'Time in seconds: 1,234', NaN",
        "'Time in seconds: 12,5', NaN", "'Time in seconds: 2.5, 4 ranks', 2.5"})
    void parsesRunTimePrintedByProgram(String line, double seconds) {
        assertThat(TimedJob.told("[0] pi\n" + line + "\n")).isEqualTo(Double.valueOf(seconds));
    }

    /** Has no use for other ranks. */
    static final class Alone {
        private Alone() {}

        public static void main(String[] args) {
            System.out.println("Time in seconds: 1");
        }
    }

    @Test
    void aJobWhoseRanksNeverCallInitIsNotMeasured() {
        JobSpec job = new JobSpec(
                "alone", 1, List.of(Installation.jarOf(JobReportTest.class)), Alone.class.getName(), List.of(), List.of(), Map.of(), false,
                RestartPolicy.DEFAULT);
        assertThatThrownBy(() -> JobBench.measure(new JobPlan(job, 1, 1, ModeConfig.of(Mode.MULTIPLEXED), List.of(false), 1), new BenchJobTest.Watch()))
                .isInstanceOf(JobFailure.class)
                .hasMessageContaining("not every rank has called Init")
                .hasMessageContaining("Time in seconds: 1");
    }

    private static ObjectNode report(double toldPlain, double toldLogged) {
        JobSpec job = new JobSpec("job", 1, List.of(), "Main", List.of(), List.of(), Map.of(), false, RestartPolicy.DEFAULT);
        JobPlan plan = new JobPlan(job, 1, 1, ModeConfig.of(Mode.MULTIPLEXED), List.of(false, true), 1);
        JobTimes plain = new JobTimes(false);
        plain.add(2, toldPlain);
        JobTimes logged = new JobTimes(true);
        logged.add(3, toldLogged);
        ObjectNode report = new ObjectMapper().createObjectNode();
        new JobReport(plan, List.of(plain, logged)).addTo(report);
        return report;
    }

    @Test
    void aTimeOfNothingIsNotComparedNorOneThatNotAllHave() {
        assertThat(report(1, 4).at("/figures/1/timesFirst").asDouble()).isEqualTo(4);
        assertThat(report(0, 4).at("/figures/1/timesFirst").asDouble()).isEqualTo(1.5);
        assertThat(report(1, 0).at("/figures/1/timesFirst").asDouble()).isEqualTo(1.5);
        assertThat(report(1, Double.NaN).at("/figures/1/medianSeconds").asDouble()).isEqualTo(3);
    }
}
