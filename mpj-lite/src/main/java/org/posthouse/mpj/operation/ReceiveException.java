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

    /** A failure without a cause. */
    public ReceiveException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** A failure with the exception that caused it. */
    public ReceiveException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
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
}
