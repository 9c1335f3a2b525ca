package org.posthouse.mpj.data;

/** An object that a program wants to send cannot be serialized. Nothing was sent. */
public final class UnwritableException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final boolean tooLong;

    UnwritableException(String message, Throwable cause) {
        this(message, cause, false);
    }

    private UnwritableException(String message, Throwable cause, boolean tooLong) {
        super(message, cause);
        this.tooLong = tooLong;
    }

    /** The object exceeds the size of a message or of the heap. */
    static UnwritableException tooLong(String message, Throwable cause) {
        return new UnwritableException(message, cause, true);
    }

    /** Whether it is too long, rather than of a class that is not serializable. */
    public boolean isTooLong() {
        return tooLong;
    }
}
