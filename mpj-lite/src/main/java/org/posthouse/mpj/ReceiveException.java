package org.posthouse.mpj;

/** A receive that cannot hold the message it matched. The message is consumed. */
public final class ReceiveException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is wrong with the message. */
    public enum Kind {
        /** It is longer than the receive. */
        TRUNCATE,
        /** It is shorter than a collective needs. */
        COUNT,
        /** It is of another datatype. */
        TYPE,
        /** An object in it cannot be read back. */
        OBJECT,
        /** There is no memory for it. */
        MEMORY,
        /** Taking it failed for another reason: a fault in this library. */
        INTERNAL,
        /** There will be no message: the ranks are in collectives that do not match. */
        MISMATCH
    }

    private final Kind kind;

    public ReceiveException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public ReceiveException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Why a message could not be taken, of what was thrown in place of a ReceiveException. */
    static ReceiveException of(Throwable thrown, Envelope envelope) {
        return new ReceiveException(
                thrown instanceof OutOfMemoryError ? Kind.MEMORY : Kind.INTERNAL,
                "message of " + envelope.bytes() + " bytes cannot be taken: " + thrown,
                thrown);
    }

    public Kind kind() {
        return kind;
    }
}
