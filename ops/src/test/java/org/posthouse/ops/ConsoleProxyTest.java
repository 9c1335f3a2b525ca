package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.ops.access.ProxyHeader;
import org.posthouse.ops.access.Role;

/** A reverse proxy's header counts from that proxy alone. */
@Timeout(120)
class ConsoleProxyTest {
    private static final String HEADER = "X-Remote-User";
    private static final String MODE = "{\"mode\":\"pooled\",\"loops\":4}";
    private static final String[] JSON = {"Content-Type", "application/json"};

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final ConsoleAudit audit = new RecordingAudit(told);

    private static ProxyHeader proxy(String address, long uid) {
        return new ProxyHeader(InetAddress.ofLiteral(address), HEADER, Set.of("olga"), uid < 0 ? OptionalLong.empty() : OptionalLong.of(uid));
    }

    private OpsFixture console(PeerTrust.Peer peer, ProxyHeader proxy) throws Exception {
        return new OpsFixture(OpsConfig.loopback(0).access(new OpsConfig.Access((local, remote) -> peer, Optional.empty(), false, audit)
                .proxy(Optional.of(proxy))));
    }

    private static HttpResponse<String> get(OpsFixture ops, String path, String... headers) throws Exception {
        return ops.send("GET", path, "", headers);
    }

    private static HttpResponse<String> order(OpsFixture ops, String... headers) throws Exception {
        return ops.post("/api/v1/mode", MODE, Stream.of(JSON, headers).flatMap(Arrays::stream).toArray(String[]::new));
    }

    @Test
    void viewersLookAndOperatorsGiveOrders() throws Exception {
        try (OpsFixture ops = console(new PeerTrust.Peer(false, "user 33"), proxy("127.0.0.1", 33))) {
            String own = "http://127.0.0.1:" + ops.server.port();
            assertThat(get(ops, "/api/v1/jobs", HEADER, "victor").statusCode()).isEqualTo(200);
            assertThat(get(ops, "/api/v1/me", HEADER, "victor").body()).contains("\"name\":\"victor\"", "\"role\":\"viewer\"", "\"proof\":\"proxy\"");
            assertThat(order(ops, HEADER, "victor", "Origin", own).statusCode()).isEqualTo(403);
            assertThat(order(ops, HEADER, "olga", "Origin", own).statusCode()).isEqualTo(200);
        }
        assertThat(told).hasSize(2).first().asString().startsWith("refused: victor (viewer) by the proxy").contains("a viewer gives no orders");
        assertThat(told).last().asString().startsWith("ordered: olga (operator) by the proxy");
    }

    /** A browser is logged in at the proxy whatever page it shows. */
    @Test
    void anOrderThatDoesNotSayWhereItComesFromIsRefused() throws Exception {
        try (OpsFixture ops = console(new PeerTrust.Peer(false, "user 33"), proxy("127.0.0.1", 33))) {
            assertThat(order(ops, HEADER, "olga").statusCode()).isEqualTo(403);
            assertThat(order(ops, HEADER, "olga", "Origin", "https://evil.example").statusCode()).isEqualTo(403);
        }
    }

    /** Another user's process on the relay's host, another address, or an address that the system knows nothing of. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1, 33, user 34", "127.0.0.2, 33, user 33", "127.0.0.1, 33, ''", "127.0.0.1, -1, user 33"})
    void theHeaderFromElsewhereIsNothingAndIsToldOnce(String address, long uid, String process) throws Exception {
        PeerTrust.Peer peer = process.isEmpty() ? PeerTrust.Peer.UNKNOWN : new PeerTrust.Peer(false, process);
        try (OpsFixture ops = console(peer, proxy(address, uid))) {
            assertThat(get(ops, "/api/v1/jobs", HEADER, "olga").statusCode()).isEqualTo(401);
            assertThat(get(ops, "/api/v1/jobs", HEADER, "olga").statusCode()).isEqualTo(401);
            assertThat(ops.get("/healthz").statusCode()).isEqualTo(200);
        }
        assertThat(told.stream().filter(line -> line.contains("comes from elsewhere than --ops-proxy"))).hasSize(1);
    }

    /** It runs as root or as the relay's user, who may give orders himself. */
    @ParameterizedTest
    @ValueSource(strings = {"X-Forwarded-For", "Forwarded", "Via"})
    void whatAProxyPassesOnWithoutALoginIsNobody(String mark) throws Exception {
        try (OpsFixture ops = console(new PeerTrust.Peer(true, "user 0"), proxy("127.0.0.1", -1))) {
            assertThat(get(ops, "/api/v1/jobs", mark, "10.0.0.9").statusCode()).isEqualTo(401);
            assertThat(get(ops, "/api/v1/jobs", HEADER, "").statusCode()).isEqualTo(401);
            assertThat(get(ops, "/api/v1/jobs", HEADER, "two words").statusCode()).isEqualTo(401);
            assertThat(get(ops, "/api/v1/jobs", HEADER, "a", HEADER, "b").statusCode()).isEqualTo(401);
            assertThat(ops.get("/api/v1/jobs").statusCode()).as("the relay's own commands").isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "X Remote", "Cookie", "authorization", "Host", "X-Remote-User: a"})
    void aHeaderThatIsNoneOfTheProxysOwnIsRefused(String header) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ProxyHeader(InetAddress.ofLiteral("127.0.0.1"), header, Set.of(), OptionalLong.empty()))
                .withMessageContaining("--ops-proxy-header is \"" + header + "\"");
    }

    @Test
    void aProxyOnAnotherHostIsKnownByItsAddress() {
        ProxyHeader far = proxy("10.1.2.3", -1);
        assertThat(far.isProxy(InetAddress.ofLiteral("10.1.2.3"), Optional.empty(), false)).isTrue();
        assertThat(far.isProxy(InetAddress.ofLiteral("10.1.2.4"), Optional.empty(), true)).isFalse();
        assertThat(far.role("olga")).isEqualTo(Role.OPERATOR);
        assertThat(far.role("Olga")).isEqualTo(Role.VIEWER);
    }
}
