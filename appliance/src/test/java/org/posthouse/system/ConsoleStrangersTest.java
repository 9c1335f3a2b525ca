package org.posthouse.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.launch.install.Installation;
import org.posthouse.ops.access.ConsoleUser;
import org.posthouse.ops.access.Passwords;
import org.posthouse.ops.access.Role;
import org.posthouse.ops.access.Users;
import org.posthouse.ops.access.UsersFile;
import org.posthouse.peer.PeerUser;
import org.posthouse.system.jobs.Stranger;
import org.posthouse.wire.Token;

/** What another user of the host can do at a relay's console, with a shell alone: look, and ask how it is. */
@Timeout(900)
final class ConsoleStrangersTest {
    private static final String NOBODY = "65534";
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** More than the console has connections. */
    private static final int HELD = 200;

    @TempDir
    private Path folder;

    @BeforeEach
    void requireRoot() {
        assumeTrue(PeerUser.own() == 0, "only root can start a process of another user");
    }

    /** As another user; the script has the console's port as $1. */
    private static Process stranger(Relays relay, String script) throws IOException {
        String console = relay.ready().console();
        return new ProcessBuilder("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups",
                "bash", "-c", script, "stranger", console.substring(console.lastIndexOf(':') + 1)).redirectErrorStream(true).start();
    }

    private static String said(Process process) throws IOException, InterruptedException {
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return said;
    }

    private static String ask(Relays relay, String request, String... headers) throws IOException, InterruptedException {
        String head = request + " HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n"
                + String.join("", List.of(headers).stream().map(h -> h + "\\r\\n").toList());
        return said(stranger(relay, "exec 3<>/dev/tcp/127.0.0.1/$1; printf '" + head + "\\r\\n" + "' >&3; cat <&3"));
    }

    private static String order(Relays relay, String path, String body, String... headers) throws IOException, InterruptedException {
        String more = String.join("", List.of(headers).stream().map(h -> h + "\\r\\n").toList());
        String head = "POST " + path + " HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\nContent-Type: application/json\\r\\nContent-Length: "
                + body.length()
                + "\\r\\n" + more + "\\r\\n";
        return said(stranger(relay, "exec 3<>/dev/tcp/127.0.0.1/$1; printf '" + head + body + "' >&3; cat <&3"));
    }

    @Test
    void refusesOrdersOfOtherUsersAndAuditsThem() throws Exception {
        Path data = folder.resolve("data");
        try (Relays relay = Relays.start(folder, "site-a", "--data", data.toString())) {
            assertThat(order(relay, "/api/v1/mode", "{\"mode\":\"pooled\"}")).startsWith("HTTP/1.1 401").contains("user " + NOBODY);
            assertThat(order(relay, "/api/v1/drain", "{\"drain\":true}")).startsWith("HTTP/1.1 401");
            assertThat(order(relay, "/api/v1/end-job", "{\"job\":\"1\"}")).startsWith("HTTP/1.1 401");
            assertThat(order(relay, "/api/v1/checkpoint", "{\"job\":\"1\"}")).startsWith("HTTP/1.1 401");
            assertThat(ask(relay, "GET /api/v1/jobs/1/output")).as("what programs print").startsWith("HTTP/1.1 401");
            assertThat(ask(relay, "GET /api/v1/jobs/1")).startsWith("HTTP/1.1 404");
            assertThat(relay.get("/api/v1/relays").at("/relays/0/mode").asText()).isEqualTo("multiplexed");
            Path secret = data.resolve("ops-token");
            Path audit = data.resolve("audit.log");
            for (Path file : List.of(secret, audit)) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).as(file.toString()).isEqualTo("rw-------");
            }
            String token = Files.readString(secret).strip();
            assertThat(order(relay, "/api/v1/mode", "{\"mode\":\"pooled\"}", "Authorization: Bearer " + token)).startsWith("HTTP/1.1 200");
            assertThat(ask(relay, "GET /api/v1/jobs/1/output", "Authorization: Bearer " + token)).startsWith("HTTP/1.1 404");
            Command.Result own = Command.run(folder, "mode", "multiplexed", "--ops", relay.ready().console());
            assertThat(own.status()).as(own.err()).isZero();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(Files.readString(audit))
                    .contains("refused site-a: console: user 65534 at 127.0.0.1:", "POST /api/v1/mode: it shows no secret")
                    .contains("changed console: user 65534 at 127.0.0.1:", "with the secret: ModeOrder[mode=pooled")
                    .contains("changed console: user 0 at 127.0.0.1:", "ModeOrder[mode=multiplexed"));
            assertThat(Files.readString(audit)).doesNotContain(token);
        }
    }

    /** He listens where a relay was, and asks for the secret as its console does. */
    @Test
    void impostorConsoleDoesNotReceiveTheSecret() throws Exception {
        String token = Token.random().hex();
        Path file = Files.writeString(folder.resolve("token"), token);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        String port = String.valueOf(Relays.freePort());
        String answers = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}" + "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"relays\":[]}";
        Process stranger = new ProcessBuilder("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups",
                Installation.java().toString(), "-XX:-UsePerfData", "-cp", Installation.jarOf(Stranger.class).toString(), Stranger.class.getName(),
                "listen", port, HexFormat.of().formatHex(answers.getBytes(StandardCharsets.US_ASCII)))
                .directory(Path.of("/").toFile()).redirectErrorStream(true).start();
        try (BufferedReader said = stranger.inputReader()) {
            assertThat(said.readLine()).isEqualTo("listens");
            String[] drain = {"drain", "--ops", "127.0.0.1:" + port, "--ops-token-file", file.toString()};
            Command.Result refused = Command.run(folder, drain);
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err().strip()).hasLineCount(1)
                    .contains("what listens at 127.0.0.1:" + port + " is a process of user " + NOBODY, "was not shown the secret", "--ops-user " + NOBODY);
            assertThat(heard(said.readLine())).startsWith("POST /api/v1/drain HTTP/1.1").doesNotContain(token);
            Command.Result named = Command.run(folder, Stream.concat(Stream.of(drain), Stream.of("--ops-user", NOBODY)).toArray(String[]::new));
            assertThat(named.status()).as(named.err()).isZero();
            assertThat(heard(said.readLine())).contains("Authorization: Bearer " + token);
            Command.Result login = Command.run(folder, "drain", "--ops", "127.0.0.1:" + port, "--ops-user", NOBODY, "--ops-login", "bob",
                    "--ops-password-file", file.toString());
            assertThat(login.status()).as(login.err()).isZero();
            assertThat(heard(said.readLine())).contains("Authorization: Basic " + Base64.getEncoder().encodeToString(("bob:" + token).getBytes(UTF_8)));
        } finally {
            stranger.destroyForcibly().waitFor();
        }
    }

    private static String heard(String line) {
        return new String(HexFormat.of().parseHex(line.replace("heard ", "")), StandardCharsets.US_ASCII);
    }

    @Test
    void aConsoleThatIsPrivateShowsStrangersHealthAlone() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a", "--private-console")) {
            for (String path : List.of("/metrics", "/api/v1/jobs", "/api/v1/relays", "/api/v1/events")) {
                assertThat(ask(relay, "GET " + path)).as(path).startsWith("HTTP/1.1 401");
            }
            assertThat(ask(relay, "GET /healthz")).startsWith("HTTP/1.1 200");
            assertThat(ask(relay, "GET /readyz")).startsWith("HTTP/1.1 200");
            assertThat(relay.get("/api/v1/relays").path("relays")).hasSize(1);
        }
    }

    @Tag("long")
    @Test
    void aLoginThatCannotBeIsRefusedInOneLine() throws Exception {
        Path open = Files.writeString(folder.resolve("open"), "correct horse");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        Path empty = Files.createFile(folder.resolve("empty"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        assertThat(login("--ops-login", "bob")).contains("--ops-login NAME and --ops-password-file FILE are given together");
        assertThat(login("--ops-login", "b:ob", "--ops-password-file", open.toString())).contains("--ops-login is \"b:ob\", expected");
        assertThat(login("--ops-login", "bob", "--ops-password-file", open.toString())).contains("the password file " + open + " can be read", "chmod 600");
        assertThat(login("--ops-login", "bob", "--ops-password-file", empty.toString())).contains("the password file " + empty + " has 0 lines, expected one");
        assertThat(login("--ops-login", "bob", "--ops-password-file", folder.resolve("none").toString())).contains("cannot be read");
    }

    private String login(String... options) throws Exception {
        Command.Result refused = Command.run(folder, Stream.concat(Stream.of("status"), Stream.of(options)).toArray(String[]::new));
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err().strip()).hasLineCount(1);
        return refused.err();
    }

    /** His own browser would show the login; another user's process has nothing of it, and the relay's own user needs none. */
    @Tag("long")
    @Test
    void aConsoleWithUsersLetsOtherUsersInByPasswordAlone() throws Exception {
        Path data = folder.resolve("data");
        UsersFile users = new UsersFile(folder.resolve("users"));
        users.write(Users.NONE.with(new ConsoleUser("bob", Role.VIEWER, Passwords.hash("correct horse"))));
        try (Relays relay = Relays.start(folder, "site-a", "--data", data.toString(), "--ops-users", users.toString())) {
            assertThat(ask(relay, "GET /api/v1/relays")).startsWith("HTTP/1.1 401").contains("log in at /");
            String bob = "Authorization: Basic " + Base64.getEncoder().encodeToString("bob:correct horse".getBytes(StandardCharsets.US_ASCII));
            assertThat(ask(relay, "GET /metrics", bob)).startsWith("HTTP/1.1 200");
            assertThat(order(relay, "/api/v1/drain", "{\"drain\":true}", bob)).startsWith("HTTP/1.1 403").contains("bob is a viewer");
            assertThat(order(relay, "/api/v1/login", "{\"name\":\"bob\",\"password\":\"wrong horse\"}")).startsWith("HTTP/1.1 401");
            String in = order(relay, "/api/v1/login", "{\"name\":\"bob\",\"password\":\"correct horse\"}");
            assertThat(in).startsWith("HTTP/1.1 200").contains("HTTPOnly; SameSite=Strict");
            assertThat(Command.run(folder, "status", "--ops", relay.ready().console()).status()).isZero();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(Files.readString(data.resolve("audit.log")))
                    .contains("refused site-a: console: user 65534 at 127.0.0.1:", "login as \"bob\": name or password is wrong")
                    .contains("refused site-a: console: bob (viewer), user 65534 at ", "a viewer gives no orders")
                    .contains("changed console: bob (viewer), user 65534 at ", ": logged in"));
        }
    }

    @Test
    void healthAnswersDespiteHeldConnectionsOfOtherUsers() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a")) {
            String hold = "for i in $(seq " + HELD + "); do exec {fd}<>/dev/tcp/127.0.0.1/$1;"
                    + " [ $((i % 2)) = 0 ] || printf 'POST /api/v1/mode HTTP/1.1\\r\\nHost: localhost\\r\\nX: half' >&$fd; done; echo held; cat";
            Process stranger = stranger(relay, hold);
            try {
                assertThat(new String(stranger.getInputStream().readNBytes(4), StandardCharsets.UTF_8)).isEqualTo("held");
                for (int i = 0; i < 20; i++) {
                    assertThat(relay.get("/healthz").path("status").asText()).isEqualTo("ok");
                    assertThat(relay.get("/readyz").path("ready").asBoolean()).isTrue();
                }
            } finally {
                stranger.destroyForcibly();
            }
        }
    }
}
