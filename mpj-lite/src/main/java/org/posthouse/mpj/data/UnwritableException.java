package org.posthouse.mpj.data;

/** An object that a program wants to send cannot be serialized. Nothing was sent. */
public final class UnwritableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnwritableException(String message, Throwable cause) {
        super(message, cause);
    }
}
