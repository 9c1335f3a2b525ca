package org.posthouse.launch;

/** A running job, for callers that inject faults into it or end it. Any thread may call it. */
public interface RunningJob {
    /**
     * kill -9 of a rank's present process, of which nobody tells the launcher.
     *
     * @return which incarnation of the rank it was, from 1; 0 if no process of the rank runs
     */
    int strike(int rank);

    /** Waits until every relay has the job, and would have it again if it were killed; or the job has ended. */
    void awaitOpen() throws InterruptedException;

    /** Waits until every rank's program has called Init, or the job has ended. */
    void awaitConnected() throws InterruptedException;

    /** Ends the job soon, with this status. */
    void stop(int status, String why);

    /** Ends this process's part in the job soon, which stands still then until another goes on with it, or ends the job if none could. */
    void leave(int status, String why);

    /** How many bytes of what ranks have printed the readers of this process have taken so far: as long as they take more, it is not put away. */
    default long outputTaken() {
        return 0;
    }

    /** Whether somebody wanted the job to end. */
    boolean isStopped();

    /** Kills every process of the job at once. */
    void kill();
}
