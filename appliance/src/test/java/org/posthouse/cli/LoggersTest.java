package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
}
