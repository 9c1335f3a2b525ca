package org.posthouse.directory;

/** Thrown if the group cannot be joined as configured. The message is one line that says what to change. */
public final class GroupException extends RuntimeException {
    private static final long serialVersionUID = 1;

    GroupException(String message) {
        super(message);
    }

    GroupException(String message, Throwable cause) {
        super(message, cause);
    }
}
