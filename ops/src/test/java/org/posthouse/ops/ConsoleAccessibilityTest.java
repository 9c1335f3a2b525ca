package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.testkit.Browser;

/**
 * axe-core finds nothing serious in any view, in both colour schemes; the short form of the build (ADR 50) looks at one of them. A picture of each view is
 * written to {@code target/console}. In a real browser, that is the class's.
 */
@Timeout(180)
class ConsoleAccessibilityTest {
    static final String FIND = """
            return axe.run(document, {resultTypes: ['violations']}).then(found => found.violations
                .filter(one => one.impact === 'serious' || one.impact === 'critical')
                .flatMap(one => one.nodes.map(node => one.id + ': ' + node.target + ' ' + node.any.concat(node.all).map(check => check.message))))""";

    @RegisterExtension
    private static final Browser browser = new Browser();

    private static String stub;
    private static String axe;

    @BeforeAll
    static void start() throws IOException {
        stub = read("console-stub.js");
        axe = read("/axe.min.js");
    }

    @ParameterizedTest
    @CsvSource({"grid, /, dark", "nodes, /nodes, light", "names, /names, dark", "events, /events, light", "relay, /relays/rennes-a, dark",
        "job, /jobs/1f4c9ae02b77d310, light", "matrix, /jobs/1f4c9ae02b77d310/matrix, dark", "timeline, /jobs/1f4c9ae02b77d310/timeline, light",
        "waits, /jobs/1f4c9ae02b77d310/waits, dark", "output, /jobs/1f4c9ae02b77d310/output, light", "missing, /no/such/page, dark"})
    void nothingSeriousInAnyView(String view, String path, String only) throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            for (String scheme : Boolean.getBoolean("posthouse.long") ? List.of("dark", "light") : List.of(only)) {
                browser.resize(1280);
                browser.scheme(scheme);
                browser.open(ops.uri(path).toString(), stub);
                browser.await("the view", () -> browser.all(view.equals("missing") ? ".missing" : "main tbody tr, .printed").isEmpty(), false);
                browser.run(axe);
                assertThat(browser.run(FIND)).as("%s, %s", view, scheme).isEqualTo(List.of());
                browser.picture(Path.of(System.getProperty("basedir", "."), "target/console", view + "-" + scheme + ".png"));
            }
        }
    }

    /** Else a version of the script that finds nothing at all would pass. */
    @Test
    void faultIsFound() throws Exception {
        try (OpsFixture ops = new OpsFixture()) {
            browser.open(ops.uri("/nodes").toString());
            browser.await("the view", () -> browser.all("main tbody tr").isEmpty(), false);
            browser.run("const button = document.createElement('button'); document.querySelector('main').append(button)");
            browser.run(axe);
            assertThat(browser.run(FIND).toString()).contains("button-name");
        }
    }

    private static String read(String resource) throws IOException {
        try (InputStream in = ConsoleAccessibilityTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
