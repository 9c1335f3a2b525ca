package org.posthouse.mpj.blocked;

import java.util.HashMap;
import java.util.Map;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.wire.BlockedReport;

/**
 * The reports to the relay about the collectives in which this rank is blocked, and its answers. Guarded by the
 * endpoint's lock.
 */
final class MismatchReports {
    private record Place(int context, long group) {}

    private final Map<Place, BlockedReport> told = new HashMap<>();

    /** For each position, the look of the watch at which the relay was told. */
    private final Map<Place, Integer> toldAt = new HashMap<>();

    /** The reason that nothing more can come in a context, until the rank has left the collective. */
    private final Map<Integer, ReceiveException> mismatches = new HashMap<>();

    /**
     * The report about a rank that waits for {@code peer}; null if it was made, and need not be repeated.
     *
     * @param look of the watch
     * @param movedAt the last look that has found bytes of the rank moved
     * @param several whether several threads may call at once
     */
    BlockedReport stays(CollectivePosition collectivePosition, boolean again, long job, int rank, int peer, int look, int movedAt, boolean several) {
        BlockedReport blockedReport = stall(collectivePosition, job, rank, peer);
        Place place = place(blockedReport);
        if (blockedReport.equals(told.put(place, blockedReport)) && !again) {
            return null;
        }
        Integer before = toldAt.put(place, look);
        boolean moved = movedAt > (before == null ? look - CollectivePosition.LOOKS + 1 : before);
        return moved || several || collectivePosition.isInBackground() ? blockedReport.with(BlockedReport.AT_WORK) : blockedReport;
    }

    static BlockedReport stall(CollectivePosition collectivePosition, long job, int rank, int peer) {
        return new BlockedReport(job, collectivePosition.context(), collectivePosition.group(), collectivePosition.number(), rank, peer,
                collectivePosition.description());
    }

    /** The report that the rank continues; null if nothing was reported. */
    BlockedReport goesOn(CollectivePosition collectivePosition) {
        Place place = new Place(collectivePosition.context(), collectivePosition.group());
        BlockedReport last = told.remove(place);
        toldAt.remove(place);
        mismatches.remove(collectivePosition.context());
        return last == null
                ? null
                : new BlockedReport(last.job(), last.context(), last.group(), last.number(), last.rank(), -1, "");
    }

    /** Whether the rank is still where the relay believes it to be. */
    boolean isAt(BlockedReport blockedReport) {
        BlockedReport last = told.get(place(blockedReport));
        return last != null && last.number() == blockedReport.number();
    }

    void mismatch(int context, ReceiveException why) {
        mismatches.put(context, why);
    }

    /** The mismatch in {@code context}; null if there is none. */
    ReceiveException mismatch(int context) {
        return mismatches.isEmpty() ? null : mismatches.get(context);
    }

    private static Place place(BlockedReport blockedReport) {
        return new Place(blockedReport.context(), blockedReport.group());
    }
}
