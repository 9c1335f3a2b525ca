package org.posthouse.launch.install;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.logstore.file.TemporaryFolder;
import org.posthouse.mpj.RankMain;

/**
 * Finds the class caches that let a JVM reuse classes that an earlier start read and checked (ADR 14). For each JDK the
 * files are beside the jar: an archive of classes for commands, and three AOT caches (JEP 514). The AOT caches are for
 * relays, for launchers with a relay within, and for ranks. Any file may be missing, cut short or made for other jars
 * or flags: then the JVM starts without it, only more slowly, and says nothing.
 */
public final class StartCache {
    /** System property: the folder of the caches; the one that the first jar of the class path is in if it is not set. */
    public static final String FOLDER = "posthouse.caches";

    /** The launcher script knows this name and the next two. */
    public static final String COMMAND_FILE = "posthouse-" + Runtime.version() + ".jsa";

    /** Name of the relays' cache, which depends on the Java version. */
    public static final String RELAY_FILE = "relay-" + Runtime.version() + ".aot";

    /** Of {@code posthouse run}: without links and logs, whose classes would cost every job that has none. */
    public static final String RUN_FILE = "run-" + Runtime.version() + ".aot";

    /** Name of the ranks' cache, which depends on the Java version. */
    public static final String RANK_FILE = "rank-" + Runtime.version() + ".aot";

    /** For the user who waits for it: some 40 s, and more where others use the processors. */
    public static final long SECONDS_MAX = 600;

    /** A user who gives one of these has a cache, or makes one. */
    private static final Pattern OWN = Pattern.compile("-XX:AOT.*");

    private StartCache() {}

    /** Flags for a command's JVM. None if the user has an AOT cache, or may have: a JVM takes one only, and refuses to start with two. */
    static List<String> commandFlags() {
        return UserFlags.of(List.of(), Map.of()).mayHave(OWN) ? List.of() : flags(folder().resolve(COMMAND_FILE));
    }

    /** Flags for a relay's JVM that has these too; none in the same case. */
    static List<String> relayFlags(List<String> relayFlags) {
        Path cache = folder().resolve(RELAY_FILE);
        boolean fits = Installation.classPath().stream().allMatch(jar -> isOf(jar, cache));
        return UserFlags.of(relayFlags, Map.of()).mayHave(OWN) || !fits ? List.of() : flags(cache);
    }

    /** Flags for a rank's JVM; none in the same case, nor for another Java, which may not know them. */
    public static List<String> rankFlags(JobSpec spec) {
        Path cache = folder().resolve(RANK_FILE);
        boolean own = UserFlags.of(spec.jvmFlags(), spec.environment()).mayHave(OWN);
        boolean other = !Installation.rankJava(spec.environment()).equals(Installation.java());
        return own || other || !isOf(Installation.jarOf(RankMain.class), cache) ? List.of() : flags(cache);
    }

    /**
     * Whether an AOT cache can be of this jar: made after it. The JVM (25.0.3) does not look: with a cache of the jar's earlier build, or of
     * one elsewhere, it runs the classes in the cache.
     */
    static boolean isOf(Path jar, Path cache) {
        try {
            return Files.isRegularFile(jar) && Files.exists(cache)
                    && Files.getLastModifiedTime(cache).compareTo(Files.getLastModifiedTime(jar)) > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The flags for one file of either kind. {@code SharedArchiveFile} and not {@code AOTCache}: the user may add {@code -Xshare} or
     * an archive of his own behind it.
     */
    public static List<String> flags(Path file) {
        return Files.isReadable(file)
                ? List.of("-XX:SharedArchiveFile=" + file, "-Xlog:aot*=off", "-Xlog:cds*=off")
                : List.of();
    }

    private static Path folder() {
        String named = System.getProperty(FOLDER);
        return named == null ? Installation.classPath().getFirst().getParent() : Path.of(named);
    }

    /**
     * Makes the caches. A JVM runs {@code rehearsal} and writes down what it learned, and so do the relay and the rank
     * that it starts. The files appear in {@code folder} whole, even if other processes make some at the same time. The
     * cache of commands appears last.
     *
     * @param classPath of the JVMs that are to use the cache: jars only
     * @param rehearsal the main class and its arguments; one more is added: the folder that the relay's and the rank's JVM are to write to
     * @param secondsMax that it may take
     */
    public static void make(Path folder, List<Path> classPath, List<String> rehearsal, long secondsMax)
            throws IOException, JobFailure, InterruptedException {
        try (TemporaryFolder work = TemporaryFolder.make(folder, "rehearsal-")) {
            make(folder, work.path(), classPath, rehearsal, secondsMax);
        }
    }

    private static void make(Path folder, Path work, List<Path> classPath, List<String> rehearsal, long secondsMax)
            throws IOException, JobFailure, InterruptedException {
        Path said = work.resolve("said.log");
        List<String> command = command(List.of("-Djava.io.tmpdir=" + work, "-XX:ArchiveClassesAtExit=" + work.resolve(COMMAND_FILE)));
        command.add(String.join(File.pathSeparator, classPath.stream().map(Path::toString).toList()));
        command.addAll(rehearsal);
        command.add(work.toString());
        perform(command, said, secondsMax);
        for (String file : List.of(RANK_FILE, RUN_FILE, RELAY_FILE, COMMAND_FILE)) {
            Files.move(work.resolve(file), folder.resolve(file), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** Has a JVM of its own, with the class path of this one, run a job whose relay is within, and write down what it learned. */
    public static void rehearseRun(Path cache, List<String> run) throws IOException, JobFailure, InterruptedException {
        List<String> flags = new ArrayList<>(Installation.runFlags());
        flags.addAll(List.of("-XX:+UseSerialGC", "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"), "-XX:AOTCacheOutput=" + cache));
        List<String> command = command(flags);
        command.add(System.getProperty("java.class.path"));
        command.addAll(run);
        perform(command, cache.resolveSibling("run.log"), SECONDS_MAX);
    }

    /** The class path is to follow. */
    private static List<String> command(List<String> flags) {
        List<String> command = new ArrayList<>(List.of(Installation.java().toString()));
        command.addAll(Installation.jvmFlags());
        command.addAll(List.of("-XX:-UsePerfData", "-Djava.awt.headless=true"));
        command.addAll(flags);
        command.add("-cp");
        return command;
    }

    private static void perform(List<String> command, Path said, long secondsMax) throws IOException, JobFailure, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        boolean ended = process.waitFor(secondsMax, TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        if (!ended || process.waitFor() != 0) {
            throw new JobFailure("the rehearsal " + (ended ? "failed" : "took more than " + secondsMax + " s")
                    + "; it said: " + Files.readString(said));
        }
    }
}
