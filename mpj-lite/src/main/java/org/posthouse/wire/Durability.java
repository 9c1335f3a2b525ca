package org.posthouse.wire;

/** What a job's messages and deliveries survive. */
public enum Durability {
    /** Nothing is logged. */
    NONE,
    /** A crash of any process: the log is mapped memory. */
    PROCESS,
    /** A crash of the relay's host too: what leaves the relay waits until the log is on the disk. */
    HOST;

    /** What logs and files have for it, as JOB_OPEN has. @throws IllegalArgumentException if it is none of 0 to 2 */
    public static Durability of(int code) {
        if (code < 0 || code > HOST.code()) {
            throw new IllegalArgumentException("durability " + code + ", expected 0 to 2");
        }
        return values()[code];
    }

    /** What frames, logs and files have for it: 0, 1, 2. */
    public int code() {
        return ordinal();
    }
}
