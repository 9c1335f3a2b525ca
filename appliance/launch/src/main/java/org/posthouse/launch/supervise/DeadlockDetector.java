package org.posthouse.launch.supervise;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;

/**
 * Detects that all of a job's ranks that have not called Finalize wait; each case is reported once. Confined to the
 * job's thread.
 */
final class DeadlockDetector {
    /** Ranks that are named at most. */
    private static final int NAMED_MAX = 8;

    private final int ranks;

    /** By rank: the operation in which it has been blocked for long. */
    private final TreeMap<Integer, String> blocked = new TreeMap<>();

    /** For how long they have waited, as the last relay said. */
    private int seconds;

    private boolean told;

    /** @param ranks of the job */
    DeadlockDetector(int ranks) {
        this.ranks = ranks;
    }

    /** Its relay says that it has waited for so long. */
    void blocked(int rank, String in, int waitedS) {
        seconds = waitedS;
        blocked.put(rank, in);
    }

    /** The rank does not wait any more, or its state is unknown. */
    void goesOn(int rank) {
        told &= blocked.remove(rank) == null;
    }

    /**
     * Text for people that is due now; null if none.
     *
     * @param finalizedRanks number of ranks that have called Finalize
     */
    String news(IntSupplier finalizedRanks) {
        if (told || blocked.isEmpty()) {
            return null;
        }
        int finalized = finalizedRanks.getAsInt();
        if (blocked.size() + finalized < ranks) {
            return null;
        }
        told = true;
        String who = blocked.size() == 1
                ? "the only rank" + (finalized == 0 ? "" : " that has not called Finalize") + " has"
                : "all " + blocked.size() + " ranks" + (finalized == 0 ? "" : " that have not called Finalize") + " have";
        String text = who + " waited for " + seconds + " s: "
                + blocked.entrySet().stream().limit(NAMED_MAX).map(DeadlockDetector::named).collect(Collectors.joining(", "));
        return blocked.size() > NAMED_MAX ? text + ", and " + (blocked.size() - NAMED_MAX) + " more" : text;
    }

    private static String named(Map.Entry<Integer, String> rank) {
        return "rank " + rank.getKey() + " in " + rank.getValue();
    }
}
