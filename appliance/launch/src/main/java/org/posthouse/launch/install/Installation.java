package org.posthouse.launch.install;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.posthouse.launch.job.JobFailure;

/** Where things are on this host. */
public final class Installation {
    /** Variable of the environment: further flags of relays' JVMs, with blanks between them; none if it is not set. */
    public static final String RELAY_FLAGS = "POSTHOUSE_RELAY_FLAGS";

    /** Variable of the environment: the folder of the Java, 17 or later, that ranks run with; this process's own if it is not set. */
    public static final String RANK_JAVA_HOME = "POSTHOUSE_RANK_JAVA_HOME";

    /** The property of this JVM that names the script. */
    private static final String PROGRAM = "posthouse.program";

    private Installation() {}

    /** The java that runs this process. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** The java of ranks that have these variables too. */
    public static Path rankJava(Map<String, String> environment) {
        String home = environment.getOrDefault(RANK_JAVA_HOME, System.getenv().getOrDefault(RANK_JAVA_HOME, ""));
        return home.isEmpty() ? java() : Path.of(home, "bin", "java");
    }

    /** The flags that a JVM with a log or a group member needs, from the build's one list. */
    public static List<String> jvmFlags() {
        return flags("/org/posthouse/jvm.flags");
    }

    /** Flags of the JVM of a relay that this process starts: the most memory that it may take, from the build's one list, and {@link #RELAY_FLAGS}. */
    public static List<String> relayFlags() {
        return relayFlags(System.getenv());
    }

    /** The user's own stand behind the build's, and so win. */
    static List<String> relayFlags(Map<String, String> environment) {
        List<String> flags = new ArrayList<>(flags("/org/posthouse/relay.flags"));
        Stream.of(environment.getOrDefault(RELAY_FLAGS, "").split("\\s+")).filter(flag -> !flag.isEmpty()).forEach(flags::add);
        return flags;
    }

    /** Compiler flags for the JVM of a job's launcher that embeds its relays, from the build's one list. */
    static List<String> runFlags() {
        return flags("/org/posthouse/run.flags");
    }

    private static List<String> flags(String resource) {
        try (InputStream in = Installation.class.getResourceAsStream(resource)) {
            return List.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).strip().split("\\s+"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The script {@code posthouse} that has started this process. @throws JobFailure if none has */
    public static Path program() throws JobFailure {
        String program = System.getProperty(PROGRAM);
        if (program == null) {
            throw new JobFailure("the script posthouse, which starts agents on other hosts, is not known: this process was started without it");
        }
        return Path.of(program);
    }

    /** Absolute class path of this process, in its order. */
    public static List<Path> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).map(entry -> Path.of(entry).toAbsolutePath()).toList();
    }

    /** The jar or classes folder that {@code type} comes from. */
    public static Path jarOf(Class<?> type) {
        try {
            return onClassPath(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()), classPath());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the place of " + type + " is no file", e);
        }
    }

    /**
     * For a class from a {@link StartCache} the JVM reports the path that its jar had when the cache was made. An
     * installation may have been copied since.
     */
    static Path onClassPath(Path told, List<Path> classPath) {
        return classPath.contains(told) || !told.toString().endsWith(".jar")
                ? told
                : classPath.stream().filter(entry -> told.getFileName().equals(entry.getFileName())).findFirst().orElse(told);
    }
}
