package org.posthouse.mpj.progress;

import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.posthouse.wire.Wire;

/**
 * User settings of a rank, from its environment.
 *
 * @param eagerBytesMax longest message in bytes that a standard send sends without waiting for its receive, 0 to {@link
 * Wire#EAGER_BYTES_MAX}; longer ones, and all when the rank is out of credit, are offered
 * @param busyPollUs how long a blocked call polls before it sleeps, in microseconds, 0 to {@link #BUSY_POLL_US_MAX}
 * @param keptBytesMax bytes of sent frames that are kept until they are stable in the log, {@link #KEPT_BYTES_LEAST} or
 * more; beyond it the rank waits. The default is twice a rank's credit of 16 MiB: eager bytes are bounded by that, and
 * those of offers by their windows of 1 MiB
 * @param reconnectS how long a rank whose connection broke tries to reach its relay again, in seconds, 0 to {@link
 * #RECONNECT_S_MAX}
 * @param ahead whether short messages may be pushed before their receives are posted
 * @param replicated whether ranks of the job run more than once, so that a history must be exact
 */
public record Settings(int eagerBytesMax, int busyPollUs, int keptBytesMax, int reconnectS, boolean ahead, boolean replicated) {
    /** Sets {@link #eagerBytesMax}; see {@link #bytes}. */
    public static final String EAGER_MAX = "POSTHOUSE_EAGER_MAX";

    /** Sets {@link #busyPollUs}; see {@link #busyPoll}. */
    public static final String BUSY_POLL = "POSTHOUSE_BUSY_POLL_US";

    /** Sets {@link #keptBytesMax}; see {@link #bytes}. Only logged jobs keep frames. */
    public static final String KEPT_MAX = "POSTHOUSE_KEPT_MAX";

    /** Sets {@link #reconnectS}. Only in logged jobs. */
    public static final String RECONNECT_S = "POSTHOUSE_RECONNECT_S";

    /** Sets {@link #ahead}: on or off. */
    public static final String AHEAD = "POSTHOUSE_AHEAD";

    /** Set for all ranks of a job of which some run more than once. */
    public static final String REPLICATED = "POSTHOUSE_REPLICATED";

    public static final int BUSY_POLL_US_MAX = 1_000_000;
    public static final int KEPT_BYTES_LEAST = 4 << 20;
    public static final int RECONNECT_S_MAX = 86_400;
    private static final int KEPT_BYTES_MAX = 32 << 20;
    private static final int RECONNECT_S_DEFAULT = 60;

    /** The defaults: messages of up to 256 KiB are sent eagerly. */
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
        if (keptBytesMax < KEPT_BYTES_LEAST) {
            throw new IllegalArgumentException(keptBytesMax + " bytes kept, expected " + KEPT_BYTES_LEAST + " or more");
        }
        if (reconnectS < 0 || reconnectS > RECONNECT_S_MAX) {
            throw new IllegalArgumentException(reconnectS + " seconds to reconnect, expected 0 to " + RECONNECT_S_MAX);
        }
    }

    /** All other settings have their defaults. */
    public Settings(int eagerBytesMax) {
        this(eagerBytesMax, 0);
    }

    /** All other settings have their defaults. */
    public Settings(int eagerBytesMax, int busyPollUs) {
        this(eagerBytesMax, busyPollUs, KEPT_BYTES_MAX, RECONNECT_S_DEFAULT);
    }

    /** All other settings have their defaults. */
    public Settings(int eagerBytesMax, int busyPollUs, int keptBytesMax, int reconnectS) {
        this(eagerBytesMax, busyPollUs, keptBytesMax, reconnectS, true);
    }

    /** The job's ranks run once. */
    public Settings(int eagerBytesMax, int busyPollUs, int keptBytesMax, int reconnectS, boolean ahead) {
        this(eagerBytesMax, busyPollUs, keptBytesMax, reconnectS, ahead, false);
    }

    /**
     * The settings of the environment, with defaults for the others.
     *
     * @throws IllegalArgumentException naming variable and value
     */
    public static Settings of(Map<String, String> environment) {
        return new Settings(
                read(environment, EAGER_MAX, text -> new Settings(bytes(text)).eagerBytesMax(), DEFAULT.eagerBytesMax()),
                read(environment, BUSY_POLL, Settings::busyPoll, DEFAULT.busyPollUs()),
                read(environment, KEPT_MAX, text -> kept(bytes(text)), DEFAULT.keptBytesMax()),
                read(environment, RECONNECT_S, Settings::reconnect, DEFAULT.reconnectS()),
                read(environment, AHEAD, Settings::onOrOff, 1) == 1,
                environment.containsKey(REPLICATED));
    }

    private static int onOrOff(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "on" -> 1;
            case "off" -> 0;
            default -> throw new IllegalArgumentException("expected on or off");
        };
    }

    private static int kept(int bytes) {
        return new Settings(DEFAULT.eagerBytesMax(), 0, bytes, DEFAULT.reconnectS()).keptBytesMax();
    }

    private static int reconnect(String text) {
        String digits = text.strip();
        if (!digits.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("'" + text + "' is no number of seconds from 0 to " + RECONNECT_S_MAX);
        }
        return new Settings(DEFAULT.eagerBytesMax(), 0, DEFAULT.keptBytesMax(), Integer.parseInt(digits)).reconnectS();
    }

    private static int read(Map<String, String> environment, String name, ToIntFunction<String> parser, int otherwise) {
        String text = environment.get(name);
        try {
            return text == null ? otherwise : parser.applyAsInt(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + "=" + text + ": " + e.getMessage(), e);
        }
    }

    /**
     * Parses a {@link #busyPollUs}.
     *
     * @throws IllegalArgumentException if the text is none
     */
    public static int busyPoll(String text) {
        String digits = text.strip();
        if (!digits.matches("\\d{1,9}")) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no number of microseconds from 0 to " + BUSY_POLL_US_MAX + ", such as 50");
        }
        return new Settings(DEFAULT.eagerBytesMax(), Integer.parseInt(digits)).busyPollUs();
    }

    /**
     * Parses a number of bytes, with k for KiB or m for MiB behind it.
     *
     * @throws IllegalArgumentException if it is none
     */
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
