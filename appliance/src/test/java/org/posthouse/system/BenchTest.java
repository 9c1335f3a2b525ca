package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code posthouse bench}: that it measures, not what. */
@Timeout(180)
class BenchTest {
    @TempDir
    private Path folder;

    @Test
    void pingPongMeasuresThreeTransportsInOneRun() throws Exception {
        Path json = folder.resolve("figures.json");
        Command.Result result = Command.run(
                folder, "bench", "pingpong", "--sizes", "1,100k", "--repetitions", "1", "--durability", "none,process",
                "--json", json.toString());
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        JsonNode figures = new ObjectMapper().readTree(json.toFile()).path("figures");
        assertThat(figures).hasSize(12);
        for (JsonNode figure : figures) {
            assertThat(figure.path("medianMicros").asDouble()).isPositive();
            assertThat(figure.path("p99Micros").asDouble()).isGreaterThanOrEqualTo(figure.path("medianMicros").asDouble());
        }
        assertThat(result.out()).contains("raw", "forwarder", "relay");
    }
}
