package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page is complete on its own and allows nothing from elsewhere. */
@Timeout(120)
class ConsolePageTest {

    private static final Pattern REFERENCE = Pattern.compile("(?:src|href)=\"([^\"]+)\"");
    private static final Pattern IMPORT =
            Pattern.compile("(?:\\bfrom|\\bimport\\(?)\\s*[\"']([^\"'\\s]+)[\"']");
    private static final Pattern STATIC_IMPORT = Pattern.compile("(?:\\bfrom|\\bimport)\\s*[\"']([^\"'\\s]+)[\"']");
    private static final Pattern PRELOAD = Pattern.compile("rel=\"modulepreload\" href=\"([^\"]+)\"");
    private static final Pattern IMPORT_MAP =
            Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);

    private OpsFixture ops;

    @BeforeEach
    void open() throws Exception {
        ops = new OpsFixture();
    }

    @AfterEach
    void close() throws Exception {
        ops.close();
    }

    @Test
    void everyFileThatThePageAsksForIsThere() throws Exception {
        String index = ops.get("/").body();
        JsonNode imports = OpsFixture.parse(find(IMPORT_MAP, index)).path("imports");
        Deque<String> toVisit = new ArrayDeque<>();
        REFERENCE.matcher(index).results().map(m -> m.group(1)).filter(path -> path.startsWith("/console/") || path.startsWith("/webjars/"))
                .forEach(toVisit::add);
        Set<String> seen = new HashSet<>();
        while (!toVisit.isEmpty()) {
            String path = toVisit.remove();
            if (path.equals("/console/live.js")) {
                toVisit.add("/console/worker.js"); // It starts this one by its name.
            }
            if (seen.add(path)) {
                HttpResponse<String> answer = ops.get(path);
                assertThat(answer.statusCode()).as(path).isEqualTo(200);
                if (path.endsWith(".js")) {
                    assertThat(answer.headers().firstValue("content-type")).as(path)
                            .hasValue("text/javascript; charset=utf-8");
                    IMPORT.matcher(answer.body()).results().map(m -> resolve(path, m.group(1), imports))
                            .forEach(toVisit::add);
                }
            }
        }
        assertThat(seen).contains("/console/app.js", "/console/jobs.js", "/console/mode.js", "/console/router.js", "/console/chart.js",
                "/webjars/uplot/dist/uPlot.esm.js",
                "/console/console.css", "/console/favicon.svg",
                "/webjars/lit/index.js", "/webjars/lit-html/lit-html.js", "/webjars/lit-html/directive-helpers.js",
                "/webjars/lit__reactive-element/css-tag.js", "/webjars/lit-element/lit-element.js");
    }

    /** A module that is found only in its importer costs a round trip for each of those above it; one that is not needed costs its bytes. */
    @Test
    void theDocumentPreloadsTheModulesOfItsFirstDrawingAndNoOthers() throws Exception {
        String index = ops.get("/").body();
        JsonNode imports = OpsFixture.parse(find(IMPORT_MAP, index)).path("imports");
        Set<String> needed = new TreeSet<>();
        Deque<String> toVisit = new ArrayDeque<>(List.of("/console/app.js"));
        while (!toVisit.isEmpty()) {
            String path = toVisit.remove();
            if (needed.add(path)) {
                STATIC_IMPORT.matcher(ops.get(path).body()).results().map(m -> resolve(path, m.group(1), imports)).forEach(toVisit::add);
            }
        }
        assertThat(PRELOAD.matcher(index).results().map(m -> m.group(1))).containsExactlyElementsOf(needed);
    }

    /** A deep link and a reload work at every address, and an address that is no page's says so to a browser in HTML and else in JSON. */
    @Test
    void everyPagesAddressIsAnsweredWithTheDocument() throws Exception {
        String document = ops.get("/").body();
        for (String page : ConsoleAssets.PAGES) {
            HttpResponse<String> answer = ops.get(page.replace(":id", "orsay%2F2"));
            assertThat(answer.statusCode()).as(page).isEqualTo(200);
            assertThat(answer.body()).as(page).isEqualTo(document);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (String path : new String[] {"/jobs", "/jobs/1f/no", "/nodes/1"}) {
                HttpResponse<String> answer = client.send(HttpRequest.newBuilder(ops.uri(path)).header("Accept", "text/html,*/*").build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(path).isEqualTo(404);
                assertThat(answer.body()).as(path).isEqualTo(document);
                assertThat(ops.get(path).body()).as(path).startsWith("{\"status\":404");
            }
        }
    }

    @Test
    void asksNothingOfOtherHosts() throws Exception {
        for (String path : new String[] {"/", "/console/app.js", "/console/stream.js", "/console/console.css"}) {
            assertThat(ops.get(path).body()).as(path).doesNotContainPattern("(https?:)?//[a-z]+\\.[a-z]");
        }
    }

    @Test
    void allowsOnlyItselfAndItsImportMap() throws Exception {
        HttpResponse<String> page = ops.get("/");
        String policy = page.headers().firstValue("content-security-policy").orElseThrow();
        byte[] map = find(IMPORT_MAP, page.body()).getBytes(StandardCharsets.UTF_8);
        String hash = Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(map));
        assertThat(policy.split("; ")).contains("default-src 'none'", "script-src 'self' 'sha256-" + hash + "'",
                "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'");
        assertThat(policy).doesNotContain("unsafe");
    }

    @Test
    void everyAnswerForbidsSniffingAndFraming() throws Exception {
        for (String path : new String[] {"/", "/healthz", "/metrics", "/no", "/console/app.js", "/api/v1/jobs/Z"}) {
            HttpResponse<String> answer = ops.get(path);
            assertThat(answer.headers().firstValue("x-content-type-options")).as(path).hasValue("nosniff");
            assertThat(answer.headers().firstValue("x-frame-options")).as(path).hasValue("DENY");
            assertThat(answer.headers().firstValue("content-security-policy")).as(path).isPresent();
            assertThat(answer.headers().firstValue("access-control-allow-origin")).as(path).isEmpty();
        }
    }

    @Test
    void sendsAFileOnceAndThenOnlySaysThatItIsTheSame() throws Exception {
        String etag = ops.get("/console/app.js").headers().firstValue("etag").orElseThrow();
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> again = client.send(
                    HttpRequest.newBuilder(ops.uri("/console/app.js")).header("If-None-Match", etag).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(again.statusCode()).isEqualTo(304);
            assertThat(again.body()).isEmpty();
        }
    }

    private static String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(pattern.pattern()).isTrue();
        return matcher.group(1);
    }

    /** As a browser does: exact entry of the import map, else the longest prefix with a slash, else relative. */
    private static String resolve(String from, String name, JsonNode imports) {
        if (name.startsWith("/") || name.startsWith(".")) {
            return URI.create(from).resolve(name).getPath();
        }
        if (imports.has(name)) {
            return imports.path(name).asText();
        }
        String prefix = name.substring(0, name.indexOf('/') + 1);
        assertThat(imports.has(prefix)).as("import map entry for %s, imported by %s", name, from).isTrue();
        return imports.path(prefix).asText() + name.substring(prefix.length());
    }
}
