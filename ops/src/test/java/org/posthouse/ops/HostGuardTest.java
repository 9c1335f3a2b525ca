package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only the console's own names are answered, so a hostile page cannot rebind its name to loopback. */
@Timeout(120)
class HostGuardTest {

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST", "localhost.", "127.0.0.1", "[::1]"})
    void answersToLoopbackNames(String host) {
        assertThat(new HostGuard(OpsConfig.loopback(0)).allows(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "rebind.example", "127.0.0.1.rebind.example", "localhost.rebind.example", "10.1.2.3", "", "[::2]"})
    void refusesEveryOtherName(String host) {
        assertThat(new HostGuard(OpsConfig.loopback(0)).allows(host)).isFalse();
    }

    @Test
    void answersToItsAddressAndConfiguredNames() {
        HostGuard guard = new HostGuard(new OpsConfig("10.1.2.3", 7413, List.of("relay.example"), OpsConfig.Access.NO_ORDERS));
        assertThat(guard.allows("10.1.2.3")).isTrue();
        assertThat(guard.allows("Relay.example")).isTrue();
        assertThat(guard.allows("10.1.2.4")).isFalse();
    }

    @Test
    void onTheWildcardAddressAnswersToLiteralsButNotToNames() {
        HostGuard guard = new HostGuard(new OpsConfig("0.0.0.0", 7413));
        assertThat(guard.allows("10.1.2.3")).isTrue();
        assertThat(guard.allows("[fd00::1]")).isTrue();
        assertThat(guard.allows("rebind.example")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/healthz", "/metrics", "/api/v1/relays", "/api/v1/events", "/console/app.js"})
    void refusesAWrongHostOnEveryPath(String path) throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            String answer = ops.exchange("GET " + path + " HTTP/1.1\r\nHost: rebind.example:"
                    + ops.server.port() + "\r\nConnection: close\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 403 ").contains("is not one of this console's names", "--ops-name")
                    .doesNotContain("rennes");
        }
    }

    @Test
    void refusesARequestWithoutHost() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            assertThat(ops.exchange("GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.0 400 ")
                    .contains("no valid Host header");
        }
    }
}
