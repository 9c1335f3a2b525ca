package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./posthouse} in a folder of sources, with a Maven and a JDK that only say that they were called. */
@Timeout(60)
final class LauncherScriptTest {
    private static final List<String> JARS = List.of(
            "posthouse.jar", "lib/mpj-lite-0.1.0.jar", "lib/mpj-lite-examples-0.1.0.jar", "lib/logstore-0.1.0.jar",
            "lib/tunnel-0.1.0.jar",
            "lib/ops-0.1.0.jar", "lib/appliance-core-0.1.0.jar", "lib/appliance-names-0.1.0.jar",
            "lib/appliance-raft-0.1.0.jar", "lib/appliance-launch-0.1.0.jar",
            "../lab/target/posthouse-lab.jar", "../lab/target/lib/testkit-0.1.0.jar");

    private static final Pattern MODULE = Pattern.compile("<module>([^/<]+)");

    @TempDir
    private Path home;

    private Path target;

    @BeforeEach
    void install() throws IOException {
        target = home.resolve("appliance/target");
        Files.copy(Path.of(System.getProperty("basedir", ""), "..", "posthouse"), home.resolve("posthouse"));
        script("bin/mvn", "echo built >&2");
        script("jdk/bin/java", "[ \"$4\" = rehearse ] || [ \"$5\" = rehearse ] || echo \"java under ${LC_ALL:-${LC_CTYPE:-none}}\"");
        script("jdk/bin/javac", "");
        file("jdk/release", "JAVA_VERSION=\"25.0.1\"\nJAVA_RUNTIME_VERSION=\"25.0.1+8\"\n", 1);
        file("pom.xml", "", 1);
        for (String module : List.of("tunnel/testkit", "mpj-lite", "mpj-lite/examples", "logstore", "tunnel", "ops", "appliance/core", "appliance/names",
                "appliance/raft", "appliance/launch", "appliance", "appliance/lab")) {
            file(module + "/pom.xml", "", 1);
            file(module + "/src/main/Some.java", "", 1);
        }
        for (String jar : JARS) {
            file("appliance/target/" + jar, "", 2);
        }
    }

    private void script(String name, String body) throws IOException {
        Files.setPosixFilePermissions(file(name, "#!/bin/sh\n" + body + "\n", 1), PosixFilePermissions.fromString("rwx------"));
    }

    /** @param second when it was written last, since the beginning of 2020 */
    private Path file(String name, String text, int second) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return Files.setLastModifiedTime(file, FileTime.fromMillis(1_577_836_800_000L + 1_000L * second));
    }

    private String run(String locale) throws Exception {
        return run(locale, 0);
    }

    private String run(String locale, int status) throws Exception {
        return run(locale, status, "bash", home.resolve("posthouse").toString(), "status");
    }

    private String run(String locale, int status, String... command) throws Exception {
        ProcessBuilder posthouse = new ProcessBuilder(command).redirectErrorStream(true);
        posthouse.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG") || name.equals("HOME")); // Services of a system may have no home.
        posthouse.environment().put("LC_ALL", locale);
        posthouse.environment().put("POSTHOUSE_JAVA_HOME", home.resolve("jdk").toString());
        posthouse.environment().merge("PATH", home.resolve("bin").toString(), (path, first) -> first + ":" + path);
        Process process = posthouse.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(status);
        return output;
    }

    /** Maven leaves the appliance's jar as it is when another module has changed. */
    @Test
    void doesNotRebuildModulesThatMavenHasBuilt() throws Exception {
        assertThat(run("C")).doesNotContain("built");
        for (String module : List.of("mpj-lite", "mpj-lite/examples", "tunnel", "appliance/core", "appliance/names")) {
            file(module + "/src/main/Some.java", "", 3);
            assertThat(run("C")).as(module).contains("built\n");
            Files.setLastModifiedTime(target.resolve("posthouse.jar"), FileTime.fromMillis(1_577_836_802_000L));
            file("appliance/target/lib/" + module.replaceFirst("/", "-") + "-0.1.0.jar", "", 4);
            assertThat(run("C")).as(module).doesNotContain("built\n");
        }
    }

    /** Not on a terminal: a line for each module, and nothing else of what Maven says. */
    @Test
    void theFirstBuildTellsWhichModuleIsAtWork() throws Exception {
        Files.delete(target.resolve("posthouse.jar"));
        script("bin/mvn", """
                echo '[INFO] Scanning for projects...'
                echo '[INFO] Building Posthouse 0.1.0      [1/2]'
                echo '[INFO] Building mpj-lite examples: ordinary MPI programs 0.1.0      [2/2]'
                echo '[INFO] Building jar: /some/where.jar'
                echo '[WARNING] a warning'; echo ' its second line'
                if [ -e "$0.broken" ]; then echo '[ERROR] Main.java:[3,7] cannot find symbol'; exit 1; fi
                touch appliance/target/posthouse.jar""");
        file("bin/mvn.broken", "", 1);
        String modules = """
                posthouse: building, which takes some minutes once ...
                posthouse: building Posthouse (1 of 2)
                posthouse: building mpj-lite examples (2 of 2)
                """;
        assertThat(run("C", 1)).isEqualTo(modules + "[ERROR] Main.java:[3,7] cannot find symbol\nposthouse: the build failed; see above\n");
        Files.delete(home.resolve("bin/mvn.broken"));
        assertThat(run("C")).startsWith(modules + "posthouse: preparing faster starts");
    }

    @Test
    void theLabIsBuiltAgainWhenItsSourcesHaveChanged() throws Exception {
        file("appliance/lab/src/main/Some.java", "", 3);
        assertThat(run("C")).contains("built\n");
        Files.setLastModifiedTime(target.resolve("posthouse.jar"), FileTime.fromMillis(1_577_836_802_000L));
        file("appliance/lab/target/posthouse-lab.jar", "", 4);
        assertThat(run("C")).doesNotContain("built\n");
    }

    /** A relay's class path, and a job's, is that of an installation. */
    @Test
    void theLabIsBehindTheProductForCommandsThatMayBeItsOwn() throws Exception {
        rehearsed();
        String lab = "/lib/*:" + home.resolve("appliance/lab/target/posthouse-lab.jar:");
        assertThat(started("bench", "barrier")).contains(lab);
        assertThat(started("--help")).contains(lab);
        assertThat(started("run", "-n", "2", "Main")).doesNotContain("posthouse-lab.jar");
        assertThat(started("relay")).doesNotContain("posthouse-lab.jar");
        Files.delete(home.resolve("pom.xml"));
        Files.delete(home.resolve("appliance/lab/target/posthouse-lab.jar"));
        assertThat(started("bench", "barrier")).doesNotContain("posthouse-lab.jar", "built");
    }

    /** The JVM's own is plain ASCII there: it could not name a file with another letter. */
    @Test
    void aLocaleWithoutLettersHasThoseOfUtf8() throws Exception {
        assertThat(run("C")).contains("java under C.UTF-8");
        assertThat(run("POSIX")).contains("java under C.UTF-8");
        assertThat(run("")).contains("java under C.UTF-8");
        assertThat(run("de_DE.UTF-8")).contains("java under de_DE.UTF-8");
    }

    /** Another one may be in one of the usual places. */
    @Test
    void aJdkThatIsNamedIsTheOnlyOne() throws Exception {
        file("jdk/release", "JAVA_VERSION=\"17.0.15\"\n", 1);
        assertThat(run("C", 1)).isEqualTo("posthouse: no JDK 25 is at " + home.resolve("jdk") + ", which POSTHOUSE_JAVA_HOME names\n");
    }

    /** Bash and the JVM have words of their own for it. */
    @Test
    void reportsDeletedWorkingFolderInOneLine() throws Exception {
        assertThat(run("C", 1, "sh", "-c", "cd \"$(mktemp -d)\" && rmdir \"$PWD\" && exec bash \"$0\" status", home.resolve("posthouse").toString()))
                .endsWith("posthouse: the folder that this is called in is gone: go to another\n");
    }

    /** As in the image: no sources, a Java runtime that jlink made, which has no compiler and does not say its full version in a file. */
    @Test
    void whereNothingIsBuiltARuntimeWillDo() throws Exception {
        Files.delete(home.resolve("pom.xml"));
        Files.delete(home.resolve("jdk/bin/javac"));
        file("jdk/release", "JAVA_VERSION=\"25.0.1\"\n", 1);
        script("jdk/bin/java", "[ \"$1\" = --version ] && echo 'OpenJDK Runtime Environment Some-25.0.1+8 (build 25.0.1+8-LTS)' || echo started");
        assertThat(run("C")).contains("started").doesNotContain("built");
        assertThat(target.resolve("posthouse-25.0.1+8-LTS.jsa")).exists();
    }

    /** Somebody, or a host without memory, may have ended it: that says nothing of the JDK. */
    @Test
    void aRehearsalThatWasKilledIsMadeAgain() throws Exception {
        script("jdk/bin/java", "case \"$*\" in *rehearse) kill -9 $$ ;; esac; echo started");
        for (int starts = 0; starts < 2; starts++) {
            assertThat(run("C")).contains("preparing", "started").doesNotContain("slow");
            assertThat(target.resolve("posthouse-25.0.1+8.jsa")).doesNotExist();
        }
    }

    /** Of one JDK, which were made behind all jars. */
    private void rehearsed() throws IOException {
        for (String cache : List.of("posthouse-25.0.1+8.jsa", "run-25.0.1+8.aot", "relay-25.0.1+8.aot")) {
            file("appliance/target/" + cache, "some", 3);
        }
        script("jdk/bin/java", "echo \"$*\"");
    }

    private String started(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", home.resolve("posthouse").toString()));
        command.addAll(List.of(arguments));
        return run("C", 0, command.toArray(String[]::new));
    }

    @Test
    void eachRoleHasItsCacheAndItsCompilers() throws Exception {
        rehearsed();
        assertThat(started("run", "-n", "2", "Main")).contains("SharedArchiveFile=" + target.resolve("run-25.0.1+8.aot "),
                "org/posthouse/run.flags -XX:+UseSerialGC ");
        assertThat(started("relay")).contains("SharedArchiveFile=" + target.resolve("relay-25.0.1+8.aot "), "org/posthouse/relay.flags ")
                .doesNotContain("SerialGC");
        assertThat(started("status")).contains("SharedArchiveFile=" + target.resolve("posthouse-25.0.1+8.jsa "),
                "org/posthouse/command.flags -XX:+UseSerialGC ");
        assertThat(started("bench", "all")).contains("SharedArchiveFile=" + target.resolve("posthouse-25.0.1+8.jsa ")).doesNotContain("command.flags",
                "run.flags");
    }

    /** The cache of {@code run} has none of their classes. */
    @Test
    void aJobWithLinksOrALogHasTheCacheOfAllCommands() throws Exception {
        rehearsed();
        for (List<String> option : List.of(List.of("--sites", "2"), List.of("--sites=2"), List.of("--relays-per-site", "2"), List.of("--durability=process"))) {
            List<String> words = new ArrayList<>(List.of("run", "-n", "2"));
            words.addAll(option);
            words.add("Main");
            assertThat(started(words.toArray(String[]::new))).contains("SharedArchiveFile=" + target.resolve("posthouse-25.0.1+8.jsa "));
        }
    }

    /** The JVM runs the classes in an AOT cache, whatever a jar has. */
    @Test
    void aCacheThatIsOlderThanAJarIsMadeAgainOrNotTaken() throws Exception {
        rehearsed();
        file("appliance/target/lib/ops-0.1.0.jar", "", 4);
        script("jdk/bin/java", "case \"$*\" in *rehearse) kill -9 $$ ;; esac; echo \"$*\"");
        assertThat(started("run", "-n", "2", "Main")).contains("preparing").doesNotContain("run-25.0.1");
        assertThat(started("relay")).contains("preparing").doesNotContain("relay-25.0.1");
    }

    @Test
    void theUsersCollectorAndCacheAreTheOnlyOnes() throws Exception {
        rehearsed();
        String posthouse = home.resolve("posthouse").toString();
        assertThat(run("C", 0, "sh", "-c", "JDK_JAVA_OPTIONS=-XX:+UseParallelGC exec bash \"$0\" run -n 2 Main", posthouse))
                .contains("run-25.0.1+8.aot").doesNotContain("SerialGC");
        assertThat(run("C", 0, "sh", "-c", "JAVA_TOOL_OPTIONS=-XX:AOTCache=mine.aot exec bash \"$0\" run -n 2 Main", posthouse))
                .contains("run.flags").doesNotContain("SharedArchiveFile");
    }

    /** Also by a link in a folder of commands, and by a name without a folder. */
    @Test
    void findsItsFolderThroughLinkAndWithoutFolderName() throws Exception {
        rehearsed();
        Path link = Files.createSymbolicLink(home.resolve("bin/posthouse"), home.resolve("posthouse"));
        assertThat(run("C", 0, "bash", link.toString(), "status")).contains(" -cp " + target.resolve("posthouse.jar:"));
        assertThat(run("C", 0, "sh", "-c", "cd \"$0\" && exec bash posthouse status", home.toString())).contains(" -cp " + target.resolve("posthouse.jar:"));
    }

    @Test
    void reportsFailedRehearsalOnce() throws Exception {
        script("jdk/bin/java", "case \"$*\" in *rehearse) exit 1 ;; esac; echo started");
        assertThat(run("C")).contains("preparing", "\"posthouse rehearse\" tries again, and says why", "started");
        assertThat(run("C")).isEqualTo("started\n");
    }

    /** Keys, tokens and logs that lie in a checkout are not sent to the builder. */
    @Test
    void theImageIsBuiltFromSourcesAlone() throws Exception {
        Path checkout = Path.of(System.getProperty("basedir", ""), "..");
        Set<String> sources = new TreeSet<>(Set.of(".mvn", "LICENSE", "pom.xml", "posthouse"));
        MODULE.matcher(Files.readString(checkout.resolve("pom.xml"))).results().forEach(module -> sources.add(module.group(1)));
        List<String> ignore = Files.readAllLines(checkout.resolve(".dockerignore")).stream().filter(line -> !line.startsWith("#")).toList();
        assertThat(ignore.getFirst()).isEqualTo("**");
        assertThat(ignore.getLast()).isEqualTo("**/target");
        assertThat(ignore.subList(1, ignore.size() - 1)).containsExactlyElementsOf(sources.stream().map(name -> "!" + name).toList());
    }

    /** In an image build it fails, and so does the build. */
    @Test
    void aRehearsalThatIsCalledRunsOnceAndFailsWithItsReason() throws Exception {
        script("jdk/bin/java", "case \"$*\" in *rehearse) echo rehearsing; echo why >&2; exit 1 ;; esac; echo started");
        assertThat(run("C", 1, "bash", home.resolve("posthouse").toString(), "rehearse")).isEqualTo("rehearsing\nwhy\n");
    }
}
