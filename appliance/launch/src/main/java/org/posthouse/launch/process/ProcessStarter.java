package org.posthouse.launch.process;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.posthouse.launch.job.JobFailure;

/** Starts processes of one job's ranks, on this host or on nodes. Confined to the job's thread. */
public interface ProcessStarter extends AutoCloseable {
    /**
     * Starts a process. It connects to its relay when the program calls Init.
     *
     * @throws JobFailure in one line that names the rank, and the node if it is another host
     */
    StartedProcess start(ProcessRequest request) throws JobFailure;

    /**
     * Continues with a process that an earlier launcher has started, which may live yet. If it does not, it counts as
     * killed.
     *
     * @return empty if no process outlives its launcher
     */
    Optional<StartedProcess> adopt(ProcessRequest request);

    /**
     * Begins to kill processes that a signal has stopped for so long.
     *
     * @param processes the present ones, asked for at each look
     * @param tell receives a line about each that was killed
     * @return ends this when closed
     */
    StopWatch limitStops(Supplier<List<? extends StoppedRanks.Watched>> processes, int seconds, Consumer<String> tell);

    /** A watch over stopped processes. */
    interface StopWatch extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * The job is over: what serves it alone ends. Its processes have ended.
     *
     * @param status of the job
     * @param why it has ended; empty if it ended well
     */
    default void jobEnded(int status, String why) {}

    /** Releases what was held for the processes, all of which have ended. @throws JobFailure in one line if something is left */
    @Override
    void close() throws JobFailure;
}
