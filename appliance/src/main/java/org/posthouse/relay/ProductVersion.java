package org.posthouse.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The product's version, as the build wrote it. */
public final class ProductVersion {
    private static final String TEXT = load();

    private ProductVersion() {}

    public static String text() {
        return TEXT;
    }

    private static String load() {
        Properties build = new Properties();
        try (InputStream in = ProductVersion.class.getResourceAsStream("/org/posthouse/build.properties")) {
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return build.getProperty("version");
    }
}
