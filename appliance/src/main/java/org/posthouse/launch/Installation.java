package org.posthouse.launch;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Where things are on this host. */
public final class Installation {
    private Installation() {}

    /** The java that runs this process; ranks run with it too. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
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
