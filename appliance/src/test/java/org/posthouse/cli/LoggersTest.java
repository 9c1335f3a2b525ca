package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Of whom users hear on standard error. */
class LoggersTest {
    private static boolean warns(String name) {
        return LoggerFactory.getLogger(name).isWarnEnabled();
    }

    @Test
    void thatThereIsNoNetworkCardIsNoWarning() {
        assertThat(warns("io.netty.util.internal.MacAddressUtil")).isFalse();
        assertThat(LoggerFactory.getLogger("io.netty.util.internal.MacAddressUtil").isErrorEnabled()).isTrue();
        assertThat(warns("io.netty.channel.DefaultChannelId")).isTrue();
        assertThat(warns("io.netty.util.internal.MacAddress")).isTrue();
        assertThat(warns(Logger.ROOT_LOGGER_NAME)).isTrue();
        assertThat(warns("org.posthouse.relay.Relay")).isTrue();
    }

    @Test
    void whatAPeerSaysIsInOneLineAndNoOrderToTheTerminal() {
        LoggerContext context = new LoggerContext();
        LoggingEvent event = new LoggingEvent(
                "", context.getLogger("relay"), Level.WARN, "closed rank 1: {}", null, new Object[] {"bye\u001b[2J\n09:00:00.000 ERROR Grüße"});
        String line = new String(Logging.encoder(context).encode(event), StandardCharsets.UTF_8);
        assertThat(line).endsWith("WARN  closed rank 1: bye\\u001b[2J\\u000a09:00:00.000 ERROR Grüße" + System.lineSeparator());
    }
}
