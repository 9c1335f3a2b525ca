package org.posthouse.mpj;

import java.util.HashMap;
import java.util.Map;
import org.posthouse.wire.Stall;

/** In which collectives the relay was told that this rank is blocked, and what it said. Guarded by the endpoint's lock. */
final class Places {
    private record Place(int context, long group) {}

    private final Map<Place, Stall> told = new HashMap<>();

    /** At which look of the watch the relay was told of each. */
    private final Map<Place, Integer> toldAt = new HashMap<>();

    /** Why nothing more can come in a context, until the rank has left the collective. */
    private final Map<Integer, ReceiveException> mismatches = new HashMap<>();

    /**
     * What to tell the relay about a rank that waits for {@code peer}; null if that was told, and need not be again.
     *
     * @param look of the watch
     * @param movedAt the last look that has found bytes of the rank moved
     * @param several whether several threads may call at once
     */
    Stall stays(Presence presence, boolean again, long job, int rank, int peer, int look, int movedAt, boolean several) {
        Stall stall = stall(presence, job, rank, peer);
        Place place = place(stall);
        if (stall.equals(told.put(place, stall)) && !again) {
            return null;
        }
        Integer before = toldAt.put(place, look);
        boolean moved = movedAt > (before == null ? look - Presence.LOOKS + 1 : before);
        return moved || several || presence.isInBackground() ? stall.with(Stall.AT_WORK) : stall;
    }

    static Stall stall(Presence presence, long job, int rank, int peer) {
        return new Stall(job, presence.context(), presence.group(), presence.number(), rank, peer, presence.description());
    }

    /** What to tell the relay when the rank goes on; null if nothing was told. */
    Stall goesOn(Presence presence) {
        Place place = new Place(presence.context(), presence.group());
        Stall last = told.remove(place);
        toldAt.remove(place);
        mismatches.remove(presence.context());
        return last == null
                ? null
                : new Stall(last.job(), last.context(), last.group(), last.number(), last.rank(), -1, "");
    }

    /** Whether the rank is still where the relay believes it to be. */
    boolean isAt(Stall stall) {
        Stall last = told.get(place(stall));
        return last != null && last.number() == stall.number();
    }

    void mismatch(int context, ReceiveException why) {
        mismatches.put(context, why);
    }

    /** Null if all is well in {@code context}. */
    ReceiveException mismatch(int context) {
        return mismatches.isEmpty() ? null : mismatches.get(context);
    }

    private static Place place(Stall stall) {
        return new Place(stall.context(), stall.group());
    }
}
