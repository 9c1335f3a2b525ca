package org.posthouse.relay.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the processes that follow ranks still need in the log, so that it is not cut there. Guarded by the monitor of all users of the
 * log.
 *
 * <p>A restart of a rank needs the log from some position on, its <i>need</i>, which rises with each checkpoint. A follower that was sent
 * all records of the time when the need had some value needs no more than that: it goes on from a later point than such a restart.
 */
final class FollowerPins {
    private record Rank(long job, int rank) {}

    private final Object turn;
    private final Map<Rank, List<Pin>> pins = new HashMap<>();

    FollowerPins(Object turn) {
        this.turn = turn;
    }

    /** A follower's reading begins. Called under the monitor. @param need the rank's need now */
    Pin add(long job, int rank, long need) {
        assert Thread.holdsLock(turn);
        Pin pin = new Pin(new Rank(job, rank), need);
        pins.computeIfAbsent(pin.rank, none -> new ArrayList<>()).add(pin);
        return pin;
    }

    /**
     * The position of the oldest record that the rank's followers need, if that is below the rank's own need; else that. Called under the
     * monitor.
     *
     * @param need the rank's own at present
     * @param logPosition position of the log's last record
     */
    long limit(long job, int rank, long need, long logPosition) {
        assert Thread.holdsLock(turn);
        long least = need;
        for (Pin pin : pins.getOrDefault(new Rank(job, rank), List.of())) {
            least = Math.min(least, pin.look(need, logPosition));
        }
        return least;
    }

    /** The needs of one follower. Closed when its reading ends. */
    final class Pin implements AutoCloseable {
        /** The need of the rank when the log had come to a position. */
        private record Need(long logPosition, long need) {}

        private final Rank rank;
        private final ArrayDeque<Need> ahead = new ArrayDeque<>();
        private long need;
        private long reached = -1;

        private Pin(Rank rank, long need) {
            this.rank = rank;
            this.need = need;
        }

        /** The follower was sent everything up to this log position. Any thread. */
        void reached(long position) {
            synchronized (turn) {
                reached = position;
            }
        }

        private long look(long next, long logPosition) {
            if (next > (ahead.isEmpty() ? need : ahead.getLast().need())) {
                ahead.add(new Need(logPosition, next));
            }
            while (!ahead.isEmpty() && ahead.peek().logPosition() <= reached) {
                need = ahead.remove().need();
            }
            return need;
        }

        @Override
        public void close() {
            synchronized (turn) {
                pins.computeIfPresent(rank, (key, open) -> open.remove(this) && open.isEmpty() ? null : open);
            }
        }
    }
}
