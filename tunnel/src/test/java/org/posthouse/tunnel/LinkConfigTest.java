package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.SiteKeys;
import org.posthouse.tunnel.forward.ForwardConfig;
import org.posthouse.tunnel.socket.TlsKind;

/** What is said of a configuration that cannot be. */
class LinkConfigTest {
    @TempDir
    private Path folder;

    @Test
    void reportsAllProblemsOfAConfigTogether() throws IOException {
        SiteKeys keys = new TestGrid(folder).keys("lyon");
        LinkConfig good = LinkConfig.of("lyon/2", 1, keys);
        assertThatThrownBy(() -> new LinkConfig(
                "", 0, keys, "", 70_000, Map.of("nancy", "x", "UP", "h:0", "nancy/", "h:1", "lyon/1", "h:1"), new LinkLimits(1, 0, 9), TlsKind.AUTO,
                good.timeouts(), ForwardConfig.NONE, Compression.AUTO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("relay id", "epoch 0", "70000", "window bytes 1",
                        "connections 0", "lanes 9", "\"x\"", "\"UP\"", "\"h:0\"", "\"nancy/\"", "\"lyon/1\"");
        assertThatThrownBy(() -> LinkConfig.of("nancy/2", 1, keys)).hasMessageContaining("expected lyon or lyon/NAME");
        assertThatThrownBy(() -> good.peer("lyon/2", "h:1")).hasMessageContaining("another relay than lyon/2");
        assertThatThrownBy(() -> good.timeouts(new LinkTimeouts(1, 1, 1, 10, 15, 0, 5, 4)))
                .hasMessageContainingAll("silence 15", "of 0 ms", "back-off 4");
        assertThat(good.peer("nancy", "[::1]:7412").addressOf("nancy").host()).isEqualTo("::1");
    }
}
