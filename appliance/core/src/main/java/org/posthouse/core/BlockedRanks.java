package org.posthouse.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.posthouse.wire.BlockedReport;

/**
 * Records the call in which each rank of a job is blocked, as last reported, and since when. It is for people only, and
 * nothing depends on it. If a rank reports several calls, the one in which it stands still counts. Confined to the
 * relay core.
 */
final class BlockedRanks {
    private static final long LONG_NS = BlockedCall.LONG_S * 1_000_000_000L;

    /** One rank's. */
    private static final class Place {
        private final long sinceNanos;
        private BlockedReport word;

        /** Since when it has stood still without anything that would excuse it. */
        private long stillSinceNanos;

        private boolean told;

        /** Numbers of its call and of the awaited rank's call, as last reported to the launcher; 0 if they were not. */
        private int behind;

        private int behindOther;

        private Place(BlockedReport word, long nowNanos) {
            this.word = word;
            sinceNanos = nowNanos;
            stillSinceNanos = nowNanos;
        }

        private boolean isCallOf(BlockedReport other) {
            return word.isPointToPoint()
                    ? other.isPointToPoint()
                    : !other.isPointToPoint() && word.context() == other.context() && word.group() == other.group();
        }

        private BlockedCall picture() {
            return new BlockedCall(word.text(), sinceNanos, word.peer(), word.standsStill(), stillSinceNanos);
        }

        /**
         * Records a repeated report of the call.
         *
         * @return whether the launcher must be notified that the standstill is over
         */
        private boolean stays(BlockedReport again, long nowNanos) {
            boolean goesOn = told && !again.standsStill();
            if (word.standsStill() != again.standsStill()) {
                stillSinceNanos = nowNanos;
                told = false;
            }
            word = again;
            return goesOn;
        }
    }

    private final Map<Integer, Place> byRank = new HashMap<>();

    /** Records a rank's report. @return whether a standstill was reported to the launcher and is over now */
    boolean word(BlockedReport word, long nowNanos) {
        Place last = byRank.get(word.rank());
        boolean same = last != null && last.isCallOf(word);
        if (same && word.isIn() && last.word.number() == word.number()) {
            return last.stays(word, nowNanos);
        }
        boolean beside = last != null && !same && (!word.isIn() || last.word.standsStill() && !word.standsStill());
        if (beside) {
            return false;
        }
        if (word.isIn()) {
            byRank.put(word.rank(), new Place(word, nowNanos));
        } else {
            byRank.remove(word.rank());
        }
        return last != null && last.told;
    }

    /** Whether the rank's standstill must be reported to the launcher now; true once. */
    boolean tells(int rank, long nowNanos) {
        Place place = byRank.get(rank);
        boolean tells = place != null && !place.told && place.word.standsStill() && nowNanos - place.stillSinceNanos >= LONG_NS;
        if (tells) {
            place.told = true;
        }
        return tells;
    }

    /** Whether the rank's standstill was reported to the launcher. */
    boolean isTold(int rank) {
        Place place = byRank.get(rank);
        return place != null && place.told;
    }

    /**
     * Restarts the standstill time of all ranks, because the program is not at fault.
     *
     * @return ranks whose standstill was reported to the launcher
     */
    List<Integer> excuse(long nowNanos) {
        List<Integer> told = new ArrayList<>();
        byRank.forEach((rank, place) -> {
            if (place.told) {
                told.add(rank);
            }
            place.told = false;
            place.stillSinceNanos = nowNanos;
        });
        return told;
    }

    /** The last word of a rank that waits for its message to be matched; null if it does not. */
    BlockedReport sending(int rank) {
        Place place = byRank.get(rank);
        return place != null && place.word.waitsForMatch() ? place.word : null;
    }

    /** The last words of all ranks that wait for a message to this one to be matched. */
    List<BlockedReport> sendingTo(int rank) {
        List<BlockedReport> all = new ArrayList<>();
        for (Place place : byRank.values()) {
            if (place.word.waitsForMatch() && place.word.peer() == rank) {
                all.add(place.word);
            }
        }
        return all;
    }

    /** Whether the launcher must be notified now that one waits for the other; true once for the same two calls. */
    boolean tellsBehind(BlockedReport send, BlockedReport other) {
        Place place = byRank.get(send.rank());
        boolean tells = place.behind != send.number() || place.behindOther != other.number();
        place.behind = send.number();
        place.behindOther = other.number();
        return tells;
    }

    void forget(int rank) {
        byRank.remove(rank);
    }

    Optional<BlockedCall> of(int rank) {
        return Optional.ofNullable(byRank.get(rank)).map(Place::picture);
    }

    /** Of all ranks, in a map that is the caller's. */
    Map<Integer, BlockedCall> all() {
        Map<Integer, BlockedCall> all = new HashMap<>();
        byRank.forEach((rank, place) -> all.put(rank, place.picture()));
        return all;
    }
}
