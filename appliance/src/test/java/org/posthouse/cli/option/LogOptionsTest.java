package org.posthouse.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.relay.config.LogLimits;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A relay's process gets the limits that the command which starts it was given. */
final class LogOptionsTest {
    @Command
    private static final class AnyCommand {
        @Mixin
        private LogOptions log;
    }

    private static LogOptions parse(List<String> arguments) {
        return CommandLine.populateCommand(new AnyCommand(), arguments.toArray(String[]::new)).log;
    }

    @Test
    void limitsArePassedOn() throws CommandFailure {
        LogOptions given = parse(List.of("--log-limit", "80m", "--log-high-mark", "70", "--on-log-full", "abort"));
        assertThat(parse(given.arguments()).limits()).isEqualTo(new LogLimits(80 << 20, 70, LogLimits.OnFull.ABORT));
    }

    @Test
    void defaultsArePassedOn() throws CommandFailure {
        assertThat(parse(parse(List.of()).arguments()).limits()).isEqualTo(LogLimits.DEFAULT);
    }

    @Test
    void aLimitOutOfItsRangeIsOneLine() {
        assertThatThrownBy(parse(List.of("--log-limit", "1m"))::arguments)
                .isInstanceOf(CommandFailure.class)
                .hasMessage("--log-limit is 1048576 bytes with --log-high-mark 60, expected at least 67108864 bytes and 10 to 90 percent");
    }
}
