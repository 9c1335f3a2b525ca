package org.posthouse.logstore.file;

import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The log cannot be opened, read or appended to. The message is one line: the problem, the file, the position, and what
 * to do. A full disk is not an exception but a status, see {@link org.posthouse.logstore.MessageLog#hasRoom()}.
 */
public final class LogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean full;
    private final boolean cut;

    private LogException(String message, boolean full, boolean cut, Throwable cause) {
        super(message, cause);
        this.full = full;
        this.cut = cut;
    }

    /** @param position the record number concerned; 0: none */
    public LogException(Path file, long position, String what, String advice, Throwable cause) {
        this(message(file, position, what, advice), false, false, cause);
    }

    public LogException(Path file, String what, String advice, Throwable cause) {
        this(file, 0, what, advice, cause);
    }

    public LogException(Path file, String what, String advice) {
        this(file, what, advice, null);
    }

    private static String message(Path file, long position, String what, String advice) {
        return "log " + file + (position == 0 ? "" : ", position " + position) + ": " + what + "; " + advice;
    }

    /**
     * The text of a failure for display. The class name appears only if the message is empty or just a file name, and
     * then as words.
     */
    public static String words(Throwable failure) {
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

    /** The exception for a log that cannot be opened for lack of space. */
    public static LogException full(Path folder, long freeBytes, long neededBytes) {
        return full(folder, freeBytes + " bytes are free on its disk, and to begin it takes " + neededBytes + ";");
    }

    /** The same, although bytes are free. */
    public static LogException full(Path folder, long freeBytes, String words) {
        return full(folder,
                "its disk gives no more, though " + freeBytes + " bytes are free: " + words + "; raise the quota, or remove files, or");
    }

    private static LogException full(Path folder, String what) {
        return new LogException("log " + folder + ": " + what + " free space there", true, false, null);
    }

    /**
     * The exception for a file that disappeared while the log was read beside its writer. It was cut, which is not a
     * defect.
     */
    public static LogException cut(Path folder, long position, Path file, Throwable cause) {
        String what = "was cut while it was read: " + file.getFileName() + " is not there any more";
        return new LogException(message(folder, position, what, "read it again"), false, true, cause);
    }

    /** Whether only disk space is missing. */
    public boolean isFull() {
        return full;
    }

    /** Whether the log was only cut while it was read. */
    public boolean wasCut() {
        return cut;
    }
}
