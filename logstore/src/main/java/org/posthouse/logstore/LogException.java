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
    private final boolean cut;

    LogException(Path file, long position, String what, String advice, Throwable cause) {
        this(file, position, false, what, advice, cause);
    }

    private LogException(Path file, long position, boolean cut, String what, String advice, Throwable cause) {
        super("log " + file + (position == NO_POSITION ? "" : ", position " + position) + ": " + what + "; " + advice,
                cause);
        this.file = file;
        this.position = position;
        this.full = false;
        this.cut = cut;
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
        return new LogException(folder, true, freeBytes + " bytes are free on its disk, and to begin it takes " + neededBytes + ";");
    }

    /** The same, though there are bytes. */
    static LogException full(Path folder, long freeBytes, String words) {
        return new LogException(folder, true,
                "its disk gives no more, though " + freeBytes + " bytes are free: " + words + "; raise the quota, or remove files, or");
    }

    /** A file has gone while the log was read beside its writer: it was cut, which is no defect. */
    static LogException cut(Path folder, long position, Path file, Throwable cause) {
        return new LogException(
                folder, position, true, "was cut while it was read: " + file.getFileName() + " is not there any more", "read it again", cause);
    }

    private LogException(Path folder, boolean full, String what) {
        super("log " + folder + ": " + what + " free space there");
        this.file = folder;
        this.position = NO_POSITION;
        this.full = full;
        this.cut = false;
    }

    /** Whether room on the disk is all that is missing. */
    public boolean isFull() {
        return full;
    }

    /** Whether the log has only been cut while it was read. */
    boolean wasCut() {
        return cut;
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
