package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.keys.GridAuthority;
import org.posthouse.launch.install.StartCache;

/** The start caches speed up starts, and whatever is wrong with them is nobody's concern. */
@Timeout(900)
final class StartCacheTest {
    @TempDir
    private Path folder;

    private Command.Result run(List<String> jvmFlags, String... rankFlags) throws Exception {
        List<String> command = new ArrayList<>(List.of("run", "-n", "1"));
        for (String flag : rankFlags) {
            command.addAll(List.of("--jvm", flag));
        }
        command.addAll(List.of("example:ring", "3", "10"));
        try (Command running = Command.start(folder, jvmFlags, command.toArray(String[]::new))) {
            return running.await();
        }
    }

    private static void assertRanInSilence(Command.Result result) {
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines()).allMatch(line -> line.startsWith("[0] ")).anyMatch(line -> line.contains("SUCCESSFUL"));
        assertThat(result.out()).doesNotContain("warning", "error");
        assertThat(result.status()).isZero();
    }

    /** How many classes of ours a JVM loaded: those from a cache, and those from jars. */
    private static long[] loaded(Path log, String room) throws IOException {
        List<String> lines = Files.readAllLines(log).stream().filter(line -> line.contains(" " + room)).toList();
        long cached = lines.stream().filter(line -> line.contains("source: shared objects file")).count();
        return new long[] {cached, lines.size() - cached};
    }

    @Test
    void commandAndRanksLoadClassesFromTheCaches() throws Exception {
        Path command = folder.resolve("command.log");
        Path rank = folder.resolve("rank.log");
        assertRanInSilence(run(List.of("-Xlog:class+load:file=" + command), "-Xlog:class+load:file=" + rank));
        long[] ofCommand = loaded(command, "org.posthouse.relay.");
        assertThat(ofCommand[0]).as("from the cache").isGreaterThan(50).isGreaterThan(20 * ofCommand[1]);
        long[] ofRank = loaded(rank, "org.posthouse.mpj.");
        assertThat(ofRank[0]).as("from the cache").isGreaterThan(50).isGreaterThan(10 * ofRank[1]);
    }

    @Tag("long")
    @Test
    void soDoesAJobsLauncher() throws Exception {
        Path log = folder.resolve("run.log");
        List<String> flags = new ArrayList<>(StartCache.flags(Installed.caches().resolve(StartCache.RUN_FILE)));
        flags.addAll(List.of("-XX:+UseSerialGC", "-Xlog:class+load:file=" + log));
        assertRanInSilence(run(flags));
        for (String room : List.of("org.posthouse.relay.", "org.posthouse.launch.", "io.vertx.", "io.netty.")) {
            long[] loaded = loaded(log, room);
            assertThat(loaded[0]).as(room + " from the cache").isGreaterThan(30).isGreaterThan(20 * loaded[1]);
        }
    }

    /** Netty tells it of its buffers unless it is told not to: the first message would wait for it. */
    @Tag("long")
    @Test
    void noFlightRecorderStartsWithTheFirstMessage() throws Exception {
        Path log = folder.resolve("run.log");
        assertRanInSilence(run(List.of("-Xlog:class+load:file=" + log)));
        assertThat(loaded(log, "org.posthouse.core.Deliveries")[0]).as("a message was delivered").isPositive();
        assertThat(Files.readAllLines(log)).noneMatch(line -> line.contains(" jdk.jfr.internal.MetadataRepository "));
    }

    @Tag("long")
    @Test
    void soDoesARelay() throws Exception {
        Path log = folder.resolve("relay.log");
        Path keys = folder.resolve("keys");
        GridAuthority.init(folder.resolve("grid"), 1).issue("site", 1, keys);
        Relays.start(folder, List.of("-Xlog:class+load:file=" + log), "site", "--data", folder.resolve("data").toString(), "--keys", keys.toString(), "--links",
                "127.0.0.1:0")
                .close();
        for (String room : List.of("org.posthouse.relay.", "org.posthouse.tunnel.", "com.hazelcast.", "net.openhft.")) {
            long[] loaded = loaded(log, room);
            assertThat(loaded[0]).as(room + " from the cache").isGreaterThan(50).isGreaterThan(20 * loaded[1]);
        }
    }

    /** The command's and the rank's. */
    @ParameterizedTest
    @CsvSource("missing, cut")
    void aCacheThatDoesNotFitIsNoHarm(String command, String rank) throws Exception {
        Path caches = Files.createDirectory(folder.resolve("caches"));
        make(command, caches, StartCache.COMMAND_FILE);
        make(rank, caches, StartCache.RANK_FILE);
        List<String> flags = new ArrayList<>(List.of("-D" + StartCache.FOLDER + "=" + caches));
        flags.addAll(StartCache.flags(caches.resolve(StartCache.COMMAND_FILE)));
        assertRanInSilence(run(flags));
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"of other jars, empty", "cut, missing", "empty, of other jars"})
    void norIsOneOfTheOther(String command, String rank) throws Exception {
        aCacheThatDoesNotFitIsNoHarm(command, rank);
    }

    private void make(String how, Path caches, String file) throws Exception {
        byte[] good = Files.readAllBytes(Installed.caches().resolve(file));
        switch (how) {
            case "missing" -> assertThat(good).isNotEmpty();
            case "empty" -> Files.createFile(caches.resolve(file));
            case "cut" -> Files.write(caches.resolve(file), Arrays.copyOf(good, good.length / 2));
            default -> Files.copy(ofOtherJars(), caches.resolve(file));
        }
    }

    /** An archive of a JVM that had no jars at all. */
    private Path ofOtherJars() throws Exception {
        Path archive = folder.resolve("other.jsa");
        if (Files.notExists(archive)) {
            Process process = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:ArchiveClassesAtExit=" + archive,
                    "-Xlog:disable", "-version")
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("other.log").toFile())
                    .start();
            assertThat(process.waitFor()).isZero();
        }
        return archive;
    }

    /** A JVM refuses to start with two caches, or with one and {@code -Xshare} if it is named in the wrong way. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(
            strings = {"-Xshare:off", "-XX:AOTCache=mine.aot", "-XX:SharedArchiveFile=mine.jsa", "-XX:-UseCompressedOops", "-XX:+UseParallelGC", "-XX:+UseZGC"})
    void theUsersOwnFlagsGoFirst(String flag) throws Exception {
        Command.Result result = run(List.of(), flag);
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("Verification: SUCCESSFUL");
    }
}
