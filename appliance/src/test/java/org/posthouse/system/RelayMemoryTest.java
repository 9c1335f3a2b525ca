package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.install.RelayProcess;

/** A relay process has bounds for its memory, whoever starts it. */
@Timeout(900)
final class RelayMemoryTest {
    private static final long HEAP_BYTES = 1L << 30;

    @TempDir
    private Path folder;

    @Test
    void relayProcessHasBoundsForHeapAndDirectMemory() throws Exception {
        assertThat(Installation.relayFlags())
                .containsExactly("-Xmx1g", "-XX:MaxDirectMemorySize=1g", "-XX:+ExitOnOutOfMemoryError");
        List<String> arguments = List.of(
                "--site", "site-a", "--listen", "127.0.0.1:0", "--ops", "127.0.0.1:0", "--group", "127.0.0.1:" + Relays.freePort());
        try (RelayProcess relay = RelayProcess.start(arguments, folder.resolve("errors"));
                HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest metrics = HttpRequest.newBuilder(URI.create("http://" + relay.ready().console() + "/metrics")).build();
            double most = http.send(metrics, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith("jvm_memory_max_bytes{area=\"heap\""))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .max()
                    .orElseThrow();
            assertThat(most).isGreaterThan(0.9 * HEAP_BYTES).isLessThanOrEqualTo(HEAP_BYTES);
        }
    }
}
