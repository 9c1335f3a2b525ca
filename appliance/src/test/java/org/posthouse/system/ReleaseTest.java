package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code mvn -Prelease package}, from what git has of this checkout: the installation is unpacked elsewhere and runs without Maven, and the starter project
 * is built against the artifact {@code mpj-lite}. {@code -Dposthouse.release=CHECKOUT} takes one where that has been called.
 */
@Timeout(3_600)
class ReleaseTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..").toAbsolutePath().normalize();
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");
    private static final Pattern OUR_COORDINATES = Pattern.compile("org\\.posthouse:mpj-lite:([^\"]+)\"");

    @TempDir
    private Path folder;

    private static String version() throws IOException {
        return VERSION.matcher(Files.readString(ROOT.resolve("pom.xml"))).results().findFirst().orElseThrow().group(1);
    }

    /** In an environment in which no Maven is found. */
    private static String must(Path where, String path, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(where.toFile()).redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile());
        builder.environment().put("PATH", path);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("POSTHOUSE_JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(String.join(" ", command) + "\n" + told).isZero();
        return told;
    }

    @Test
    void starterProjectsNameThisVersion() throws IOException {
        String pom = Files.readString(ROOT.resolve("mpj-lite/starter/pom.xml"));
        assertThat(pom).contains("<artifactId>mpj-lite</artifactId>\n      <version>" + version() + "</version>");
        assertThat(OUR_COORDINATES.matcher(Files.readString(ROOT.resolve("mpj-lite/starter/build.gradle.kts"))).results().map(found -> found.group(1)))
                .containsExactly(version());
    }

    @Tag("long")
    @Test
    void installationRunsElsewhereAndTheStarterProjectBuilds() throws Exception {
        String path = System.getenv("PATH");
        assumeTrue(Stream.of(path.split(":")).anyMatch(bin -> Files.isExecutable(Path.of(bin, "mvn"))), "no Maven here: the release is not built");
        Path checkout = checkout(path);
        Path tar = checkout.resolve("appliance/target/posthouse-" + version() + ".tar.gz");
        must(folder, path, "tar", "-xzf", tar.toString());
        Path installed = folder.resolve("posthouse-" + version());
        Path bin = Files.createDirectory(folder.resolve("bin"));
        for (String tool : List.of("bash", "sed", "find", "readlink", "dirname", "touch")) {
            Files.createSymbolicLink(bin.resolve(tool), Path.of("/usr/bin", tool));
        }
        assertThat(must(folder, bin.toString(), installed + "/posthouse", "--version")).endsWith("posthouse " + version() + "\n");
        assertThat(must(folder, bin.toString(), installed + "/posthouse", "run", "-n", "2", "example:pi")).contains("[0]");
        assertThat(installed.resolve("LICENSE")).hasSameTextualContentAs(ROOT.resolve("LICENSE"));
        assertThat(Files.readString(installed.resolve("THIRD-PARTY.txt"))).contains("netty", "hazelcast", "Apache");
        assertThat(installed.resolve("docs/tutorial.md")).exists();
        checkArtifact(checkout.resolve("mpj-lite/target"));
        buildStarter(checkout, installed, path);
    }

    private Path checkout(String path) throws IOException, InterruptedException {
        if (System.getProperty("posthouse.release") != null) {
            return Path.of(System.getProperty("posthouse.release"));
        }
        Path checkout = Files.createDirectory(folder.resolve("checkout"));
        must(ROOT, path, "sh", "-c", "git archive HEAD | tar -x -C '" + checkout + "'");
        must(checkout, path, "mvn", "-B", "-ntp", "-q", "-Prelease", "-DskipTests", "-Dformatter.skip", "-pl", "appliance", "-am", "package");
        return checkout;
    }

    private static void checkArtifact(Path target) throws IOException {
        String name = "mpj-lite-" + version();
        try (JarFile jar = new JarFile(target.resolve(name + ".jar").toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name")).isEqualTo("org.posthouse.mpj");
        }
        try (JarFile sources = new JarFile(target.resolve(name + "-sources.jar").toFile())) {
            assertThat(sources.getEntry("mpi/MPI.java")).isNotNull();
        }
        try (JarFile javadoc = new JarFile(target.resolve(name + "-javadoc.jar").toFile())) {
            assertThat(javadoc.getEntry("org.posthouse.mpj/mpi/MPI.html")).isNotNull();
        }
    }

    /** With a local repository that has all of this user's, and our artifacts beside it. */
    private void buildStarter(Path checkout, Path installed, String path) throws Exception {
        Path own = Path.of(System.getProperty("maven.repo.local", System.getProperty("user.home") + "/.m2/repository"));
        Path repository = Files.createDirectories(folder.resolve("repository"));
        link(own, repository, "org");
        link(own.resolve("org"), Files.createDirectory(repository.resolve("org")), "posthouse");
        Path ours = repository.resolve("org/posthouse");
        Path parent = Files.createDirectories(ours.resolve("posthouse/" + version()));
        Files.copy(checkout.resolve("pom.xml"), parent.resolve("posthouse-" + version() + ".pom"));
        Path artifact = Files.createDirectories(ours.resolve("mpj-lite/" + version()));
        Files.copy(checkout.resolve("mpj-lite/pom.xml"), artifact.resolve("mpj-lite-" + version() + ".pom"));
        Files.copy(checkout.resolve("mpj-lite/target/mpj-lite-" + version() + ".jar"), artifact.resolve("mpj-lite-" + version() + ".jar"));
        Path starter = folder.resolve("starter");
        must(folder, path, "cp", "-r", installed.resolve("mpj-lite/starter").toString(), starter.toString());
        must(starter, path, "mvn", "-B", "-o", "-q", "-Dmaven.repo.local=" + repository, "package");
        assertThat(must(starter, path, installed + "/posthouse", "run", "-n", "2", "target/starter-1.jar")).contains("[0] rank 0 of 2, sum 1");
    }

    private static void link(Path from, Path to, String without) throws IOException {
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.filter(entry -> !entry.getFileName().toString().equals(without)).toList()) {
                Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
            }
        }
    }
}
