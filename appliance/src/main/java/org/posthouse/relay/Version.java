package org.posthouse.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The product's version, as the build wrote it. */
public final class Version {
    private static final String TEXT = load();

    private Version() {}

    public static String text() {
        return TEXT;
    }

    private static String load() {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("/org/posthouse/build.properties")) {
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return build.getProperty("version");
    }
}
