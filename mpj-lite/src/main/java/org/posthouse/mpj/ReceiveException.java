package org.posthouse.mpj;

/** A receive that cannot hold the message it matched. The message is consumed. */
public final class ReceiveException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is wrong with the message. */
    public enum Kind {
        /** It is longer than the receive. */
        TRUNCATE,
        /** It is of another datatype. */
        TYPE,
        /** An object in it cannot be read back. */
        OBJECT,
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

    public Kind kind() {
        return kind;
    }
}
