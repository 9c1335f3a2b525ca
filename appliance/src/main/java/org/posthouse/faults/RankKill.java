package org.posthouse.faults;

/**
 * A kill that was carried out.
 *
 * @param rank whose process
 * @param incarnation which of the rank's processes, from 1
 * @param atNs how long after the job's start
 */
public record RankKill(int rank, int incarnation, long atNs) {
    /** Whether that process was killed. */
    public boolean isOf(int ofRank, int process) {
        return rank == ofRank && incarnation == process;
    }
}
