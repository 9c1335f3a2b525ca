package org.posthouse.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.launch.JobSpec;
import org.posthouse.launch.Patience;
import org.posthouse.relay.ModeConfig;
import org.posthouse.relay.RelayConfig.Mode;

/** What {@code bench job} compares. */
class JobReportTest {
    @ParameterizedTest
    @CsvSource({"Time in seconds: 8.5E-4, 8.5E-4", "[0]  Time in Seconds = 12.5 s, 12.5", "Time in seconds: 3, 3", "Time: 3, NaN"})
    void aProgramSaysHowLongItTook(String line, double seconds) {
        assertThat(JobBench.told("[0] pi\n" + line + "\n")).isEqualTo(Double.valueOf(seconds));
    }

    private static ObjectNode report(double toldPlain, double toldLogged) {
        JobSpec job = new JobSpec("job", 1, List.of(), "Main", List.of(), List.of(), Map.of(), false, Patience.DEFAULT);
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
