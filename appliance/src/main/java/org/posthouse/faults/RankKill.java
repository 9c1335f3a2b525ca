package org.posthouse.faults;

import org.posthouse.launch.job.Restart;

/**
 * A kill that was carried out.
 *
 * @param rank whose process
 * @param incarnation which of the rank's processes, from 1
 * @param atNs how long after the job's start
 */
public record RankKill(int rank, int incarnation, long atNs) {
    /** Whether that is the restart that followed. */
    public boolean ledTo(Restart restart) {
        return restart.rank() == rank && restart.incarnation() == incarnation + 1;
    }
}
