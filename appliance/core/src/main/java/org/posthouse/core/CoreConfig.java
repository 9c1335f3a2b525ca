package org.posthouse.core;

import org.posthouse.wire.Wire;

/**
 * The core's limits.
 *
 * <p>Memory without a log: a relay holds at most {@code creditBytes} of unmatched payload for each rank that sends
 * through it or to it. So R local ranks and S remote senders need (R + S) x creditBytes, and for all together {@code
 * unexpectedBytesTotal}. With a log: none, only envelopes. With both: at most {@code windowBytes} for each matched
 * large message on its way to a receiver that is slow to read. Senders of large messages have cleared bytes under way:
 * at most {@code windowBytes} for each and {@code lentBytesTotal} for all.
 *
 * @param creditBytes payload bytes, plus {@link org.posthouse.wire.Wire#MESSAGE_COST_BYTES} a message, that a rank may
 *     have under way undelivered. Beyond that it offers instead of sending. At least twice the longest eager message:
 *     relays hold back less than half, so a rank with nothing under way can always send one
 * @param creditMessages the same, in messages
 * @param windowBytes bytes of an offered message that may be under way at once after it was matched; whole chunks
 * @param lentBytes further bytes of such a message whose sender is behind a link, within {@code lentBytesTotal}; whole
 *     chunks. With the window they are 16 MiB, which fill 1.3 Gbit/s over a round trip of 100 ms
 * @param lentBytesTotal bytes of all such messages that may be under way beyond a window each, at all cores of the
 *     relay. Arithmetic: 10 Gbit/s / 8 * 100 ms = 125 MB
 * @param storedMessagesMax messages in the log for one rank whose senders have had their credit back. Past it credit is
 *     returned when a message was delivered. {@link #STORED_BYTES} of heap each
 * @param storedMessagesMaxTotal the same for all ranks of the relay
 * @param unexpectedBytesTotal memory, for all ranks of the relay, of messages that wait for their receives and whose
 *     senders have had their credit back. For jobs without a log. Past it credit is returned when a message was
 *     delivered
 */
public record CoreConfig(
        long creditBytes,
        int creditMessages,
        long windowBytes,
        long lentBytes,
        long lentBytesTotal,
        int storedMessagesMax,
        int storedMessagesMaxTotal,
        long unexpectedBytesTotal) {
    /** Heap of a message that waits in the log, at most. */
    static final int STORED_BYTES = 150;

    /** Memory for messages that wait for their receives beyond their senders' credit: three eighths of the heap of a relay's process. */
    public static final long UNEXPECTED_BYTES = 384L << 20;

    public static final CoreConfig DEFAULT =
            new CoreConfig(16L << 20, 16_384, 1L << 20, 15L << 20, 128L << 20, 0, 0, 0).withUnexpected(UNEXPECTED_BYTES);

    /**
     * Log bytes of the delivery of a message that waits in the log: a record of 112 bytes, its header and its place in
     * the index.
     */
    private static final int DELIVERY_BYTES = 128;

    /** Least {@code creditBytes}. */
    static final long CREDIT_BYTES_MIN = 2 * Wire.cost(Wire.EAGER_BYTES_MAX);

    public CoreConfig {
        if (creditBytes < CREDIT_BYTES_MIN
                || creditMessages < 16
                || windowBytes < 2 * Wire.PAYLOAD_BYTES_MAX
                || windowBytes % Wire.PAYLOAD_BYTES_MAX != 0) {
            throw new IllegalArgumentException("credit of " + creditBytes + " bytes and " + creditMessages
                    + " messages with a window of " + windowBytes
                    + " bytes; expected at least " + CREDIT_BYTES_MIN
                    + " bytes, 16 messages and a multiple of 64 KiB from 128 KiB on");
        }
        if (lentBytes < 0 || lentBytes % Wire.PAYLOAD_BYTES_MAX != 0 || lentBytesTotal < lentBytes) {
            throw new IllegalArgumentException("windows of " + lentBytes + " bytes more over links, of " + lentBytesTotal
                    + " for all; expected a multiple of 64 KiB, and no more for one than for all");
        }
        if (storedMessagesMax < 0 || storedMessagesMaxTotal < storedMessagesMax) {
            throw new IllegalArgumentException("stored messages: at most " + storedMessagesMax + " for a rank and "
                    + storedMessagesMaxTotal + " for all; expected 0 or more, and no more for one than for all");
        }
        if (unexpectedBytesTotal < 0) {
            throw new IllegalArgumentException("memory of unexpected messages: " + unexpectedBytesTotal + " bytes; expected 0 or more");
        }
    }

    /**
     * A copy with this much memory for messages that wait for their receives beyond their senders' credit. Two thirds
     * are for envelopes of messages in the log, the rest for messages that are nowhere else. One rank may use three
     * quarters of each, so that messages that it does not receive leave room to the others.
     */
    public CoreConfig withUnexpected(long bytes) {
        int stored = (int) Math.min(bytes / 3 * 2 / STORED_BYTES, Integer.MAX_VALUE);
        return new CoreConfig(
                creditBytes, creditMessages, windowBytes, lentBytes, lentBytesTotal, (int) (stored / 4L * 3), stored, bytes / 3);
    }

    /** The part of that for one rank. */
    long unexpectedBytesMax() {
        return unexpectedBytesTotal / 4 * 3;
    }

    /**
     * A copy with the same or lower limits, so that {@code ranks} may have {@code bytes} at most under way to {@code
     * cores}. Three quarters of them are credit, an eighth is for windows and an eighth is shared by all ranks. Limits
     * stay at their least usable values.
     */
    public CoreConfig within(long bytes, int ranks, int cores) {
        long lent = Math.min(wholeChunks(bytes / 16), lentBytesTotal);
        int stored = (int) Math.min(bytes / 16 / DELIVERY_BYTES, storedMessagesMaxTotal);
        return new CoreConfig(
                Math.clamp(bytes / 4 * 3 / ranks, CREDIT_BYTES_MIN, creditBytes),
                creditMessages,
                Math.clamp(wholeChunks(bytes / 8 / ranks / cores), 2L * Wire.PAYLOAD_BYTES_MAX, windowBytes),
                Math.min(lent, lentBytes),
                lent,
                Math.min(stored, storedMessagesMax),
                stored,
                unexpectedBytesTotal);
    }

    private static long wholeChunks(long bytes) {
        return bytes - bytes % Wire.PAYLOAD_BYTES_MAX;
    }

    /** Bytes that one rank may have under way to so many cores, without those that all ranks share. */
    public long underWayBytes(int cores) {
        return creditBytes + cores * windowBytes;
    }

    /**
     * Bytes that all ranks share beyond that: lent bytes, and deliveries of messages whose senders have had their
     * credit back.
     */
    public long sharedBytes() {
        return lentBytesTotal + (long) storedMessagesMaxTotal * DELIVERY_BYTES;
    }

    /**
     * Credit is given back in portions of at least this many bytes, to spare frames. Each of a job's {@code cores} may
     * hold back less than one portion for one rank: together less than half of its credit.
     */
    long creditPortionBytes(int cores) {
        return creditBytes / portions(cores);
    }

    /** The same, in messages. */
    int creditPortionMessages(int cores) {
        return Math.max(1, creditMessages / portions(cores));
    }

    private static int portions(int cores) {
        return Math.max(16, 2 * cores);
    }
}
