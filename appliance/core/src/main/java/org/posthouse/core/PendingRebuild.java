package org.posthouse.core;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The processes that wait for a communicator of one living process for each rank of their job (ADR 112). The process {@code p} is one of the rank
 * {@code p mod ranks}, and has come after those with lower numbers. Only the core of rank 0 has it. Confined to the core.
 */
final class PendingRebuild {
    private static final int NOBODY = -1;

    /** By rank, the process that takes part. */
    private final int[] processes;

    /** Whether a rank has called Finalize: it takes part in none any more. */
    private boolean isOver;

    /** @param ranks of the job, as its program sees them */
    PendingRebuild(int ranks) {
        processes = new int[ranks];
        Arrays.fill(processes, NOBODY);
    }

    /** A process takes part. One of its rank that took part before is dead, which may not be known here yet. */
    void join(int process) {
        int rank = process % processes.length;
        processes[rank] = Math.max(processes[rank], process);
    }

    void died(int process) {
        int rank = process % processes.length;
        if (processes[rank] == process) {
            processes[rank] = NOBODY;
        }
    }

    void finalized() {
        isOver = true;
    }

    /** Whether no communicator is made any more. */
    boolean isOver() {
        return isOver;
    }

    /** Removes the processes that have their answer: one of each rank, or all that wait if {@link #isOver}. Empty if they wait on. */
    BitSet takeAnswered() {
        BitSet waiting = new BitSet();
        Arrays.stream(processes).filter(process -> process != NOBODY).forEach(waiting::set);
        if (!isOver && waiting.cardinality() < processes.length) {
            return new BitSet();
        }
        Arrays.fill(processes, NOBODY);
        return waiting;
    }
}
