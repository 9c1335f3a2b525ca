package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.demo.Demo;

/**
 * The image, built by buildah from what git has of this checkout, on bases that are made from this Debian: no registry is asked. Its containers are the
 * image's root file system, as the image's user, with processes and a network of their own. {@code -Dposthouse.image=NAME} takes one that is there.
 */
@Tag("long")
@Timeout(3_600)
class ImageTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..").toAbsolutePath().normalize();
    private static final String IMAGE = System.getProperty("posthouse.image", "localhost/posthouse-tested");
    private static final long BYTES_MAX = 600L << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** The jobs of {@code posthouse demo}. */
    private static final List<String> DEMO = List.of(
            "pi 500000000", "ring 400 1024", "heat 256 1000", "waves 100000 2000", "life --pattern diehard", "kmeans", "matmul 384 256 512", "nas-ep S",
            "nas-is S",
            "nas-cg S");

    @TempDir
    private Path folder;

    private static boolean has(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(bin -> Files.isExecutable(Path.of(bin, program)));
    }

    private static String must(Path where, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(where.toFile()).redirectErrorStream(true);
        builder.environment().put("BUILDAH_ISOLATION", "chroot");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(String.join(" ", command) + "\n" + told).isZero();
        return told.strip();
    }

    private void build() throws IOException, InterruptedException {
        if (System.getProperty("posthouse.image") != null) {
            return;
        }
        Path checkout = Files.createDirectory(folder.resolve("checkout"));
        must(ROOT, "sh", "-c", "git archive HEAD | tar -x -C '" + checkout + "'");
        must(checkout, ".ci/image-bases");
        String repository = System.getProperty("maven.repo.local", System.getProperty("user.home") + "/.m2/repository");
        must(checkout, "buildah", "bud", "--format", "docker", "--build-arg", "BASE=localhost/posthouse-base", "--build-arg",
                "BUILD_BASE=localhost/posthouse-build-base", "--build-arg", "MAVEN_OPTIONS=-o -Dmaven.repo.local=/m2", "-v", repository + ":/m2", "-t", IMAGE,
                ".");
    }

    @Test
    void twoContainersRunTheDemosJobsAndLoseNothingAtSigterm() throws Exception {
        assumeTrue(has("buildah") && has("git") && has("dpkg-query") && has("mvn"), "no buildah, git, dpkg or Maven here: the image is not built");
        assumeTrue(Files.isWritable(Path.of("/")) && Namespaces.areThere(), "no root or no network namespaces here: the image's containers cannot run");
        build();
        checkConfiguration();
        String container = must(folder, "buildah", "from", IMAGE);
        try {
            runTwoSites(Path.of(must(folder, "buildah", "mount", container)));
        } finally {
            must(folder, "buildah", "rm", container);
        }
    }

    private void checkConfiguration() throws IOException, InterruptedException {
        JsonNode image = new ObjectMapper().readTree(must(folder, "buildah", "inspect", "--type", "image", IMAGE));
        JsonNode config = image.at("/Docker/config");
        assertThat(config.get("User").asText()).isEqualTo("1000:1000");
        assertThat(config.at("/Healthcheck/Test/1").asText()).isEqualTo("/opt/posthouse/healthcheck");
        assertThat(config.get("StopSignal").asText()).isEqualTo("SIGTERM");
        assertThat(config.get("Volumes").has("/data") && config.get("Volumes").has("/keys")).as("volumes").isTrue();
        for (String label : List.of("title", "description", "version", "revision", "licenses")) {
            assertThat(config.get("Labels").path("org.opencontainers.image." + label).asText()).as(label).isNotEmpty();
        }
    }

    private void runTwoSites(Path root) throws Exception {
        assertThat(Long.parseLong(must(folder, "du", "-sxb", root.toString()).split("\\s")[0])).as("bytes of the image's files").isBetween(100L << 20,
                BYTES_MAX);
        must(root, "install", "-d", "-o", "1000", "-g", "1000", "data/a", "data/b", "data/job");
        try (Namespaces hosts = Namespaces.of(3)) {
            String made = new Container(hosts, 0, root, "posthouse init --yes --links 10.77.1.2:7412 /data/grid; id -u").waitForText(0);
            assertThat(made).endsWith("1000\n");
            String common = " --listen 0.0.0.0:7411 --tunnel-group --token-file /data/grid/site-";
            String relayA =
                    "exec posthouse relay --site site-a --data /data/a --keys /data/grid/site-a/keys --links 0.0.0.0:7412 --announce 10.77.1.2:7411" + common
                            + "a/token";
            String relayB =
                    "exec posthouse relay --site site-b --data /data/b --keys /data/grid/site-b/keys --peer site-a=10.77.1.2:7412 --announce 10.77.2.2:7411"
                            + common + "b/token";
            Container a = new Container(hosts, 1, root, relayA);
            Container b = new Container(hosts, 2, root, relayB);
            try {
                await().atMost(PATIENCE).until(() -> a.enter("posthouse status").contains("site-b is UP") || !a.process.isAlive() || !b.process.isAlive());
                assertThat(a.enter("/opt/posthouse/healthcheck; echo healthy: $?")).as(a.text()).endsWith("healthy: 0\n");
                assertThat(DEMO.stream().map(job -> job.split(" ")[0])).as("the demo's jobs").isEqualTo(Demo.examples());
                for (String job : DEMO) {
                    assertThat(job(hosts, root, job).waitForText(0)).as(job).contains("Verification: SUCCESSFUL");
                }
                double before = deliveries(a);
                Container loaded = job(hosts, root, "ring 6000 1024");
                await().atMost(PATIENCE).until(() -> deliveries(a) > before + 1_000 || !loaded.process.isAlive());
                a.endAtSigterm();
                Container again = new Container(hosts, 1, root, relayA);
                try {
                    assertThat(loaded.waitForText(0)).as("a job whose relay had to end and came back").containsOnlyOnce("Verification: SUCCESSFUL");
                    again.endAtSigterm();
                } finally {
                    again.kill();
                }
                b.endAtSigterm();
            } finally {
                a.kill();
                b.kill();
            }
        }
    }

    private Container job(Namespaces hosts, Path root, String job) throws IOException {
        return new Container(hosts, 0, root,
                "cd /data/job && posthouse run -n 4 --relay 10.77.1.2:7411 --relay 10.77.2.2:7411 --token-file /data/grid/site-a/token"
                        + " --durability process example:" + job);
    }

    /** Messages that the relay has delivered in all. */
    private static double deliveries(Container relay) throws IOException, InterruptedException {
        String status = relay.enter("posthouse status --json");
        return new ObjectMapper().readTree(status).path("relays").path(0).path("counters").path("messagesOut").asDouble();
    }

    /** Runs a command in the image's file system, as the engine does: it is process 1 of its own. */
    private final class Container {
        private final Path root;
        private final Process process;
        private final Path output;

        Container(Namespaces hosts, int host, Path root, String command) throws IOException {
            this.root = root;
            String prepared = "mount -t proc proc '" + root + "/proc' && mount --rbind /dev '" + root + "/dev' && exec " + chroot();
            output = Files.createTempFile(folder, "container", ".out");
            process = started(hosts.enterNetwork(host, List.of("unshare", "-m", "-p", "-f", "--kill-child", "bash", "-c", prepared, "container")), command,
                    output);
        }

        private String chroot() {
            return "chroot --userspec=1000:1000 '" + root
                    + "' /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/data POSTHOUSE_JAVA_HOME=/opt/java bash -c \"cd /data; $1\"";
        }

        private Process started(List<String> first, String command, Path to) throws IOException {
            List<String> words = new ArrayList<>(first);
            words.add(command);
            return new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true).redirectOutput(to.toFile()).start();
        }

        String text() throws IOException {
            return Files.readString(output, StandardCharsets.UTF_8);
        }

        String waitForText(int status) throws IOException, InterruptedException {
            assertThat(process.waitFor(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS)).as(text()).isTrue();
            assertThat(process.exitValue()).as(text()).isEqualTo(status);
            return text();
        }

        private ProcessHandle first() {
            return process.children().findFirst().orElseThrow();
        }

        /** What another command prints in the same container. */
        String enter(String command) throws IOException, InterruptedException {
            Path to = Files.createTempFile(folder, "entered", ".out");
            String pid = Long.toString(first().pid());
            started(List.of("nsenter", "-t", pid, "-n", "-m", "-p", "--", "bash", "-c", "exec " + chroot(), "entered"), command, to).waitFor();
            return Files.readString(to, StandardCharsets.UTF_8);
        }

        void endAtSigterm() throws IOException, InterruptedException {
            first().destroy();
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).as("ends within 10 s of SIGTERM").isTrue();
            assertThat(process.exitValue()).as(text()).isEqualTo(143);
        }

        void kill() {
            process.children().forEach(ProcessHandle::destroyForcibly);
        }
    }
}
