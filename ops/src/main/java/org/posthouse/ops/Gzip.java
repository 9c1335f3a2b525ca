package org.posthouse.ops;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/** The content coding {@code gzip} (RFC 1952) of answers, for clients that ask for it. Stateless. */
final class Gzip {
    static final String NAME = "gzip";

    private Gzip() {}

    /** Whether a client's {@code Accept-Encoding} names gzip, and not with weight 0. */
    static boolean isAccepted(HttpServerRequest request) {
        String accepted = request.getHeader(HttpHeaders.ACCEPT_ENCODING);
        return accepted != null && Arrays.stream(accepted.toLowerCase(Locale.ROOT).split(",")).map(Gzip::withoutBlanks).anyMatch(
                coding -> coding.equals(NAME) || coding.startsWith(NAME + ";q=") && !coding.matches("gzip;q=0(\\.0*)?"));
    }

    private static String withoutBlanks(String coding) {
        return coding.replaceAll("\\s", "");
    }

    /** A whole text; takes a millisecond for some 100 KB, so long ones are a worker's job. */
    static Buffer pack(Buffer text) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(text.length() / 4);
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(text.getBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory cannot be written", e);
        }
        return Buffer.buffer(packed.toByteArray());
    }
}
