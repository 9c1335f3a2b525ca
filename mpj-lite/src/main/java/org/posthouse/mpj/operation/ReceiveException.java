package org.posthouse.mpj.operation;

/**
 * An operation that failed: mostly a receive whose message does not fit or cannot be stored. Such a message is consumed.
 */
public final class ReceiveException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The cause of the failure. */
    public enum Kind {
        /** The message is longer than the receive. */
        TRUNCATE,
        /** The message is shorter than a collective needs. */
        COUNT,
        /** The message is of another datatype. */
        TYPE,
        /** An object in the message cannot be deserialized. */
        OBJECT,
        /** There is no memory for the message. */
        MEMORY,
        /** Storing it failed for another reason: a fault in this library. */
        INTERNAL,
        /** No message will come: the ranks are in collectives that do not match. */
        MISMATCH,
        /** The other rank has died. */
        PROC_FAILED,
        /** The communicator was revoked. */
        REVOKED
    }

    private final Kind kind;

    /** The rank that has died, or -1. */
    private final int rank;

    /** A failure without a cause. */
    public ReceiveException(Kind kind, String message) {
        this(kind, message, -1);
    }

    private ReceiveException(Kind kind, String message, int rank) {
        super(message);
        this.kind = kind;
        this.rank = rank;
    }

    /** This world rank has died. */
    public static ReceiveException died(int rank) {
        return new ReceiveException(Kind.PROC_FAILED, "world rank " + rank + " has died", rank);
    }

    /** The communicator was revoked. */
    public static ReceiveException revoked() {
        return new ReceiveException(Kind.REVOKED, "the communicator is revoked", -1);
    }

    /** A failure with the exception that caused it. */
    public ReceiveException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.rank = -1;
    }

    /** The failure of a receive on which something other than a ReceiveException was thrown. */
    static ReceiveException of(Throwable thrown, Envelope envelope) {
        return new ReceiveException(
                thrown instanceof OutOfMemoryError ? Kind.MEMORY : Kind.INTERNAL,
                "message of " + envelope.bytes() + " bytes cannot be taken: " + thrown,
                thrown);
    }

    /** The cause's kind. */
    public Kind kind() {
        return kind;
    }

    /** The world rank that has died; -1 if it is none, or not one only. */
    public int rank() {
        return rank;
    }
}
