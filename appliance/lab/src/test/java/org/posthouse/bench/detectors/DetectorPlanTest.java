package org.posthouse.bench.detectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.launch.JobRun;

class DetectorPlanTest {
    private static final BenchWatch SILENT = new BenchWatch() {
        @Override
        public void onJob(JobRun job) {}

        @Override
        public void onStart(Runnable end) {}

        @Override
        public void onPhase(String what, int done, int total) {
            assertThat(done).as(what).isLessThan(total);
        }

        @Override
        public void onRemark(String what) {}
    };

    @TempDir
    private Path folder;

    @Test
    void comparesAllProtocolsWithTheirPredictions() throws Exception {
        List<DetectorProtocol> all = List.of(
                DetectorProtocol.RANDOM, DetectorProtocol.RR, DetectorProtocol.BRR, DetectorProtocol.DBRR, DetectorProtocol.SWIM);
        DetectorReport report = new DetectorPlan(all, List.of(8, 32), 3, 500, 10, 0, 0, 0, 2, 100, 1).run(SILENT);
        ObjectNode json = new ObjectMapper().createObjectNode();
        report.addTo(json);
        assertThat(json.get("figures")).hasSize(10).allSatisfy(figure -> {
            assertThat(figure.get("detectionSeconds")).as(figure.toString()).hasSize(2);
            assertThat(figure.get("noticedSeconds").asDouble()).as(figure.toString()).isBetween(1.0, 20.0);
            assertThat(figure.get("falseVerdicts").asInt()).as(figure.toString()).isZero();
        });
        JsonNode brr = json.get("figures").get(5);
        assertThat(brr.get("predictedSeconds").asDouble()).as("2 L T of 32 hosts").isEqualTo(5);
        assertThat(brr.get("messagesPerHostSecond").asDouble()).isBetween(1.95, 2.05);
        assertThat(brr.get("bytesPerHostSecond").asDouble()).as("a frame with 32 beats").isBetween(2 * 155.0, 2 * 163.0);
        assertThat(json.get("ownFailures")).hasSize(10);
        report.writePlot(folder.resolve("detectors.svg"));
        assertThat(Files.readString(folder.resolve("detectors.svg"))).contains("dbrr, predicted").contains("swim");
        assertThat(folder.resolve("detectors-failure.svg")).exists();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        report.print(new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(printed.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("dbrr"))).hasSize(7);
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        List<DetectorProtocol> brr = List.of(DetectorProtocol.BRR);
        assertThatThrownBy(() -> new DetectorPlan(brr, List.of(1), 1, 500, 0, 0, 0, 0, 1, 0, 1)).hasMessage("1 hosts, expected 2 to 4096");
        assertThatThrownBy(() -> new DetectorPlan(brr, List.of(4), 1, 500, 0, 1.5, 0, 0, 1, 0, 1))
                .hasMessage("1.5 share of lost messages, expected 0 to 1.0");
        assertThatThrownBy(() -> new DetectorPlan(List.of(DetectorProtocol.NONE), List.of(4), 1, 500, 0, 0, 0, 0, 1, 0, 1))
                .hasMessage("detector none finds nothing, expected others");
    }
}
