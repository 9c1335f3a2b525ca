package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupConfigTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "0.0.0.0", "10.0.0.1", "localhost", "::1", "::", "", "127.0.0.256", "127.0.0", "127.0.0.1.evil.example",
        "1127.0.0.1", "127.0.0.1\n"
    })
    void refusesToBindAnythingButLoopback(String host) {
        assertThatThrownBy(() -> new GroupConfig("grid", host, 7420, List.of(), "r1"))
                .isInstanceOf(GroupException.class)
                .hasMessageContaining("is not a loopback address; expected one in 127.0.0.0/8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1:7420", "relay.example:7420", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", ":1"})
    void refusesMembersThatAreNotReachedThroughTheTunnel(String member) {
        assertThatThrownBy(() -> new GroupConfig("grid", "127.0.0.1", 7420, List.of("127.0.0.2:7420", member), "r1"))
                .isInstanceOf(GroupException.class)
                .hasMessageContaining("group member '" + member + "'")
                .hasMessageNotContaining("127.0.0.2");
    }

    @Test
    void reportsAllProblemsInOneLine() {
        assertThatThrownBy(() -> new GroupConfig(" ", "10.0.0.1", 0, List.of("x"), ""))
                .hasMessageContainingAll("name", "'10.0.0.1'", "port 0", "'x'", "relay's id")
                .message()
                .hasLineCount(1);
    }

    @Test
    void takesAnyAddressOf127() {
        GroupConfig config =
                new GroupConfig("grid", "127.9.255.254", 65_535, List.of("127.1.0.1:1", "127.0.0.1:65535"), "r1");

        assertThat(config.timing()).isEqualTo(GroupTiming.WAN);
    }

    @Test
    void refusesTimingThatCannotWork() {
        assertThatThrownBy(() -> new GroupTiming(5, 9, 1, Duration.ZERO))
                .hasMessageContaining("heartbeat 5 s, silence 9 s");
    }
}
