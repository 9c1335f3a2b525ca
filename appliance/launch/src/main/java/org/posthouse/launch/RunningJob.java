package org.posthouse.launch;

/** A running job, for callers that inject faults into it or end it. Any thread may call it. */
public interface RunningJob {
    /**
     * Ends a rank's present process as kill -9 does. The launcher receives no notice of it.
     *
     * @return the incarnation of that process, from 1; 0 if no process of the rank runs
     */
    int strike(int rank);

    /**
     * Ends a process that follows the rank likewise.
     *
     * @return the number of that process among those of its rank; 0 if none follows
     */
    default int strikeFollower(int rank) {
        return 0;
    }

    /** Waits until every relay has the job, and would have it again if it were killed; or the job has ended. */
    void awaitOpen() throws InterruptedException;

    /** Waits until every rank's program has called Init, or the job has ended. */
    void awaitConnected() throws InterruptedException;

    /** Ends the job soon, with this status. */
    void stop(int status, String why);

    /**
     * Ends this process's part in the job soon. The job then pauses until another launcher resumes it, or ends if none
     * could.
     */
    void leave(int status, String why);

    /**
     * Bytes of rank output that the readers of this process have taken so far. While the number grows, the process is
     * not halted.
     */
    default long outputTaken() {
        return 0;
    }

    /** Whether the job was asked to end. */
    boolean isStopped();

    /** Kills every process of the job at once. */
    void kill();
}
