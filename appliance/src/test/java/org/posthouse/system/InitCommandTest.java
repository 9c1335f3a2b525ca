package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.cli.Posthouse;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** {@code posthouse init}: the commands that it prints are run as they are, in a network of their own. */
@Timeout(600)
class InitCommandTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    private String grid() {
        return folder.resolve("my grid").toString();
    }

    private static List<String> commands(String printed) {
        return printed.lines().filter(line -> line.startsWith("  ")).map(String::strip).toList();
    }

    @Tag("long")
    @Test
    void whatItPrintsRunsTwoRelaysAndAJobOverBoth() throws Exception {
        assumeTrue(Namespaces.areThere(), "no network namespaces here: the ports of the printed commands may be in use");
        try (Namespaces host = Namespaces.apart(1); CheckoutFolder checkout = new CheckoutFolder(folder, host.enter(0))) {
            CheckoutFolder.Result written = checkout.run("./posthouse init --yes");
            assertThat(written.status()).as(written.text()).isZero();
            List<String> commands = commands(written.text());
            assertThat(commands).hasSize(4);
            List<Path> relays = List.of(checkout.startAside(commands.get(0)), checkout.startAside(commands.get(1)));
            await().atMost(PATIENCE).until(() -> checkout.run("./posthouse status").text().contains("link      site-b is UP") || !checkout.allRun());
            CheckoutFolder.Result job = checkout.run(commands.get(2));
            assertThat(job.status()).as(job.text() + relays).isZero();
            assertThat(job.text()).contains("[0]");
            assertThat(folder.resolve("posthouse-grid/site-a/data/log")).isDirectory();
            checkout.stop();
        }
    }

    /** An answer that is wrong is asked for again. */
    @Test
    void asksFourQuestions() throws Exception {
        try (CheckoutFolder checkout = new CheckoutFolder(folder, List.of())) {
            CheckoutFolder.Result written = checkout.run("printf 'orsay\\norsay\\nrennes\\nlogin\\nlogin.example.org:7500\\n\\n' | ./posthouse init 'my grid'");
            assertThat(written.text()).contains("1. ", "2. ", "3. ", "4. ", "both sites are called \"orsay\"", "\"login\" has no port number");
            assertThat(written.status()).isZero();
            assertThat(Files.readString(folder.resolve("my grid/orsay/relay.yaml"))).contains("links: \"login.example.org:7500\"", "via: \"rennes/ranks=");
            assertThat(Files.readString(folder.resolve("my grid/rennes/relay.yaml"))).contains("peer: \"orsay=login.example.org:7500\"", "forward: \"ranks=");
            assertThat(commands(written.text())).contains("'" + "my grid/orsay" + "'/relay", "rennes/relay");
            CheckoutFolder.Result unanswered = checkout.run("./posthouse init other </dev/null");
            assertThat(unanswered.status()).isEqualTo(1);
            assertThat(unanswered.text()).contains("the input ended before the answer");
            assertThat(folder.resolve("other")).doesNotExist();
        }
    }

    @Test
    void writesOverNothingAndShowsSecretsToNobody() throws IOException {
        assertThat(InProcess.run("init", "--yes", grid()).status()).isZero();
        try (Stream<Path> files = Files.walk(Path.of(grid()))) {
            assertThat(files.filter(file -> file.endsWith("token") || file.toString().endsWith(".key")))
                    .hasSize(5)
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------"));
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(grid())))).isEqualTo("rwx------");
        String token = Files.readString(Path.of(grid(), "site-a/token"));
        InProcess.Result again = InProcess.run("init", "--yes", grid());
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.err()).contains(grid() + " exists already");
        assertThat(Files.readString(Path.of(grid(), "site-a/token"))).isEqualTo(token);
    }

    @Test
    void wrongOptionsWriteNothing() {
        for (List<String> wrong : List.of(List.of("--first", "A"), List.of("--second", "site-a"), List.of("--links", "host:0"), List.of("--first", "grid"))) {
            InProcess.Result refused = InProcess.run(Stream.of(List.of("init", "--yes", grid()), wrong).flatMap(List::stream).toArray(String[]::new));
            assertThat(refused.status()).as("%s", wrong).isEqualTo(1);
            assertThat(refused.err()).as("%s", wrong).contains(wrong.get(1));
            assertThat(Path.of(grid())).doesNotExist();
        }
    }

    @Test
    void composeFileHasCommandsOfTheImage() throws IOException {
        assertThat(InProcess.run("init", "--yes", "--second", "far-1", "--links", "h:1", grid()).status()).isZero();
        Map<?, ?> compose = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(Files.readString(Path.of(grid(), "compose.yaml")));
        Map<?, ?> services = (Map<?, ?>) compose.get("services");
        assertThat(services.keySet().stream().map(String::valueOf)).containsExactly("site-a", "far-1", "job");
        services.values().forEach(service -> {
            List<?> command = (List<?>) ((Map<?, ?>) service).get("command");
            assertThatCode(() -> Posthouse.commandLine().parseArgs(command.stream().map(String::valueOf).toArray(String[]::new)))
                    .as("%s", command).doesNotThrowAnyException();
            ((List<?>) ((Map<?, ?>) service).get("volumes"))
                    .forEach(volume -> assertThat(Path.of(grid(), volume.toString().split(":")[0])).as("%s", volume).isDirectory());
        });
    }
}
