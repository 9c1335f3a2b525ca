package org.posthouse.ops;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The files of the console page, all in memory. Immutable after {@link #load}.
 *
 * <p>The list is closed: a path that is not on it is 404, so nothing else on the class path can be read. Together
 * about 350 KB, and 110 KB packed. A new module of the page or of Lit is added to the list here; a test follows all imports and finds a
 * missing one.
 */
final class ConsoleAssets {

    /** The addresses of the page's views, as routes: each is answered with the same document. */
    static final List<String> PAGES = List.of(
            "/", "/relays/:id", "/jobs/:id", "/jobs/:id/matrix", "/jobs/:id/timeline", "/jobs/:id/waits", "/jobs/:id/output", "/nodes", "/names",
            "/events");

    private static final List<String> PAGE_FILES = List.of(
            "console.css", "favicon.svg", "app.js", "router.js", "model.js", "silence.js", "format.js", "stream.js", "live.js", "login.js", "worker.js",
            "parts.js", "map.js", "grid.js", "relays.js", "relay.js", "links.js", "lanes.js", "jobs.js", "job.js", "mode.js", "nodes.js",
            "orders.js", "question.js", "poll.js", "chart.js", "eventlog.js", "events.js", "canvas.js", "matrix.js", "matrixcanvas.js", "timeline.js",
            "timelinecanvas.js", "waits.js", "output.js", "names.js");

    /** Modules that the document does not need for its first drawing. */
    private static final Set<String> LATER = Set.of("/console/worker.js", "/console/chart.js", "/webjars/uplot/dist/uPlot.esm.js");

    private static final String PRELOADS = "<!-- modulepreload: ";

    /** Only what a browser loads: no development builds, no polyfills, no source maps. */
    private static final Map<String, List<String>> WEBJAR_FILES = Map.of(
            "uplot", List.of("dist/uPlot.esm.js", "dist/uPlot.min.css"),
            "lit", List.of("index.js", "directives/repeat.js"),
            "lit-element", List.of("lit-element.js"),
            "lit-html", List.of("lit-html.js", "is-server.js", "directive.js", "directive-helpers.js",
                    "directives/repeat.js"),
            "lit__reactive-element", List.of("reactive-element.js", "css-tag.js"));

    private static final Map<String, String> CONTENT_TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "json", "application/json; charset=utf-8",
            "svg", "image/svg+xml; charset=utf-8");

    private static final Pattern IMPORT_MAP =
            Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);

    private final Map<String, Asset> assets;
    private final String contentSecurityPolicy;

    /** One file, as it is and packed; each form has a tag of its own. */
    private record Asset(Buffer body, Buffer packed, String contentType, String etag, String packedEtag) {}

    private ConsoleAssets(Map<String, Asset> assets, String contentSecurityPolicy) {
        this.assets = Map.copyOf(assets);
        this.contentSecurityPolicy = contentSecurityPolicy;
    }

    /**
     * Reads all files from the class path. Blocks: call it on a worker.
     *
     * @throws IOException when a file is missing, naming it
     */
    static ConsoleAssets load() throws IOException {
        Map<String, Asset> assets = new HashMap<>();
        byte[] index = read("/org/posthouse/ops/console/index.html");
        assets.put("/openapi.json", asset("openapi.json", read("/org/posthouse/ops/openapi.json")));
        for (String file : PAGE_FILES) {
            assets.put("/console/" + file, asset(file, read("/org/posthouse/ops/console/" + file)));
        }
        for (Map.Entry<String, List<String>> webjar : WEBJAR_FILES.entrySet()) {
            String name = webjar.getKey();
            String root = "/META-INF/resources/webjars/" + name + "/" + webjarVersion(name) + "/";
            for (String file : webjar.getValue()) {
                assets.put("/webjars/" + name + "/" + file, asset(file, read(root + file)));
            }
        }
        String document = withPreloads(new String(index, StandardCharsets.UTF_8), assets.keySet());
        assets.put("/", asset("index.html", document.getBytes(StandardCharsets.UTF_8)));
        return new ConsoleAssets(assets, policy(document));
    }

    private static String withPreloads(String index, Set<String> paths) throws IOException {
        int at = index.indexOf(PRELOADS);
        if (at < 0) {
            throw new IOException("the console's index.html has no place for preloads: \"" + PRELOADS + "\"");
        }
        String links = paths.stream()
                .filter(path -> path.endsWith(".js") && !LATER.contains(path))
                .sorted()
                .map(path -> "<link rel=\"modulepreload\" href=\"" + path + "\">\n")
                .collect(Collectors.joining());
        return index.substring(0, at) + links + index.substring(index.indexOf('\n', at) + 1);
    }

    /** Everything from this origin only; the one inline script, the import map, is named by its hash. */
    String contentSecurityPolicy() {
        return contentSecurityPolicy;
    }

    /** Sends the asset at the request's path, 304 when the browser has it, or hands on to the next route. */
    void serve(RoutingContext ctx) {
        Asset asset = assets.get(ctx.normalizedPath());
        if (asset == null) {
            ctx.next();
        } else {
            send(ctx, asset);
        }
    }

    /** Sends the page's document, whatever the path: the page reads its address itself. */
    void document(RoutingContext ctx) {
        send(ctx, assets.get("/"));
    }

    /** The same with another status: 404 for a browser at an address that is no page's, which the page says, and 401 for one that has to log in first. */
    void document(RoutingContext ctx, int status) {
        Asset document = assets.get("/");
        ctx.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, document.contentType).end(document.body);
    }

    private static void send(RoutingContext ctx, Asset asset) {
        boolean isPacked = Gzip.isAccepted(ctx.request());
        String etag = isPacked ? asset.packedEtag : asset.etag;
        HttpServerResponse response = ctx.response();
        response.putHeader(HttpHeaders.ETAG, etag).putHeader(HttpHeaders.CACHE_CONTROL, "no-cache").putHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
        if (etag.equals(ctx.request().getHeader(HttpHeaders.IF_NONE_MATCH))) {
            response.setStatusCode(304).end();
            return;
        }
        if (isPacked) {
            response.putHeader(HttpHeaders.CONTENT_ENCODING, Gzip.NAME);
        }
        response.putHeader(HttpHeaders.CONTENT_TYPE, asset.contentType).end(isPacked ? asset.packed : asset.body);
    }

    private static String policy(String index) throws IOException {
        Matcher importMap = IMPORT_MAP.matcher(index);
        if (!importMap.find()) {
            throw new IOException("the console's index.html has no import map, so its modules cannot be found");
        }
        String hash = Base64.getEncoder().encodeToString(sha256(importMap.group(1).getBytes(StandardCharsets.UTF_8)));
        return "default-src 'none'; script-src 'self' 'sha256-" + hash + "'; style-src 'self'; img-src 'self'; "
                + "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types lit-html posthouse";
    }

    private static Asset asset(String file, byte[] body) {
        String contentType = CONTENT_TYPES.get(file.substring(file.lastIndexOf('.') + 1));
        String hash = Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(body));
        Buffer text = Buffer.buffer(body);
        return new Asset(text, Gzip.pack(text), contentType, '"' + hash + '"', '"' + hash + "-gzip\"");
    }

    private static String webjarVersion(String artifact) throws IOException {
        String path = "/META-INF/maven/org.webjars.npm/" + artifact + "/pom.properties";
        Properties properties = new Properties();
        try (InputStream in = open(path)) {
            properties.load(in);
        }
        return properties.getProperty("version");
    }

    private static byte[] read(String path) throws IOException {
        try (InputStream in = open(path)) {
            return in.readAllBytes();
        }
    }

    private static InputStream open(String path) throws IOException {
        InputStream in = ConsoleAssets.class.getResourceAsStream(path);
        if (in == null) {
            throw new IOException("the console's file " + path + " is not on the class path; the build is incomplete");
        }
        return in;
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
