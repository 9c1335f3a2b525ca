package org.posthouse.mpj;

import java.util.Locale;
import java.util.Map;
import org.posthouse.wire.Wire;

/**
 * What a user may set for a rank, in its environment.
 *
 * @param eagerBytesMax longest message in bytes that a standard send sends without waiting for its receive, 0 to
 *     {@link Wire#EAGER_BYTES_MAX}; longer ones, and all when the rank is out of credit, are offered
 */
public record Settings(int eagerBytesMax) {
    /** Sets {@link #eagerBytesMax}; see {@link #bytes}. */
    public static final String EAGER_MAX = "POSTHOUSE_EAGER_MAX";

    public static final Settings DEFAULT = new Settings(256 * 1024);

    private static final int KILO = 1024;

    public Settings {
        if (eagerBytesMax < 0 || eagerBytesMax > Wire.EAGER_BYTES_MAX) {
            throw new IllegalArgumentException(
                    eagerBytesMax + " bytes sent eagerly, expected 0 to " + Wire.EAGER_BYTES_MAX);
        }
    }

    /** What the environment says, and else the default. @throws IllegalArgumentException naming variable and value */
    public static Settings of(Map<String, String> environment) {
        String eager = environment.get(EAGER_MAX);
        try {
            return eager == null ? DEFAULT : new Settings(bytes(eager));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(EAGER_MAX + "=" + eager + ": " + e.getMessage(), e);
        }
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
