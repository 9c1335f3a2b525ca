package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.ops.access.TestUsers;

/** Every method of every path that openapi.json has, of a console with users: as a stranger, as a viewer, as an operator, and under a foreign name. */
@Timeout(120)
class ConsoleWalkTest {
    private static final Set<String> OPEN = Set.of("/healthz", "/readyz", "/livez", "/openapi.json", "/api/v1/login");

    /** Orders that the test's relay follows; one that is not here is given empty, and refused by its words. */
    private static final Map<String, String> ORDERS = Map.of(
            "/api/v1/mode", "{\"mode\":\"pooled\",\"loops\":4}",
            "/api/v1/drain", "{\"drain\":true}",
            "/api/v1/drain-node", "{\"node\":\"n1\",\"drain\":true}",
            "/api/v1/end-job", "{\"job\":\"" + Scenes.JOB + "\"}");

    /** What programs have written is for those who may give orders. */
    private static final String OUTPUT = "/output";

    private static final Map<String, String> HEADERS = Map.of(
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "no-referrer",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Cross-Origin-Opener-Policy", "same-origin");

    @TempDir
    private Path folder;

    private OpsFixture ops;

    /** A method and a path of the document. */
    private record Step(String method, String path, boolean order) {}

    @BeforeEach
    void open() throws Exception {
        OpsConfig.Access access = new OpsConfig.Access(PeerTrust.NOBODY, Optional.empty(), false, ConsoleAudit.NONE)
                .users(Optional.of(TestUsers.in(folder)));
        ops = new OpsFixture(OpsConfig.loopback(0).access(access));
    }

    @AfterEach
    void close() throws Exception {
        ops.close();
    }

    private static List<Step> steps() throws Exception {
        JsonNode paths;
        try (var in = ConsoleWalkTest.class.getResourceAsStream("/org/posthouse/ops/openapi.json")) {
            paths = OpsFixture.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8)).path("paths");
        }
        List<Step> steps = new ArrayList<>();
        paths.properties().forEach(path -> path.getValue().fieldNames().forEachRemaining(method -> steps.add(
                new Step(method.toUpperCase(Locale.ROOT), path.getKey().replace("{id}", Scenes.JOB),
                        method.equals("post") && !path.getKey().contains("/log")))));
        assertThat(steps).hasSizeGreaterThan(15).filteredOn(Step::order).hasSizeGreaterThanOrEqualTo(ORDERS.size());
        return steps;
    }

    /** The status of the answer, and its headers, of a request with these headers. */
    private int status(Step step, String host, String... headers) throws Exception {
        String body = step.method.equals("POST") ? ORDERS.getOrDefault(step.path, "{}") : "";
        StringBuilder head = new StringBuilder(step.method + " " + step.path + " HTTP/1.1\r\nHost: " + host + "\r\n");
        List.of(headers).forEach(header -> head.append(header).append("\r\n"));
        head.append("Content-Type: application/json\r\nContent-Length: ").append(body.length()).append("\r\n\r\n").append(body);
        try (Socket socket = ops.raw(head.toString())) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String first = lines.readLine();
            List<String> told = new ArrayList<>();
            for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
                told.add(line.toLowerCase(Locale.ROOT));
            }
            HEADERS.forEach((name, value) -> assertThat(told).as("%s", step).contains((name + ": " + value).toLowerCase(Locale.ROOT)));
            assertThat(told).as("%s", step).anyMatch(line -> line.startsWith("content-security-policy: default-src 'none'"))
                    .anyMatch(line -> line.matches("cache-control: no-(store|cache)"))
                    .noneMatch(line -> line.startsWith("access-control-") || line.startsWith("strict-transport-security"));
            return Integer.parseInt(first.split(" ")[1]);
        }
    }

    private String cookie(String name) throws Exception {
        var in = ops.post("/api/v1/login", "{\"name\":\"" + name + "\",\"password\":\"" + TestUsers.PASSWORD + "\"}", "Content-Type", "application/json");
        return "Cookie: " + in.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    }

    private String origin() {
        return "Origin: http://localhost:" + ops.server.port();
    }

    private String here() {
        return "localhost:" + ops.server.port();
    }

    @Test
    void withoutALoginNothingIsShownOrOrdered() throws Exception {
        for (Step step : steps()) {
            int status = status(step, here());
            if (step.method.equals("GET") && OPEN.contains(step.path)) {
                assertThat(status).as("%s", step).isEqualTo(200);
            } else if (!step.path.startsWith("/api/v1/log")) {
                assertThat(status).as("%s", step).isEqualTo(401);
            }
        }
    }

    @Test
    void aViewerSeesAllButOutputAndOrdersNothing() throws Exception {
        String cookie = cookie(TestUsers.VIEWER);
        for (Step step : steps()) {
            if (!step.path.startsWith("/api/v1/log")) {
                assertThat(status(step, here(), cookie, origin())).as("%s", step).isEqualTo(step.order || step.path.endsWith(OUTPUT) ? 403 : 200);
            }
        }
    }

    @Test
    void anOperatorSeesAndOrdersAll() throws Exception {
        String cookie = cookie(TestUsers.OPERATOR);
        for (Step step : steps()) {
            if (!step.path.startsWith("/api/v1/log")) {
                assertThat(status(step, here(), cookie, origin())).as("%s", step).isEqualTo(ORDERS.containsKey(step.path) || !step.order ? 200 : 400);
            }
        }
    }

    @Test
    void aForeignNameIsRefusedEverywhere() throws Exception {
        String cookie = cookie(TestUsers.OPERATOR);
        for (Step step : steps()) {
            assertThat(status(step, "rebind.example", cookie, "Origin: http://rebind.example")).as("%s", step).isEqualTo(403);
        }
    }

    /** Every address of a page, and each file that it loads: they show nothing of the relay, and the login is among them. */
    @Test
    void thePageItselfIsOpen() throws Exception {
        for (String page : ConsoleAssets.PAGES) {
            assertThat(status(new Step("GET", page.replace(":id", "x"), false), here())).as(page).isEqualTo(200);
        }
    }
}
