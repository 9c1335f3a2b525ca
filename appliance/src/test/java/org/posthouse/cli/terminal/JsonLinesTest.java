package org.posthouse.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import org.junit.jupiter.api.Test;

class JsonLinesTest {
    private static String line(String message, Throwable failure) {
        LoggerContext context = new LoggerContext();
        return new String(
                new JsonLines().encode(new LoggingEvent("", context.getLogger("relay"), Level.WARN, message, failure, null)), StandardCharsets.UTF_8);
    }

    @Test
    void anEventIsOneObjectInOneLine() throws IOException {
        String line = line("bye\n\u001b[2J \"x\"", null);
        assertThat(line.lines()).hasSize(1);
        JsonNode event = new ObjectMapper().readTree(line);
        assertThat(event.path("message").asText()).isEqualTo("bye\n\u001b[2J \"x\"");
        assertThat(event.path("level").asText()).isEqualTo("WARN");
        assertThat(event.path("logger").asText()).isEqualTo("relay");
        assertThat(event.has("causes")).isFalse();
        assertThat(OffsetDateTime.parse(event.path("time").asText())).isAfter(OffsetDateTime.parse("2020-01-01T00:00:00Z"));
    }

    @Test
    void aFailureHasItsCauses() throws IOException {
        JsonNode event = new ObjectMapper().readTree(line("failed", new IllegalStateException("a", new IOException())));
        assertThat(event.path("causes")).extracting(JsonNode::asText).containsExactly("java.lang.IllegalStateException: a", "java.io.IOException");
    }
}
