package org.posthouse.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Where things are on this host. */
public final class Installation {
    /** System property: further flags of the JVMs of relays that this process starts, with blanks between them; none if it is not set. */
    public static final String RELAY_FLAGS = "posthouse.relay.flags";

    private Installation() {}

    /** The java that runs this process; ranks run with it too. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** The flags that a JVM with a log or a group member needs, from the build's one list. */
    public static List<String> jvmFlags() {
        return flags("/org/posthouse/jvm.flags");
    }

    /** The most memory that a relay's JVM may take, from the build's one list, and {@link #RELAY_FLAGS}. */
    public static List<String> relayFlags() {
        List<String> flags = new ArrayList<>(flags("/org/posthouse/relay.flags"));
        Stream.of(System.getProperty(RELAY_FLAGS, "").split(" ")).filter(flag -> !flag.isEmpty()).forEach(flags::add);
        return flags;
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
