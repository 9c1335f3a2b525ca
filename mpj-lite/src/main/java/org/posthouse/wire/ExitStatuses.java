package org.posthouse.wire;

/**
 * Exit statuses of ranks' processes and of jobs, with one meaning for ranks, relays and launchers. docs/jobs.md tells
 * what follows from each.
 */
public final class ExitStatuses {
    /** A rank's relay refused or dropped it, or cannot be reached. */
    public static final int CONNECTION = 70;

    /** A restarted rank diverged: it did something else than before. */
    public static final int DIVERGED = 71;

    /** A rank's relay has lost something that the process knows. Another process is to be started in its place. */
    public static final int RESTART = 72;

    /** A rank's state could not be saved or restored. Another process is to be started in its place. */
    public static final int STATE = 73;

    /**
     * The job is left as it is. It can continue only if a relay's lost data is brought back (EX_IOERR of sysexits.h).
     */
    public static final int LOST = 74;

    /** The job is left as it is, to be continued later (EX_TEMPFAIL of sysexits.h). */
    public static final int LEFT = 75;

    /**
     * The status of SIGTERM: for a job that is no longer wanted or that nobody is left to continue, and in place of the
     * status of a process that was not started.
     */
    public static final int TERMINATED = 143;

    private ExitStatuses() {}
}
