package org.posthouse.core;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;

/**
 * An agreement of a communicator's members that is not decided: the parts that have come. Only the core of rank 0 has it, so that there is one
 * decision. Confined to the core.
 */
final class PendingAgreement {
    private final Map<Integer, Agree> parts = new HashMap<>();
    private Agree first;

    /** Whether a part belongs to the same call as those that have come: else the members' calls do not match. */
    boolean matches(Agree part) {
        return first == null || first.kind() == part.kind() && first.members().equals(part.members());
    }

    /** What the first member that took part calls, for people. */
    String call() {
        return first.kind() + " of ranks " + first.members() + " by rank " + first.rank();
    }

    /** Takes a member's part. */
    PendingAgreement add(Agree part) {
        first = first == null ? part : first;
        parts.put(part.rank(), part);
        return this;
    }

    /**
     * The result, if every member has taken part or is dead; else null.
     *
     * @param dead all ranks that are dead now
     * @param communicator which of the job's the new one would be
     */
    Agreed result(BitSet dead, int communicator) {
        BitSet failed = (BitSet) first.members().clone();
        failed.and(dead);
        for (int member = first.members().nextSetBit(0); member >= 0; member = first.members().nextSetBit(member + 1)) {
            if (!parts.containsKey(member) && !failed.get(member)) {
                return null;
            }
        }
        return new Agreed(
                first.job(), first.context(), first.number(), first.kind(), flags(), first.kind() == Agree.Kind.SHRINK ? communicator : 0,
                isUnacknowledged(failed), first.members(),
                failed);
    }

    private int flags() {
        return parts.values().stream().mapToInt(Agree::flags).reduce(-1, (a, b) -> a & b);
    }

    private boolean isUnacknowledged(BitSet failed) {
        for (Agree part : parts.values()) {
            if (!failed.get(part.rank())) {
                BitSet unknown = (BitSet) failed.clone();
                unknown.andNot(part.acknowledged());
                if (!unknown.isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }
}
