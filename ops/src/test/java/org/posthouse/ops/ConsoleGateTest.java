package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By which proof orders are taken, and that everybody else is refused and told of. */
@Timeout(120)
class ConsoleGateTest {
    private static final String SECRET = "00112233445566778899aabbccddeeff";
    private static final String MODE = "{\"mode\":\"pooled\",\"loops\":4}";
    private static final String TYPE = "Content-Type";
    private static final String JSON = "application/json";

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final ConsoleAudit audit = new RecordingAudit(told);

    private OpsConfig config(boolean trusted, Optional<String> secret, boolean closed) {
        PeerTrust peers = (local, remote) -> new PeerTrust.Peer(trusted, "user 65534");
        return OpsConfig.loopback(0).access(new OpsConfig.Access(peers, secret, closed, audit));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "/api/v1/mode, '{\"mode\":\"pooled\",\"loops\":4}'",
        "/api/v1/drain, '{\"drain\":true}'",
        "/api/v1/end-job, '{\"job\":\"1f4c9ae02b77d310\"}'",
    })
    void refusesStrangersAndTakesTheSecret(String path, String order) throws Exception {
        try (OpsFixture ops = new OpsFixture(config(false, Optional.of(SECRET), false))) {
            var refused = ops.post(path, order, TYPE, JSON);
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.headers().firstValue("www-authenticate")).hasValue("Bearer");
            assertThat(refused.body()).contains("user 65534", "--ops-token-file").doesNotContain(SECRET);
            assertThat(ops.post(path, order, TYPE, JSON, "Authorization", "Bearer " + SECRET.replace('f', 'e')).statusCode()).isEqualTo(401);
            assertThat(ops.post(path, order, TYPE, JSON, "Authorization", "Basic " + SECRET).statusCode()).isEqualTo(401);
            assertThat(ops.post(path, order, TYPE, JSON, "Authorization", "Bearer ").statusCode()).isEqualTo(401);
            assertThat(ops.post(path, order, TYPE, JSON, "Authorization", "Bearer " + SECRET).statusCode()).isEqualTo(200);
            assertThat(ops.get("/api/v1/jobs").statusCode()).isEqualTo(200);
        }
        assertThat(told).hasSize(5).last().asString().startsWith("ordered: user 65534 at 127.0.0.1:").contains("with the secret");
        assertThat(told.subList(0, 4)).allMatch(line -> line.startsWith("refused: user 65534 at 127.0.0.1:") && line.contains("POST " + path));
        assertThat(told.toString()).doesNotContain(SECRET);
    }

    @Test
    void takesOrdersOfItsOwnUserWithoutASecret() throws Exception {
        try (OpsFixture ops = new OpsFixture(config(true, Optional.empty(), false))) {
            assertThat(ops.post("/api/v1/mode", MODE, TYPE, JSON).statusCode()).isEqualTo(200);
        }
        assertThat(told).singleElement().asString().contains("ModeOrder[mode=pooled", "ModeReport[relay=rennes-a");
    }

    @Test
    void withoutASecretNoSecretIsRight() throws Exception {
        try (OpsFixture ops = new OpsFixture(config(false, Optional.empty(), false))) {
            assertThat(ops.post("/api/v1/mode", MODE, TYPE, JSON, "Authorization", "Bearer ").statusCode()).isEqualTo(401);
            assertThat(ops.post("/api/v1/mode", MODE, TYPE, JSON).body()).contains("the relay has no secret");
        }
    }

    @Test
    void aPrivateConsoleShowsStrangersHealthAlone() throws Exception {
        try (OpsFixture ops = new OpsFixture(config(false, Optional.of(SECRET), true))) {
            for (String path : new String[] {"/metrics", "/api/v1/jobs", "/api/v1/relays", "/api/v1/events", "/api/v1/me", "/no/such/path"}) {
                assertThat(ops.get(path).statusCode()).as(path).isEqualTo(401);
            }
            assertThat(ops.get("/healthz").statusCode()).isEqualTo(200);
            assertThat(ops.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(ops.exchange("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + SECRET + "\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200");
            assertThat(ops.post("/api/v1/mode", MODE, TYPE, JSON, "Authorization", "Bearer " + SECRET).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aPrivateConsoleShowsItsOwnUserAll() throws Exception {
        try (OpsFixture ops = new OpsFixture(config(true, Optional.empty(), true))) {
            assertThat(ops.get("/").statusCode()).isEqualTo(200);
            assertThat(ops.get("/api/v1/jobs").statusCode()).isEqualTo(200);
        }
    }
}
