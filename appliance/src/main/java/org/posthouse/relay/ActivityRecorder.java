package org.posthouse.relay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.posthouse.status.JobActivity;
import org.posthouse.status.RankActivity;
import org.posthouse.status.RankStatus;

/**
 * Counts what each rank at home here has sent and got in each of the last {@value #SECONDS} seconds, and its blocked calls,
 * for the console's timeline. It reads the counters that the console is shown anyway, so no message waits for it. Confined
 * to the relay's event loop.
 *
 * <p>Bound: {@value #RANKS_MAX} ranks, each with 4.8 KB and {@value #WAITS_MAX} calls: 40 MB at most. Further ranks have no
 * timeline. Jobs that have ended, {@value EndedJobs#JOBS_MAX} at most, are kept while no rank of an open one needs the room.
 */
final class ActivityRecorder {
    static final int SECONDS = 300;
    static final int RANKS_MAX = 4_096;
    static final int WAITS_MAX = 50;
    private static final long STEP_MS = 1_000;

    private final Map<Long, Map<Integer, Lane>> jobs = new HashMap<>();

    /** The oldest first. */
    private final LinkedHashMap<Long, Ended> ended = new LinkedHashMap<>();

    /** The second of the last sample, since 1970. */
    private long second;

    /** Of all jobs. */
    private int lanes;

    /** A job whose ranks do nothing any more. @param second its last one */
    private record Ended(long second, Map<Integer, Lane> lanes) {}

    /** One rank's. */
    private static final class Lane {
        private final long[] sent = new long[SECONDS];
        private final long[] delivered = new long[SECONDS];
        private final ArrayDeque<RankActivity.Span> waits = new ArrayDeque<>();
        private long sentBefore = -1;
        private long deliveredBefore;

        private void count(RankStatus rank, long second) {
            int slot = (int) (second % SECONDS);
            if (sentBefore >= 0) {
                sent[slot] += Math.max(0, rank.messagesSent() - sentBefore);
                delivered[slot] += Math.max(0, rank.messagesDelivered() - deliveredBefore);
            } else {
                sent[slot] += rank.messagesSent();
                delivered[slot] += rank.messagesDelivered();
            }
            sentBefore = rank.messagesSent();
            deliveredBefore = rank.messagesDelivered();
        }

        private void clear(long second) {
            sent[(int) (second % SECONDS)] = 0;
            delivered[(int) (second % SECONDS)] = 0;
        }

        private void waits(RankStatus rank, long nowMs) {
            RankActivity.Span last = waits.peekLast();
            boolean isOpen = last != null && last.to() == 0;
            boolean isSame = isOpen && last.call().equals(rank.blockedIn());
            if (isOpen && !isSame) {
                waits.removeLast();
                waits.addLast(new RankActivity.Span(last.from(), nowMs, last.call()));
            }
            if (!rank.blockedIn().isEmpty() && !isSame) {
                if (waits.size() == WAITS_MAX) {
                    waits.removeFirst();
                }
                waits.addLast(new RankActivity.Span(rank.blockedSince(), 0, rank.blockedIn()));
            }
        }
    }

    /**
     * Takes a sample; called some times a second.
     *
     * @param nowMs milliseconds since 1970 UTC; a clock that was set back begins anew
     * @param open ids of the open jobs
     * @param ranksOf the ranks of a job that are at home here, with their blocked calls
     */
    void sample(long nowMs, Collection<Long> open, Function<Long, Collection<RankStatus>> ranksOf) {
        turnTo(nowMs / STEP_MS);
        jobs.entrySet().removeIf(job -> {
            boolean isOver = !open.contains(job.getKey());
            lanes -= isOver ? job.getValue().size() : 0;
            return isOver;
        });
        for (long job : open) {
            count(nowMs, jobs.computeIfAbsent(job, unseen -> new TreeMap<>()), ranksOf.apply(job));
        }
    }

    /**
     * Counts the last messages of a job that has ended, and keeps what it has done.
     *
     * @param ranks those at home here, blocked in no call
     */
    void end(long nowMs, long job, Collection<RankStatus> ranks) {
        turnTo(nowMs / STEP_MS);
        Map<Integer, Lane> known = jobs.computeIfAbsent(job, unseen -> new TreeMap<>());
        count(nowMs, known, ranks);
        jobs.remove(job);
        if (ended.size() == EndedJobs.JOBS_MAX) {
            dropOldestEnded();
        }
        ended.put(job, new Ended(second, known));
    }

    private void count(long nowMs, Map<Integer, Lane> known, Collection<RankStatus> ranks) {
        for (RankStatus rank : ranks) {
            Lane lane = lane(known, rank.rank());
            if (lane != null) {
                lane.count(rank, second);
                lane.waits(rank, nowMs);
            }
        }
    }

    private void dropOldestEnded() {
        lanes -= ended.pollFirstEntry().getValue().lanes.size();
    }

    private Lane lane(Map<Integer, Lane> known, int rank) {
        Lane lane = known.get(rank);
        while (lane == null && lanes >= RANKS_MAX && !ended.isEmpty()) {
            dropOldestEnded();
        }
        if (lane == null && lanes < RANKS_MAX) {
            lanes++;
            lane = new Lane();
            known.put(rank, lane);
        }
        return lane;
    }

    /** Clears the seconds that begin. */
    private void turnTo(long next) {
        if (next < second || next - second > SECONDS) {
            lanes = 0;
            jobs.clear();
            ended.clear();
        } else {
            for (long each = second + 1; each <= next; each++) {
                long begun = each;
                jobs.values().forEach(job -> job.values().forEach(lane -> lane.clear(begun)));
            }
        }
        second = next;
    }

    /** What is known of a job, of its last minutes if it has ended; empty lists if nothing is. */
    JobActivity of(long job) {
        Ended known = ended.getOrDefault(job, new Ended(second, jobs.getOrDefault(job, Map.of())));
        List<RankActivity> ranks = new ArrayList<>();
        known.lanes.forEach((rank, lane) -> ranks.add(
                new RankActivity(rank, inOrder(lane.sent, known.second), inOrder(lane.delivered, known.second), List.copyOf(lane.waits))));
        return new JobActivity((known.second - SECONDS + 1) * STEP_MS, ranks);
    }

    private static List<Long> inOrder(long[] ring, long last) {
        List<Long> values = new ArrayList<>(SECONDS);
        for (long each = last - SECONDS + 1; each <= last; each++) {
            values.add(ring[(int) Math.floorMod(each, (long) SECONDS)]);
        }
        return values;
    }
}
