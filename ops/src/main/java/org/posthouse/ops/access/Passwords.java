package org.posthouse.ops.access;

import io.vertx.ext.auth.hashing.HashingStrategy;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Password hashes: PBKDF2 with HMAC-SHA-512 (RFC 8018), as text {@code $pbkdf2$it=N$salt$hash} with both parts in Base64 without padding. Stateless;
 * a hash takes some tenths of a second of a processor, which is the point.
 */
public final class Passwords {
    /** Least length, in characters (NIST SP 800-63B, 5.1.1.2). */
    public static final int CHARS_MIN = 8;

    /** Longest password, in bytes of UTF-8. */
    public static final int BYTES_MAX = 256;

    /** What OWASP's cheat sheet on password storage asks for this function. */
    private static final int ITERATIONS = 210_000;

    private static final int ITERATIONS_MIN = 10_000;

    /** A second or two of a processor: a larger number would stop the logins of all. */
    private static final int ITERATIONS_MAX = 2_000_000;

    private static final int SALT_BYTES = 16;
    private static final int HASH_BYTES = 64;
    private static final Pattern HASH = Pattern.compile("\\$pbkdf2\\$it=(\\d{1,7})\\$([A-Za-z0-9+/]{22,86})\\$([A-Za-z0-9+/]{86})");
    private static final HashingStrategy HASHING = HashingStrategy.load();
    private static final SecureRandom RANDOM = new SecureRandom();

    private Passwords() {}

    /** The hash of a password, with a salt of its own. @throws IllegalArgumentException if it is too short or too long */
    public static String hash(String password) {
        return hash(password, ITERATIONS);
    }

    static String hash(String password, int iterations) {
        int chars = password.codePointCount(0, password.length());
        if (chars < CHARS_MIN || tooLong(password)) {
            throw new IllegalArgumentException("the password has " + chars + " characters, expected at least " + CHARS_MIN + ", and at most " + BYTES_MAX
                    + " bytes of UTF-8");
        }
        return HASHING.hash("pbkdf2", Map.of("it", String.valueOf(iterations)), random(SALT_BYTES), password);
    }

    /** Whether the hash is this password's; false for one that is too long, which is not hashed. */
    static boolean verify(String hash, String password) {
        return !tooLong(password) && HASHING.verify(hash, password);
    }

    /** A hash of no password, to verify which takes as long as those of users. */
    static String decoy(int iterations) {
        return "$pbkdf2$it=" + iterations + "$" + random(SALT_BYTES) + "$" + random(HASH_BYTES);
    }

    /** The iterations of a hash. @throws IllegalArgumentException if it is none that this can verify */
    static int iterations(String hash) {
        Matcher parts = HASH.matcher(hash);
        int iterations = parts.matches() ? Integer.parseInt(parts.group(1)) : 0;
        if (iterations < ITERATIONS_MIN || iterations > ITERATIONS_MAX) {
            throw new IllegalArgumentException("the hash is none, expected $pbkdf2$it=N$SALT$HASH with N from " + ITERATIONS_MIN + " to " + ITERATIONS_MAX
                    + ", as posthouse users writes it");
        }
        return iterations;
    }

    private static boolean tooLong(String password) {
        return password.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX;
    }

    static String random(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return Base64.getEncoder().withoutPadding().encodeToString(random);
    }
}
