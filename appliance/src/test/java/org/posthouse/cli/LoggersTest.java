package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.posthouse.cli.terminal.LogOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Of whom users hear on standard error. */
class LoggersTest {
    private static boolean warns(String name) {
        return LoggerFactory.getLogger(name).isWarnEnabled();
    }

    @Test
    void logsNoWarningAboutMissingNetworkCard() {
        assertThat(warns("io.netty.util.internal.MacAddressUtil")).isFalse();
        assertThat(LoggerFactory.getLogger("io.netty.util.internal.MacAddressUtil").isErrorEnabled()).isTrue();
        assertThat(warns("io.netty.channel.DefaultChannelId")).isTrue();
        assertThat(warns("io.netty.util.internal.MacAddress")).isTrue();
        assertThat(warns(Logger.ROOT_LOGGER_NAME)).isTrue();
        assertThat(warns("org.posthouse.relay.Relay")).isTrue();
    }

    private static Stream<String> logged(String message, Throwable failure, Object... parts) {
        LoggerContext context = new LoggerContext();
        LoggingEvent event = new LoggingEvent("", context.getLogger("relay"), Level.WARN, message, failure, parts);
        return new String(LogOutput.text(context).encode(event), StandardCharsets.UTF_8).lines();
    }

    @Test
    void escapesControlCharactersInPeerTextToOneLine() {
        assertThat(logged("closed rank 1: {}", null, "bye\u001b[2J\n09:00:00.000 ERROR Grüße"))
                .singleElement(STRING)
                .endsWith("WARN  closed rank 1: bye\\u001b[2J\\u000a09:00:00.000 ERROR Grüße");
    }

    @Test
    void aLineHasItsDateAndZone() {
        assertThat(logged("up", null)).singleElement(STRING).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}(Z|[+-]\\d\\d:\\d\\d) WARN  up");
    }

    @Test
    void printsFailureAndCauseOnOneLineEach() {
        Throwable failure = new IllegalStateException("bye\u001b[2J\n09:00:00.000 ERROR", new IOException());
        assertThat(logged("failed", failure)).satisfiesExactly(
                line -> assertThat(line).endsWith("WARN  failed"),
                line -> assertThat(line).startsWith(
                        "java.lang.IllegalStateException: bye\\u001b[2J\\u000a09:00:00.000 ERROR at org.posthouse.cli.LoggersTest.printsFailureAndCauseOnOneLineEach("),
                line -> assertThat(line).startsWith("Caused by: java.io.IOException at org.posthouse.cli."));
    }
}
