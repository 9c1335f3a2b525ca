package org.posthouse.wire;

import java.util.Locale;

/** The failure that a job's messages and deliveries survive. */
public enum Durability {
    /** Nothing is logged. */
    NONE,
    /** A crash of any process: the log is mapped memory. */
    PROCESS,
    /** A crash of the relay's host too: outgoing frames of the relay wait until the log is on the disk. */
    HOST;

    /**
     * The durability with this code of JOB_OPEN, logs and files.
     *
     * @throws IllegalArgumentException if it is none of 0 to 2
     */
    public static Durability of(int code) {
        if (code < 0 || code > HOST.code()) {
            throw new IllegalArgumentException("durability " + code + ", expected 0 to 2");
        }
        return values()[code];
    }

    /** As the command line has it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The code in frames, logs and files: 0, 1, 2. */
    public int code() {
        return ordinal();
    }
}
