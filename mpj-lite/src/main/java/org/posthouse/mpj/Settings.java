package org.posthouse.mpj;

import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.posthouse.wire.Wire;

/**
 * What a user may set for a rank, in its environment.
 *
 * @param eagerBytesMax longest message in bytes that a standard send sends without waiting for its receive, 0 to
 *     {@link Wire#EAGER_BYTES_MAX}; longer ones, and all when the rank is out of credit, are offered
 * @param busyPollUs how long a call that is blocked asks again and again before it sleeps, in microseconds, 0 to
 *     {@link #BUSY_POLL_US_MAX}
 */
public record Settings(int eagerBytesMax, int busyPollUs) {
    /** Sets {@link #eagerBytesMax}; see {@link #bytes}. */
    public static final String EAGER_MAX = "POSTHOUSE_EAGER_MAX";

    /** Sets {@link #busyPollUs}; see {@link #busyPoll}. */
    public static final String BUSY_POLL = "POSTHOUSE_BUSY_POLL_US";

    public static final int BUSY_POLL_US_MAX = 1_000_000;

    public static final Settings DEFAULT = new Settings(256 * 1024);

    private static final int KILO = 1024;

    public Settings {
        if (eagerBytesMax < 0 || eagerBytesMax > Wire.EAGER_BYTES_MAX) {
            throw new IllegalArgumentException(
                    eagerBytesMax + " bytes sent eagerly, expected 0 to " + Wire.EAGER_BYTES_MAX);
        }
        if (busyPollUs < 0 || busyPollUs > BUSY_POLL_US_MAX) {
            throw new IllegalArgumentException(
                    busyPollUs + " microseconds of busy polling, expected 0 to " + BUSY_POLL_US_MAX);
        }
    }

    /** All else as by default. */
    public Settings(int eagerBytesMax) {
        this(eagerBytesMax, 0);
    }

    /** What the environment says, and else the default. @throws IllegalArgumentException naming variable and value */
    public static Settings of(Map<String, String> environment) {
        return new Settings(
                read(environment, EAGER_MAX, text -> new Settings(bytes(text)).eagerBytesMax(), DEFAULT.eagerBytesMax()),
                read(environment, BUSY_POLL, Settings::busyPoll, DEFAULT.busyPollUs()));
    }

    private static int read(Map<String, String> environment, String name, ToIntFunction<String> parser, int otherwise) {
        String text = environment.get(name);
        try {
            return text == null ? otherwise : parser.applyAsInt(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + "=" + text + ": " + e.getMessage(), e);
        }
    }

    /** A {@link #busyPollUs}. @throws IllegalArgumentException if the text is none */
    public static int busyPoll(String text) {
        String digits = text.strip();
        if (!digits.matches("\\d{1,9}")) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no number of microseconds from 0 to " + BUSY_POLL_US_MAX + ", such as 50");
        }
        return new Settings(DEFAULT.eagerBytesMax(), Integer.parseInt(digits)).busyPollUs();
    }

    /** A number of bytes, with k for KiB or m for MiB behind it. @throws IllegalArgumentException if it is none */
    public static int bytes(String text) {
        String digits = text.strip().toLowerCase(Locale.ROOT);
        long unit = 1;
        if (digits.endsWith("k") || digits.endsWith("m")) {
            unit = digits.endsWith("k") ? KILO : KILO * KILO;
            digits = digits.substring(0, digits.length() - 1);
        }
        if (!digits.matches("\\d{1,10}") || Long.parseLong(digits) * unit > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("'" + text + "' is no number of bytes such as 65536, 64k or 1m");
        }
        return (int) (Long.parseLong(digits) * unit);
    }
}
