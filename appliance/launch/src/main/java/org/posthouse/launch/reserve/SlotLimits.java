package org.posthouse.launch.reserve;

import java.util.OptionalInt;
import org.posthouse.wire.AgentOffer;

/**
 * How much of a node its owner lends (P2P-MPI, section 3.2: J and P).
 *
 * @param jobs J: jobs that have slots at once, at least 1
 * @param slotsPerJob P: slots of one job, at least 1
 * @param slotsInAll slots of all jobs together, at least {@code slotsPerJob}, at most {@link AgentOffer#SLOTS_MAX}
 */
public record SlotLimits(int jobs, int slotsPerJob, int slotsInAll) {
    public SlotLimits {
        if (jobs < 1 || slotsPerJob < 1 || slotsInAll < slotsPerJob || slotsInAll > AgentOffer.SLOTS_MAX) {
            throw new IllegalArgumentException(jobs + " jobs of " + slotsPerJob + " slots, " + slotsInAll
                    + " in all; expected at least 1 job of 1 slot, and " + AgentOffer.SLOTS_MAX + " slots in all at most");
        }
    }

    /**
     * The slots in all are cores x {@code oversubscribe}, or P if that is more.
     *
     * @param jobs J; default: as many as there are slots in all
     * @param slotsPerJob P; default: the slots in all
     * @param cores processors of the node
     * @param oversubscribe processes for each core
     * @throws IllegalArgumentException in one line, if a number is out of range
     */
    public static SlotLimits of(OptionalInt jobs, OptionalInt slotsPerJob, int cores, double oversubscribe) {
        int bySize = (int) Math.clamp((long) Math.floor(cores * oversubscribe), 1, AgentOffer.SLOTS_MAX);
        int inAll = Math.max(bySize, slotsPerJob.orElse(bySize));
        return new SlotLimits(jobs.orElse(inAll), slotsPerJob.orElse(inAll), inAll);
    }
}
