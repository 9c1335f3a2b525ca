package org.posthouse.core;

/**
 * The core's limits.
 *
 * <p>A relay holds at most {@code creditBytes} of unmatched payload for each rank that sends through it or to it, so R
 * local ranks and S remote senders need (R + S) x creditBytes; and for each matched large message at most {@code
 * windowBytes} on its way to a receiver that is slow to read.
 *
 * @param creditBytes payload bytes, plus {@link org.posthouse.wire.Wire#MESSAGE_COST_BYTES} a message, that a rank may
 *     have under way undelivered, beyond which it offers instead of sending
 * @param creditMessages the same, in messages
 * @param windowBytes bytes of an offered message that may be under way at once after it was matched
 */
public record CoreConfig(long creditBytes, int creditMessages, long windowBytes) {
    public static final CoreConfig DEFAULT = new CoreConfig(16L << 20, 16_384, 1L << 20);

    public CoreConfig {
        if (creditBytes < 1 << 20 || creditMessages < 16 || windowBytes < 128 * 1024) {
            throw new IllegalArgumentException("credit of " + creditBytes + " bytes and " + creditMessages
                    + " messages with a window of " + windowBytes
                    + " bytes; expected at least 1 MiB, 16 messages and 128 KiB");
        }
    }

    /** Credit is given back in portions of this many bytes, to spare frames. */
    long creditPortionBytes() {
        return creditBytes / 16;
    }

    int creditPortionMessages() {
        return creditMessages / 16;
    }
}
