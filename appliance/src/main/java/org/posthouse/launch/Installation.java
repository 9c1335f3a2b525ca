package org.posthouse.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Where things are on this host. */
public final class Installation {
    private Installation() {}

    /** The java that runs this process; ranks run with it too. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** The flags that a JVM with a log or a group member needs, from the build's one list. */
    public static List<String> jvmFlags() {
        return flags("/org/posthouse/jvm.flags");
    }

    /** The most memory that a relay's JVM may take, from the build's one list. */
    public static List<String> relayFlags() {
        return flags("/org/posthouse/relay.flags");
    }

    private static List<String> flags(String resource) {
        try (InputStream in = Installation.class.getResourceAsStream(resource)) {
            return List.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).strip().split("\\s+"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The jar or classes folder that {@code type} came from. */
    public static Path jarOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the place of " + type + " is no file", e);
        }
    }
}
