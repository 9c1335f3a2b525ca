package org.posthouse.bench.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.bench.experiment.Report;
import org.posthouse.wire.Durability;

/** The figures of {@code bench replicas}: what is compared with what. */
class ReplicasReportTest {
    @TempDir
    private Path folder;

    private static PhaseResult phase(long nanos, double relay, double leaders, double followers) {
        return new PhaseResult(new long[] {nanos, nanos, 50 * nanos}, new CpuTimes(relay, leaders, followers));
    }

    private static JsonNode json(Report report) {
        ObjectNode node = new ObjectMapper().createObjectNode();
        report.addTo(node);
        return node;
    }

    /** The machine is three times as slow in the second turn. */
    private static ReplicasReport report() {
        ReplicasFigure one = new ReplicasFigure(64, 1);
        ReplicasFigure two = new ReplicasFigure(64, 2);
        one.add(phase(100_000, 60, 30, 0));
        two.add(phase(110_000, 90, 30, 30));
        one.add(phase(300_000, 60, 30, 0));
        two.add(phase(330_000, 90, 30, 60));
        ReplicasPlan plan = new ReplicasPlan(List.of(2, 1), List.of(64), Durability.PROCESS, 2, 10);
        return new ReplicasReport(plan, List.of(one, two), new MachineLoad(1, 2));
    }

    @Test
    void aDegreeIsComparedWithThePhasesOfOneProcessThatWereInItsTurn() {
        JsonNode two = json(report()).path("figures").path(1);
        assertThat(two.path("timesOne").asDouble()).isCloseTo(1.1, offset(1e-9));
        assertThat(two.path("medianMicros").asDouble()).isCloseTo(220, offset(1e-9));
    }

    @Test
    void processorTimeIsThatOfAllProcessesForOneRoundTrip() {
        JsonNode two = json(report()).path("figures").path(1);
        assertThat(two.path("roundTrips").asInt()).isEqualTo(6);
        assertThat(two.path("cpuMicros").asDouble()).isCloseTo(330.0 / 6, offset(1e-9));
        assertThat(two.path("cpuTimesOne").asDouble()).isCloseTo(330.0 / 180, offset(1e-9));
        assertThat(two.path("cpuMicrosFollowers").asDouble()).isCloseTo(15, offset(1e-9));
    }

    @Test
    void thePictureHasALineForEachDegreeInBothPanels() throws Exception {
        Path file = folder.resolve("replicas.svg");
        report().writePlot(file);
        assertThat(Files.readString(file)).contains("r=1", "r=2", "processor time", "2 processors, load 1.0 before and 2.0 after");
    }

    @Test
    void pausesAreComparedKillByKill() throws Exception {
        PausePlan plan = new PausePlan(List.of(1, 2), Durability.PROCESS, 2);
        Map<Integer, List<PauseSample>> samples = Map.of(
                1, List.of(new PauseSample(200, 10, 100, 500), new PauseSample(800, 10, 500, 500)),
                2, List.of(new PauseSample(20, 5, 0, 1), new PauseSample(160, 9, 0, 3)));
        PauseReport report = new PauseReport(plan, samples, new MachineLoad(1, 2));
        JsonNode all = json(report);
        all.path("pauses").forEach(line -> {
            boolean isOne = line.path("degree").asInt() == 1;
            assertThat(line.path("medianMs").asDouble()).isEqualTo(isOne ? 500 : 90);
            assertThat(line.path("timesOne").asDouble()).isCloseTo(isOne ? 1 : 0.15, offset(1e-9));
            assertThat(line.path("samples")).hasSize(2);
        });
        Path file = folder.resolve("pause.svg");
        report.writePlot(file);
        assertThat(Files.readString(file)).contains("r=1", "r=2");
    }

    @Test
    void aPlanWithoutWhatTheOthersAreComparedWithIsRefused() {
        assertThatThrownBy(() -> new ReplicasPlan(List.of(2, 3), List.of(1), Durability.PROCESS, 1, 1))
                .hasMessage("degrees [2, 3] without 1, which the others are compared with");
        assertThatThrownBy(() -> new PausePlan(List.of(1, 17), Durability.PROCESS, 1)).hasMessage("17 processes of a rank, expected 1 to 16");
        assertThatThrownBy(() -> new PausePlan(List.of(1, 2), Durability.NONE, 1)).hasMessageContaining("is not restarted");
    }
}
