package org.posthouse.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.posthouse.wire.BlockedReport;

/**
 * Keeps the last report of each rank of a job that is blocked in a collective, to detect calls that do not match. It is
 * a diagnosis: only error messages depend on it. Confined to the relay core.
 */
final class CollectiveCalls {
    /** Limit of communicators in which one rank may be blocked at once; past it older reports are dropped. */
    static final int PER_RANK_MAX = 64;

    private static final String RULE = ": all ranks must call the same collectives in the same order";

    /**
     * Nanoseconds for which the report of a blocked rank is valid. A rank that stays blocked repeats it every five
     * seconds. A rank that has died does not report the end of its call, and that report may be lost between relays.
     * Without this limit its old place would count in the next communicator of that number, which counts its
     * collectives anew.
     */
    static final long BELIEVED_NS = 12_000_000_000L;

    private record Place(int context, long group) {}

    private record Word(BlockedReport stall, long saidNanos) {
        /**
         * A rank that left with an error reports it once. That report stays valid, because the communicator's number is
         * not used again.
         */
        private boolean isBelieved(long nowNanos) {
            return !stall.isIn() || nowNanos - saidNanos < BELIEVED_NS;
        }
    }

    /** Limit of communicators whose broken collectives are remembered. */
    static final int BROKEN_MAX = 64;

    private final Map<Integer, LinkedHashMap<Place, Word>> byRank = new HashMap<>();

    /** Two ranks in different calls as the same collective. */
    private final Map<Place, List<BlockedReport>> broken = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, List<BlockedReport>> eldest) {
            return size() > BROKEN_MAX;
        }
    };

    /**
     * Records a rank's report and returns a report for each rank that can never continue. Its {@link
     * BlockedReport#peer} is the awaited rank that sends nothing more, or -1 if the calls differ.
     */
    List<BlockedReport> judge(BlockedReport stall, long nowNanos) {
        put(stall, nowNanos);
        if (stall.text().isEmpty()) {
            return List.of();
        }
        List<BlockedReport> verdicts = new ArrayList<>();
        for (LinkedHashMap<Place, Word> words : byRank.values()) {
            Word other = words.get(place(stall));
            if (other != null && other.stall != stall && other.isBelieved(nowNanos)) {
                compare(stall, other.stall, verdicts);
            }
        }
        return verdicts.isEmpty() ? ofBroken(stall) : verdicts;
    }

    private void compare(BlockedReport stall, BlockedReport other, List<BlockedReport> verdicts) {
        if (stall.number() == other.number()) {
            if (!kind(stall).equals(kind(other))) {
                broken.put(place(stall), List.of(stall, other));
                verdicts.add(mismatch(stall, other));
                verdicts.add(mismatch(other, stall));
            }
        } else {
            BlockedReport behind = stall.number() - other.number() < 0 ? stall : other; // Numbers wrap.
            BlockedReport ahead = behind == stall ? other : stall;
            if (behind.peer() == ahead.rank()) {
                verdicts.add(left(behind, ahead));
            }
        }
    }

    /**
     * The two ranks that were found in different calls may be gone: a rank that comes to that collective later hangs.
     */
    private List<BlockedReport> ofBroken(BlockedReport stall) {
        List<BlockedReport> pair = broken.get(place(stall));
        if (pair == null || pair.get(0).number() != stall.number()) {
            return List.of();
        }
        BlockedReport other = pair.get(kind(pair.get(0)).equals(kind(stall)) ? 1 : 0);
        return List.of(mismatch(stall, other));
    }

    /** Replaces a rank's last report about that communicator; an empty one removes it. */
    private void put(BlockedReport stall, long nowNanos) {
        LinkedHashMap<Place, Word> words = byRank.computeIfAbsent(stall.rank(), unseen -> new LinkedHashMap<>());
        words.remove(place(stall));
        if (!stall.text().isEmpty()) {
            words.put(place(stall), new Word(stall, nowNanos));
        }
        if (words.size() > PER_RANK_MAX) {
            words.remove(words.keySet().iterator().next());
        }
    }

    private static Place place(BlockedReport stall) {
        return new Place(stall.context(), stall.group());
    }

    /**
     * The rank's process has ended, and its blocked calls with it. Reports of calls left with an error remain: the next
     * process has left them, too, and does not report them again.
     */
    void forget(int rank) {
        byRank.computeIfPresent(rank, (gone, words) -> words.values().removeIf(word -> word.stall.isIn()) && words.isEmpty() ? null : words);
    }

    /** The reports of ranks that wait for {@code peer}. */
    List<BlockedReport> waitingFor(int peer) {
        List<BlockedReport> waiting = new ArrayList<>();
        for (LinkedHashMap<Place, Word> words : byRank.values()) {
            words.values().stream().map(Word::stall).filter(stall -> stall.peer() == peer).forEach(waiting::add);
        }
        return waiting;
    }

    /** Bcast and bcast, Reduce_scatter and reduceScatter are one call in two dialects. */
    private static String kind(BlockedReport stall) {
        return stall.text().replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** The report for {@code behind}'s rank when the rank that it waits for is in a later collective. */
    private static BlockedReport left(BlockedReport behind, BlockedReport ahead) {
        String text = "rank " + behind.rank() + " is in " + behind.text() + ", collective " + number(behind)
                + " of this communicator, and waits for rank " + ahead.rank() + ", which has left it and is in "
                + ahead.text() + ", collective " + number(ahead) + " (world ranks)" + RULE;
        return with(behind, ahead.rank(), text);
    }

    /** The report for {@code stall}'s rank when another rank's call does not match. */
    private static BlockedReport mismatch(BlockedReport stall, BlockedReport other) {
        String text = "rank " + stall.rank() + " is in " + stall.text() + ", rank " + other.rank() + " in " + other.text()
                + ", as collective " + number(stall)
                + " of this communicator (world ranks)" + RULE;
        return with(stall, -1, text);
    }

    /** The report for a rank when the rank that it waits for has called Finalize. */
    static BlockedReport deserted(BlockedReport stall) {
        String text = "rank " + stall.rank() + " is in " + stall.text() + " and waits for rank " + stall.peer()
                + ", which has called Finalize (world ranks)" + RULE;
        return with(stall, stall.peer(), text);
    }

    private static String number(BlockedReport stall) {
        return Integer.toUnsignedString(stall.number());
    }

    private static BlockedReport with(BlockedReport stall, int peer, String text) {
        return new BlockedReport(stall.job(), stall.context(), stall.group(), stall.number(), stall.rank(), peer, text);
    }
}
