package org.posthouse.ops;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Chromium without a window, if the machine has one, with one page. Speaks the DevTools protocol over a pipe. Closed by its test. */
final class Browser implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final String session;
    private int calls;

    private Browser(Process process) throws IOException {
        this.process = process;
        JsonNode page = call("", "Target.createTarget", Map.of("url", "about:blank")).path("targetId");
        session = call("", "Target.attachToTarget", Map.of("targetId", page.asText(), "flatten", true)).path("sessionId").asText();
    }

    /** Skips the test on a machine without one. @param folder for its profile */
    static Browser start(Path folder) throws IOException {
        Optional<Path> chromium = Stream.of(System.getenv("PATH").split(":"))
                .flatMap(bin -> Stream.of("chromium", "chromium-browser", "google-chrome").map(name -> Path.of(bin, name)))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(chromium.isPresent(), "no Chromium on the PATH");
        return new Browser(new ProcessBuilder(
                        "sh", "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null", chromium.get().toString(), "--headless=new", "--no-sandbox",
                        "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + folder, "--remote-debugging-pipe", "about:blank")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    void open(String url, int width) throws IOException {
        call(session, "Emulation.setDeviceMetricsOverride", Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        call(session, "Page.navigate", Map.of("url", url));
    }

    /** What a script's last expression says. */
    JsonNode run(String script) throws IOException {
        JsonNode answer = call(session, "Runtime.evaluate", Map.of("expression", script, "returnByValue", true));
        if (answer.has("exceptionDetails")) {
            throw new AssertionError(script + ": " + answer.path("exceptionDetails"));
        }
        return answer.at("/result/value");
    }

    private JsonNode call(String to, String method, Map<String, Object> parameters) throws IOException {
        ObjectNode call = JSON.createObjectNode().put("id", ++calls).put("method", method);
        call.set("params", JSON.valueToTree(parameters));
        if (!to.isEmpty()) {
            call.put("sessionId", to);
        }
        process.getOutputStream().write((call + "\0").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        JsonNode heard = read();
        while (heard.path("id").asInt() != calls) {
            heard = read();
        }
        if (heard.has("error")) {
            throw new IOException(method + ": " + heard.path("error"));
        }
        return heard.path("result");
    }

    private JsonNode read() throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        InputStream in = process.getInputStream();
        for (int next = in.read(); next != 0; next = in.read()) {
            if (next < 0) {
                throw new IOException("the browser has ended");
            }
            text.write(next);
        }
        return JSON.readTree(text.toByteArray());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        call("", "Browser.close", Map.of());
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
