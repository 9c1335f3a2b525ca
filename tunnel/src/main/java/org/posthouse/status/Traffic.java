package org.posthouse.status;

/**
 * Messages carried in both directions. Immutable.
 *
 * @param messagesIn messages received, each once however often it was repeated
 * @param messagesOut messages sent, each once
 * @param bytesIn payload bytes received
 * @param bytesOut payload bytes sent
 */
public record Traffic(long messagesIn, long messagesOut, long bytesIn, long bytesOut) {
    /** Nothing was carried. */
    public static final Traffic NONE = new Traffic(0, 0, 0, 0);

    /** The sum of both. */
    public Traffic plus(Traffic other) {
        return new Traffic(
                messagesIn + other.messagesIn,
                messagesOut + other.messagesOut,
                bytesIn + other.bytesIn,
                bytesOut + other.bytesOut);
    }

    /** The increase since {@code before}. */
    public Traffic minus(Traffic before) {
        return new Traffic(
                messagesIn - before.messagesIn,
                messagesOut - before.messagesOut,
                bytesIn - before.bytesIn,
                bytesOut - before.bytesOut);
    }

    /** The larger one of each count. */
    public Traffic max(Traffic other) {
        return new Traffic(
                Math.max(messagesIn, other.messagesIn),
                Math.max(messagesOut, other.messagesOut),
                Math.max(bytesIn, other.bytesIn),
                Math.max(bytesOut, other.bytesOut));
    }
}
