package org.posthouse.launch.supervise;

import java.util.List;
import java.util.function.IntPredicate;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.Restart;

/**
 * Runs the processes of a job's ranks: at most one of each rank that leads, and those that follow it. It reports each process's exit by {@link
 * JobSignal.Exited}, once all output of the process was passed on. Called by the job's thread, except {@link #kill()},
 * {@link #kill(IntPredicate)}, {@link #strike} and {@link #present()}, which any thread may call.
 */
public interface RankHost extends AutoCloseable {
    /**
     * Starts a process of the rank, whose last one has ended.
     *
     * @param incarnation the number of the process among those of its rank, from 1
     * @return false if no more processes are started, because of {@link #kill()}
     */
    boolean start(int rank, int incarnation) throws JobFailure;

    /**
     * Starts a process that follows the rank's leader. Nothing that it prints is shown.
     *
     * @param process the number of the process among those of its rank
     * @return false if no more processes are started, because of {@link #kill()}
     */
    boolean follow(int rank, int process) throws JobFailure;

    /**
     * A process that has followed leads from now on: it is the rank's present process. The one before it is killed, if it
     * lives.
     *
     * @return false if the process has ended: nothing that it printed last was shown, unless it has ended well; then its leader had printed as much
     */
    boolean lead(int rank, int process);

    /** Kills a process that follows, if it lives, and what it has started. */
    void endFollower(int rank, int process);

    /** Where a process that follows runs, as {@link #where(int)}. */
    String whereFollower(int rank, int process);

    /**
     * Continues with a process of the rank that an earlier launcher has started, where it may live yet. If it does not,
     * that is reported as its exit.
     *
     * @param incarnation the number of the process among those of its rank, from 1
     * @return false if no process outlives its launcher
     */
    boolean adopt(int rank, int incarnation);

    /** A stream of the rank's process is kept up to this point. */
    void kept(JobSignal.OutputKept kept);

    /** The system's number (pid) of the rank's present process, or of its last one. */
    long pid(int rank);

    /** Where the rank's present or last process runs, as the end of a sentence: " on node n1 of site a"; empty: on this host. */
    String where(int rank);

    /** The name of the node that runs the rank's present or last process; empty: this host, or no node yet. Any thread may ask. */
    String node(int rank);

    /** A restart is complete: the new process is where its predecessor had been. */
    void caughtUp(Restart restart);

    /** The present processes, perhaps some that have just ended. */
    List<JobStatusReport.RankRun> present();

    /**
     * Shows the output that was held back. No other process of the rank follows.
     *
     * @param well whether the last process ended as it should
     */
    void finishOutput(int rank, boolean well);

    /**
     * From now on kills a process that a signal has stopped for so long. It prints a line about it. Ended by {@link
     * #kill()}.
     */
    void limitStops(int seconds);

    /** kill -9 of the rank's present process alone, as an accident. @return its incarnation; 0 if none runs */
    int strike(int rank);

    /** Kills the present processes of these ranks, and what they have started. */
    void kill(IntPredicate whose);

    /** Kills all processes. None is started afterwards. */
    void kill();

    /** Waits until every process has ended, at most for this time. */
    void awaitExits(long timeoutMs) throws InterruptedException;

    /** Waits, once every process has ended, until all their output was passed on. */
    void awaitOutput() throws InterruptedException;

    /** Releases what was held for the processes. All of them have ended. */
    @Override
    void close();
}
