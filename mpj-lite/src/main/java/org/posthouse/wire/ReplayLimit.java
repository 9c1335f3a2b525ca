package org.posthouse.wire;

/**
 * The reasons for which a rank cannot be replayed from some point on: its behaviour there depends on something that the
 * history lacks.
 */
public enum ReplayLimit {
    MISMATCH(1, "it was told that collectives do not match"),
    THREADS(2, "several of its threads were inside MPI calls at once"),
    MULTIPLE(3, "it asked for MPI.THREAD_MULTIPLE"),
    AGREEMENTS(4, "it made two communicators at once"),
    JOINT_ENDED(5, "it was told that a job has ended which it was joined to");

    private final int code;
    private final String text;

    ReplayLimit(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The value of the event (docs/wire.md, events). */
    public int code() {
        return code;
    }

    /** The rank's action that limits its replay, for people. */
    public String text() {
        return text;
    }

    /** The reason with this code, or null if the code is unknown. */
    public static ReplayLimit of(long code) {
        for (ReplayLimit replayLimit : values()) {
            if (replayLimit.code == code) {
                return replayLimit;
            }
        }
        return null;
    }
}
