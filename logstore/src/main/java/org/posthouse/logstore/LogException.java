package org.posthouse.logstore;

import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The log cannot be opened, read or appended to. The message is one line: what, which file, which position, what to
 * do. Full room is no exception but a status, see {@link MessageLog#hasRoom()}.
 */
public final class LogException extends RuntimeException {
    /** The position of a failure that concerns no single record. */
    public static final long NO_POSITION = 0;

    private static final long serialVersionUID = 1L;

    private final transient Path file;
    private final long position;
    private final boolean full;

    LogException(Path file, long position, String what, String advice, Throwable cause) {
        super("log " + file + (position == NO_POSITION ? "" : ", position " + position) + ": " + what + "; " + advice,
                cause);
        this.file = file;
        this.position = position;
        this.full = false;
    }

    LogException(Path file, String what, String advice) {
        this(file, NO_POSITION, what, advice, null);
    }

    /** What a failure says to people: not the name of its class, unless it says nothing or a file's name only; and then in words. */
    static String words(Throwable failure) {
        String name = failure.getClass().getSimpleName()
                .replaceFirst("(Exception|Error)$", "")
                .replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT);
        if (failure.getMessage() == null) {
            return name;
        }
        boolean bare = failure instanceof FileSystemException file && file.getReason() == null;
        return (bare ? name + ": " : "") + failure.getMessage();
    }

    /** A log that cannot be opened, for want of room. */
    static LogException full(Path folder, long freeBytes, long neededBytes) {
        return new LogException(folder, true, freeBytes + " bytes are free on its disk, and to begin it takes " + neededBytes);
    }

    private LogException(Path folder, boolean full, String what) {
        super("log " + folder + ": " + what + "; free space there");
        this.file = folder;
        this.position = NO_POSITION;
        this.full = full;
    }

    /** Whether room on the disk is all that is missing. */
    public boolean isFull() {
        return full;
    }

    /** The file or folder concerned. */
    public Path file() {
        return file;
    }

    /** The record number concerned, or {@link #NO_POSITION}. */
    public long position() {
        return position;
    }
}
