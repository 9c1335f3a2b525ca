package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.Posthouse;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** compose.yaml: its fields, and its commands, which run here as they are in network namespaces in place of containers. */
@Timeout(600)
class ComposeTest {
    private static final Path FILE = Path.of(System.getProperty("basedir", ""), "../compose.yaml");
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    private static Map<?, ?> file() throws IOException {
        return (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(Files.readString(FILE));
    }

    private static List<String> command(String service) throws IOException {
        Map<?, ?> services = (Map<?, ?>) file().get("services");
        return ((List<?>) ((Map<?, ?>) services.get(service)).get("command")).stream().map(String::valueOf).toList();
    }

    @Test
    void hasServicesThatComposeKnowsAndCommandsThatPosthouseKnows() throws IOException {
        assertThat(file().keySet().stream().map(String::valueOf)).containsExactlyInAnyOrder("services", "volumes");
        Map<?, ?> services = (Map<?, ?>) file().get("services");
        Map<?, ?> volumes = (Map<?, ?>) file().get("volumes");
        assertThat(services).hasSize(4);
        services.forEach((name, fields) -> {
            Map<?, ?> service = (Map<?, ?>) fields;
            assertThat(service.keySet().stream().map(String::valueOf)).as("%s", name)
                    .isSubsetOf("image", "build", "entrypoint", "command", "volumes", "restart", "depends_on");
            ((List<?>) service.get("volumes")).forEach(volume -> assertThat(volumes.containsKey(volume.toString().split(":")[0])).as("%s", volume).isTrue());
            if (service.get("depends_on") instanceof Map<?, ?> others) {
                others.keySet().forEach(other -> assertThat(services.containsKey(other)).as("%s of %s", other, name).isTrue());
            }
        });
        for (String service : List.of("site-a", "site-b", "job")) {
            String[] words = command(service).toArray(String[]::new);
            assertThatCode(() -> Posthouse.commandLine().parseArgs(words)).as(service).doesNotThrowAnyException();
        }
    }

    @Tag("long")
    @Test
    void itsJobRunsOverItsTwoSites() throws Exception {
        assumeTrue(Namespaces.areThere(), "no network namespaces here: the two sites cannot have a network of their own");
        Path keys = Files.createDirectory(folder.resolve("keys"));
        try (Namespaces hosts = Namespaces.of(3);
                CheckoutFolder a = host(hosts, 1);
                CheckoutFolder b = host(hosts, 2);
                CheckoutFolder job = host(hosts, 0)) {
            String makeKeys = command("keys").getFirst().replace("/keys", keys.toString());
            for (int starts = 0; starts < 2; starts++) { // As often as the grid is started.
                assertThat(job.run(makeKeys)).satisfies(made -> assertThat(made.status()).as(made.text()).isZero());
            }
            Path first = a.startAside(posthouse("site-a", keys, a));
            Path second = b.startAside(posthouse("site-b", keys, b));
            await().atMost(PATIENCE).until(() -> a.run("posthouse status").text().contains("site-b is UP") || !a.allRun() || !b.allRun());
            CheckoutFolder.Result result = job.run(posthouse("job", keys, job));
            assertThat(result.status()).as(result.text() + Files.readString(first) + Files.readString(second)).isZero();
            assertThat(result.text()).contains("[0]");
            a.stop();
            b.stop();
        }
    }

    private CheckoutFolder host(Namespaces hosts, int host) throws IOException {
        return new CheckoutFolder(Files.createDirectory(folder.resolve("host" + host)), hosts.enter(host));
    }

    /** With addresses in place of the services' names. */
    private static String posthouse(String service, Path keys, CheckoutFolder host) throws IOException {
        return "posthouse " + command(service).stream()
                .map(word -> "'" + word.replaceFirst("^/keys", keys.toString()).replaceFirst("^/data", host.folder() + "/data")
                        .replace("=site-a:", "=10.77.1.2:").replaceFirst("^site-a:", "10.77.1.2:").replaceFirst("^site-b:", "10.77.2.2:") + "'")
                .collect(Collectors.joining(" "));
    }
}
