package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.ops.access.Role;
import org.posthouse.ops.access.TestUsers;
import org.posthouse.ops.access.UsersFile;

/** A console with users: who is let in, for how long, and what each may do. The system's word on users of processes is the test's. */
@Timeout(120)
class ConsoleLoginTest {
    private static final String SECRET = "00112233445566778899aabbccddeeff";
    private static final String MODE = "{\"mode\":\"pooled\",\"loops\":4}";
    private static final String LOGIN = "/api/v1/login";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final AtomicLong now = new AtomicLong(1_000_000);
    private volatile PeerTrust.Peer peer = new PeerTrust.Peer(false, "user 1000");
    private UsersFile users;
    private OpsFixture ops;

    @BeforeEach
    void open() throws Exception {
        users = TestUsers.in(folder);
        ConsoleAudit audit = new RecordingAudit(told);
        OpsConfig.Access access = new OpsConfig.Access((local, remote) -> peer, Optional.of(SECRET), false, audit).users(Optional.of(users));
        ops = new OpsFixture(OpsConfig.loopback(0).access(access), now::get);
    }

    @AfterEach
    void close() throws Exception {
        ops.close();
    }

    private static String as(String name, String password) {
        return "{\"name\":\"" + name + "\",\"password\":\"" + password + "\"}";
    }

    private HttpResponse<String> login(String body) throws Exception {
        return ops.post(LOGIN, body, "Content-Type", "application/json");
    }

    /** @return name and value, as a browser sends them */
    private String cookie(String name) throws Exception {
        HttpResponse<String> in = login(as(name, TestUsers.PASSWORD));
        assertThat(in.statusCode()).as(in.body()).isEqualTo(200);
        return in.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        return ops.send("GET", path, "", headers);
    }

    private HttpResponse<String> order(String cookie, String... more) throws Exception {
        List<String> headers = new ArrayList<>(List.of("Content-Type", "application/json", "Cookie", cookie));
        headers.addAll(List.of(more));
        return ops.post("/api/v1/mode", MODE, headers.toArray(String[]::new));
    }

    private String[] own() {
        return new String[] {"Origin", "http://127.0.0.1:" + ops.server.port()};
    }

    @Test
    void anOperatorLogsInLooksAndOrders() throws Exception {
        HttpResponse<String> in = login(as(TestUsers.OPERATOR, TestUsers.PASSWORD));
        assertThat(OpsFixture.parse(in.body())).isEqualTo(OpsFixture.parse("{\"name\":\"alice\",\"role\":\"operator\",\"proof\":\"login\"}"));
        String cookie = in.headers().firstValue("set-cookie").orElseThrow();
        assertThat(cookie).matches("posthouse-" + ops.server.port() + "=[\\w-]{43}; Path=/; HTTPOnly; SameSite=Strict");
        String sent = cookie.replaceFirst(";.*", "");
        assertThat(get("/api/v1/jobs", "Cookie", sent).statusCode()).isEqualTo(200);
        assertThat(get("/api/v1/me", "Cookie", sent).body()).isEqualTo(in.body());
        assertThat(order(sent, own()).statusCode()).isEqualTo(200);
        assertThat(told).hasSize(2);
        assertThat(told.getFirst()).matches("entered: alice \\(operator\\), user 1000 at 127\\.0\\.0\\.1:\\d+: logged in");
        assertThat(told.getLast()).startsWith("ordered: alice (operator), user 1000 at 127.0.0.1:").contains("ModeOrder[mode=pooled");
        assertThat(told.toString()).doesNotContain(sent, TestUsers.PASSWORD);
    }

    @Test
    void aViewerLooksAndOrdersNothing() throws Exception {
        String cookie = cookie(TestUsers.VIEWER);
        assertThat(get("/metrics", "Cookie", cookie).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = order(cookie, own());
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("bob is a viewer, and gives no orders");
        assertThat(told).last().asString().startsWith("refused: bob (viewer), user 1000 at ").endsWith("POST /api/v1/mode: a viewer gives no orders");
    }

    @Test
    void aWrongPasswordAndAnUnknownNameAreToldAlike() throws Exception {
        HttpResponse<String> wrong = login(as(TestUsers.OPERATOR, "wrong horse"));
        HttpResponse<String> unknown = login(as("mallory", TestUsers.PASSWORD));
        assertThat(wrong.statusCode()).isEqualTo(401);
        assertThat(wrong.body()).contains("name or password is wrong").isEqualTo(unknown.body());
        assertThat(wrong.headers().firstValue("set-cookie")).isEmpty();
        assertThat(wrong.headers().firstValue("www-authenticate")).as("Basic would open a dialog of the browser's").hasValue("Bearer");
        assertThat(told).hasSize(2).last().asString().startsWith("refused: user 1000 at 127.0.0.1:")
                .endsWith("login as \"mallory\": name or password is wrong");
    }

    @Test
    void tenWrongPasswordsAreSlowed() throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            statuses.add(login(as(TestUsers.OPERATOR, "wrong horse " + i)).statusCode());
        }
        assertThat(statuses).containsExactly(401, 401, 401, 401, 401, 429, 429, 429, 429, 429);
        HttpResponse<String> slowed = login(as(TestUsers.OPERATOR, TestUsers.PASSWORD));
        assertThat(slowed.statusCode()).as("the right one").isEqualTo(429);
        assertThat(slowed.headers().firstValue("retry-after")).hasValue("1");
        assertThat(slowed.body()).contains("too many logins have failed; try again in 1 s");
        now.addAndGet(1_000);
        assertThat(login(as(TestUsers.OPERATOR, "wrong horse")).statusCode()).isEqualTo(401);
        now.addAndGet(1_000);
        assertThat(login(as(TestUsers.OPERATOR, TestUsers.PASSWORD)).headers().firstValue("retry-after")).as("2 s after the sixth").hasValue("1");
        now.addAndGet(1_000);
        assertThat(login(as(TestUsers.OPERATOR, TestUsers.PASSWORD)).statusCode()).isEqualTo(200);
    }

    /** A scraper's password is a guess as any other. */
    @Test
    void basicIsSlowedAsALoginIs() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(get("/metrics", "Authorization", basic(TestUsers.VIEWER, "wrong " + i)).statusCode()).isEqualTo(401);
        }
        HttpResponse<String> slowed = get("/metrics", "Authorization", basic(TestUsers.VIEWER, TestUsers.PASSWORD));
        assertThat(slowed.statusCode()).isEqualTo(429);
        assertThat(slowed.headers().firstValue("retry-after")).hasValue("1");
        now.addAndGet(1_000);
        for (int i = 0; i < 20; i++) {
            assertThat(get("/metrics", "Authorization", basic(TestUsers.VIEWER, TestUsers.PASSWORD)).statusCode()).as("a good one is not slowed")
                    .isEqualTo(200);
        }
        assertThat(
                ops.post("/api/v1/mode", MODE, "Content-Type", "application/json", "Authorization", basic(TestUsers.VIEWER, TestUsers.PASSWORD)).statusCode())
                .isEqualTo(403);
        now.addAndGet(1_000);
        assertThat(
                ops.post("/api/v1/mode", MODE, "Content-Type", "application/json", "Authorization", basic(TestUsers.OPERATOR, TestUsers.PASSWORD)).statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Basic", "Basic !", "Basic YWxpY2U=", "Bearer x", "Digest x"})
    void otherProofsAreNone(String authorization) throws Exception {
        assertThat(get("/api/v1/jobs", "Authorization", authorization).statusCode()).isEqualTo(401);
    }

    private static String basic(String name, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((name + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** A flood is refused, and what is not a login is answered meanwhile. */
    @Test
    void manyLoginsAtOnceAreRefused() throws Exception {
        List<CompletableFuture<Integer>> flood = new ArrayList<>();
        try (var senders = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 64; i++) {
                String name = "name" + i;
                flood.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        return login(as(name, "wrong horse")).statusCode();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }, senders));
            }
            assertThat(get("/healthz").statusCode()).isEqualTo(200);
            assertThat(flood.stream().map(CompletableFuture::join).toList()).isSubsetOf(401, 429, 503)
                    .filteredOn(status -> status == 401).as("one address").hasSize(5);
        }
    }

    @Test
    void theSecretLetsAPersonIn() throws Exception {
        assertThat(login("{\"secret\":\"" + SECRET.replace('f', 'e') + "\"}").statusCode()).isEqualTo(401);
        HttpResponse<String> in = login("{\"secret\":\"" + SECRET + "\"}");
        assertThat(in.statusCode()).isEqualTo(200);
        String cookie = in.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
        assertThat(order(cookie, own()).statusCode()).isEqualTo(200);
        assertThat(cookie).doesNotContain(SECRET);
    }

    @Test
    void theFormsAreToldToAll() throws Exception {
        assertThat(get(LOGIN).body()).isEqualTo("{\"names\":true,\"secret\":true}");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
        "no JSON | alice | 400",
        "no password | {\"name\":\"alice\"} | 400",
        "another word | {\"name\":\"alice\",\"password\":\"hunter22\",\"role\":\"operator\"} | 400",
        "a long name | {\"name\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"password\":\"hunter22\"} | 401",
    })
    void malformedLoginsAreRefusedWithoutTheirWords(String what, String body, int status) throws Exception {
        HttpResponse<String> refused = login(body);
        assertThat(refused.statusCode()).isEqualTo(status);
        assertThat(refused.body()).doesNotContain("hunter22", "org.posthouse");
    }

    /** What a page of another site has a browser send: a form, a script, with the cookie or without. */
    @Test
    void crossSiteRequestsAreRefused() throws Exception {
        String cookie = cookie(TestUsers.OPERATOR);
        for (String path : List.of("/api/v1/mode", LOGIN, "/api/v1/logout")) {
            for (String type : List.of("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain")) {
                assertThat(ops.post(path, "{\"mode\":\"pooled\"}", "Content-Type", type, "Cookie", cookie, "Origin", "http://evil.example",
                        "Sec-Fetch-Site", "cross-site").statusCode()).as("%s as %s", path, type).isEqualTo(415);
            }
            String body = path.equals(LOGIN) ? as(TestUsers.VIEWER, TestUsers.PASSWORD) : MODE;
            for (String origin : List.of("http://evil.example", "null", "http://localhost:" + ops.server.port(), "http://127.0.0.1:1", "http://127.0.0.1")) {
                assertThat(ops.post(path, body, "Content-Type", "application/json", "Cookie", cookie, "Origin", origin).statusCode())
                        .as("%s of %s", path, origin).isEqualTo(403);
            }
            for (String site : List.of("cross-site", "same-site", "none")) {
                assertThat(ops.post(path, body, "Content-Type", "application/json", "Cookie", cookie, "Origin", own()[1], "Sec-Fetch-Site", site).statusCode())
                        .as("%s of %s", path, site).isEqualTo(403);
            }
        }
        assertThat(order(cookie).statusCode()).as("a cookie, and nothing on where it comes from").isEqualTo(403);
        assertThat(told).noneMatch(line -> line.startsWith("ordered") || line.contains("bob"));
        assertThat(order(cookie, own()).statusCode()).isEqualTo(200);
        assertThat(order(cookie, "Sec-Fetch-Site", "same-origin").statusCode()).isEqualTo(200);
    }

    @Test
    void logoutEndsTheSessionAndItsStreams() throws Exception {
        String cookie = cookie(TestUsers.VIEWER);
        try (Socket stream = stream(cookie)) {
            HttpResponse<String> out = ops.post("/api/v1/logout", "{}", "Content-Type", "application/json", "Cookie", cookie, "Origin", own()[1]);
            assertThat(out.statusCode()).isEqualTo(200);
            assertThat(out.headers().firstValue("set-cookie")).hasValueSatisfying(gone -> assertThat(gone).contains("Max-Age=0", "Path=/"));
            awaitEnd(stream);
        }
        assertThat(get("/api/v1/jobs", "Cookie", cookie).statusCode()).isEqualTo(401);
        assertThat(told).anyMatch(line -> line.startsWith("entered: bob (viewer), user 1000 at ") && line.endsWith(": logged out"));
    }

    @Test
    void aSessionThatIsOverEndsItsStreams() throws Exception {
        try (Socket stream = stream(cookie(TestUsers.VIEWER))) {
            now.addAndGet(Duration.ofHours(12).toMillis());
            awaitEnd(stream);
        }
    }

    /** Another role is another entry: who has lost it shall not go on with a session that has it. */
    @Test
    void aChangeOfTheEntryEndsItsSessions() throws Exception {
        String alice = cookie(TestUsers.OPERATOR);
        String bob = cookie(TestUsers.VIEWER);
        try (Socket stream = stream(alice)) {
            TestUsers.change(users, TestUsers.OPERATOR, Role.VIEWER);
            awaitEnd(stream);
        }
        assertThat(order(alice, own()).statusCode()).isEqualTo(401);
        assertThat(get("/api/v1/jobs", "Cookie", bob).statusCode()).isEqualTo(200);
        assertThat(order(cookie(TestUsers.OPERATOR), own()).statusCode()).isEqualTo(403);
    }

    @Test
    void aFileThatGoesBadLeavesTheUsersThatWereRead() throws Exception {
        String bob = cookie(TestUsers.VIEWER);
        TestUsers.change(users, TestUsers.OPERATOR, Role.VIEWER);
        Files.writeString(Path.of(users.toString()), "nonsense");
        await().during(Duration.ofMillis(20L * OpsFixture.BEAT_MS)).atMost(PATIENCE)
                .until(() -> get("/api/v1/jobs", "Cookie", bob).statusCode() == 200);
        TestUsers.in(folder);
        assertThat(cookie(TestUsers.VIEWER)).isNotEqualTo(bob);
    }

    /** A cookie is sent to every port of this host: also to one that another user has opened. */
    @Test
    void aCookieOpensNothingForAnotherUsersProcess() throws Exception {
        String cookie = cookie(TestUsers.OPERATOR);
        peer = new PeerTrust.Peer(false, "user 2000");
        String head = "GET /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: " + cookie + "\r\n\r\n";
        assertThat(ops.exchange(head)).as("over a connection of his own").startsWith("HTTP/1.1 401");
        assertThat(get("/api/v1/jobs", "Cookie", cookie).statusCode()).as("over that of before").isEqualTo(200);
    }

    @Test
    void theRelaysOwnUserNeedsNoLoginUnlessHeHasLoggedIn() throws Exception {
        peer = new PeerTrust.Peer(true, "user 1000");
        assertThat(get("/api/v1/jobs").statusCode()).isEqualTo(200);
        assertThat(get("/api/v1/me").body()).contains("\"proof\":\"peer\"", "operator");
        assertThat(order(cookie(TestUsers.VIEWER), own()).statusCode()).isEqualTo(403);
    }

    @Test
    void readinessIsToldWithoutReasonsToStrangers() throws Exception {
        ops.relay.readiness = Readiness.notReady("the log's disk is 96 % full");
        HttpResponse<String> told = get("/readyz");
        assertThat(told.statusCode()).isEqualTo(503);
        assertThat(told.body()).isEqualTo("{\"ready\":false,\"reasons\":[]}");
        assertThat(get("/readyz", "Cookie", cookie(TestUsers.VIEWER)).body()).contains("96 %");
    }

    /** With a browser at an address, the page comes, which asks for the login. */
    @Test
    void whoTypesAnAddressGetsThePage() throws Exception {
        for (String path : List.of("/metrics", "/no/such/page")) {
            HttpResponse<String> page = get(path, "Accept", "text/html");
            assertThat(page.statusCode()).isEqualTo(401);
            assertThat(page.body()).contains("<posthouse-console>").doesNotContain("rennes");
        }
        assertThat(get("/api/v1/jobs", "Accept", "text/html").headers().firstValue("content-type")).hasValue("application/json; charset=utf-8");
    }

    private Socket stream(String cookie) throws Exception {
        Socket stream = ops.raw("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nCookie: " + cookie + "\r\n\r\n");
        BufferedReader lines = new BufferedReader(new InputStreamReader(stream.getInputStream(), StandardCharsets.UTF_8));
        assertThat(lines.readLine()).isEqualTo("HTTP/1.1 200 OK");
        return stream;
    }

    /** The relay is at rest, so that the end can only be the session's. */
    private void awaitEnd(Socket stream) {
        await().atMost(PATIENCE).until(() -> ops.server.stream().openClients() == 0);
        assertThat(stream.isConnected()).isTrue();
    }
}
