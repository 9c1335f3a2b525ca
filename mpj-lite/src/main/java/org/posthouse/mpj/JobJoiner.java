package org.posthouse.mpj;

import java.io.IOException;
import java.util.List;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobJoin;

/** Joins a process to joint jobs, and tells what others must know of it for that. */
public interface JobJoiner {
    /** The id of the process's own job. */
    long job();

    /** What the process's own job survives. */
    Durability durability();

    /** The home of a rank of the process's own job. */
    HomeRelay home(int rank);

    /**
     * Takes part in a joint job, as the rank that asks there.
     *
     * @return the process's end in the joint job
     * @throws IOException if the relay refuses it, or cannot be reached once more; with the reason
     */
    Endpoint join(JobJoin join) throws IOException;

    /** The homes of ranks, each once, in the order of the ranks. */
    static List<HomeRelay> distinct(List<HomeRelay> homes) {
        return homes.stream().distinct().toList();
    }
}
