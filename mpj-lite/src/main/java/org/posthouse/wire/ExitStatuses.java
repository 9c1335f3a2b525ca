package org.posthouse.wire;

/**
 * Exit statuses, of ranks' processes and of jobs, by which ranks, relays and launchers mean the same. What comes of each is in docs/jobs.md.
 */
public final class ExitStatuses {
    /** A rank's relay refused or dropped it, or cannot be reached. */
    public static final int CONNECTION = 70;

    /** A rank was started again, and did something else than before. */
    public static final int DIVERGED = 71;

    /** A rank's relay has lost something of what the process knows: another is to be started in its place. */
    public static final int RESTART = 72;

    /** A rank's state could not be saved, or restored: another process is to be started in its place. */
    public static final int STATE = 73;

    /** The job is left as it is, and cannot be gone on with unless what a relay of it has lost is brought back (EX_IOERR of sysexits.h). */
    public static final int LOST = 74;

    /** The job is left as it is, to be gone on with later (EX_TEMPFAIL of sysexits.h). */
    public static final int LEFT = 75;

    /** As of SIGTERM: a job that nobody wants any more, or that nobody is left to go on with; and what stands for a process that was not started. */
    public static final int TERMINATED = 143;

    private ExitStatuses() {}
}
