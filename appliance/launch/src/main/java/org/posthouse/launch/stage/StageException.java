package org.posthouse.launch.stage;

import java.io.IOException;
import java.util.Locale;
import org.posthouse.causes.Causes;

/** A file cannot be staged, in one line for people. */
public final class StageException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param message the failure, for people */
    public StageException(String message) {
        super(message);
    }

    /** A failure with its cause. */
    public StageException(String message, Throwable cause) {
        super(message, cause);
    }

    /** A failure of the file system. A full disk is called so. @param what what could not be done: "X cannot be stored in Y" */
    static StageException of(String what, IOException cause) {
        String text = cause instanceof StageException ? cause.getMessage() : Causes.text(cause);
        String lower = text.toLowerCase(Locale.ROOT);
        boolean full = lower.contains("no space left") || lower.contains("quota exceeded");
        return new StageException(what + ": " + (full ? "the disk is full (" + text + ")" : text), cause);
    }
}
