package org.posthouse.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.posthouse.wire.Stall;

/**
 * The last word of each rank of a job that is blocked in a collective, to tell calls that do not match. It is a diagnosis:
 * nothing depends on it but error messages. Confined to the relay core.
 */
final class Stalls {
    /** Communicators in which one rank may be blocked at once and is heard; older words are forgotten past it. */
    static final int PER_RANK_MAX = 64;

    private record Place(int context, long group) {}

    private final Map<Integer, LinkedHashMap<Place, Stall>> byRank = new HashMap<>();

    /** Keeps a rank's word instead of its last one about that communicator; an empty one takes it away. */
    void put(Stall stall) {
        Place place = new Place(stall.context(), stall.group());
        LinkedHashMap<Place, Stall> words = byRank.computeIfAbsent(stall.rank(), unseen -> new LinkedHashMap<>());
        words.remove(place);
        if (!stall.text().isEmpty()) {
            words.put(place, stall);
        }
        if (words.size() > PER_RANK_MAX) {
            words.remove(words.keySet().iterator().next());
        }
    }

    /** Forgets all that {@code rank} said. */
    void forget(int rank) {
        byRank.remove(rank);
    }

    /** The words of ranks that are in another call than {@code stall}, in the same place at the same number. */
    List<Stall> against(Stall stall) {
        Place place = new Place(stall.context(), stall.group());
        List<Stall> others = new ArrayList<>();
        for (LinkedHashMap<Place, Stall> words : byRank.values()) {
            Stall other = words.get(place);
            if (other != null && other.number() == stall.number() && !kind(other).equals(kind(stall))) {
                others.add(other);
            }
        }
        return others;
    }

    /** The words of ranks that wait for {@code peer}. */
    List<Stall> waitingFor(int peer) {
        List<Stall> waiting = new ArrayList<>();
        for (LinkedHashMap<Place, Stall> words : byRank.values()) {
            words.values().stream().filter(stall -> stall.peer() == peer).forEach(waiting::add);
        }
        return waiting;
    }

    /** Bcast and bcast, Reduce_scatter and reduceScatter are one call in two dialects. */
    private static String kind(Stall stall) {
        return stall.text().replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** What {@code stall}'s rank is told when another rank's call does not match. */
    static Stall mismatch(Stall stall, Stall other) {
        String text = "rank " + stall.rank() + " is in " + stall.text() + ", rank " + other.rank() + " in " + other.text()
                + ", as collective " + stall.number()
                + " of this communicator (world ranks): all ranks must call the same collectives in the same order";
        return with(stall, -1, text);
    }

    /** What it is told when the rank that it waits for has called Finalize. */
    static Stall deserted(Stall stall) {
        String text = "rank " + stall.rank() + " is in " + stall.text() + " and waits for rank " + stall.peer()
                + ", which has called Finalize (world ranks): all ranks must call the same collectives in the same order";
        return with(stall, stall.peer(), text);
    }

    private static Stall with(Stall stall, int peer, String text) {
        return new Stall(stall.job(), stall.context(), stall.group(), stall.number(), stall.rank(), peer, text);
    }
}
