package org.posthouse.ops;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankWait;

/**
 * Which ranks of a job have been inside one call for seconds, and for whom they wait. Immutable.
 *
 * @param job     the job's id
 * @param waits   by rank
 * @param cycles  ranks that wait for each other in a ring, from the smallest on: none of them can go on
 * @param missing home relays that did not answer: the waits of their ranks are missing
 */
record JobWaits(String job, List<Wait> waits, List<List<Integer>> cycles, List<String> missing) {
    /**
     * One rank's.
     *
     * @param rank  the rank
     * @param call  in the program's terms
     * @param since when it was heard of first, milliseconds since 1970 UTC
     * @param peers the ranks that it waits for; empty if they are not known
     * @param any   whether one of them suffices
     */
    record Wait(int rank, String call, long since, List<Integer> peers, boolean any) {}

    static JobWaits of(JobStatus job, List<RankWait> told, List<String> missing) {
        Map<Integer, RankWait> byRank = new TreeMap<>();
        told.forEach(wait -> byRank.put(wait.rank(), wait));
        List<Wait> waits = byRank.values().stream()
                .map(wait -> new Wait(wait.rank(), wait.call(), wait.since(), wait.peer() < 0 ? List.of() : List.of(wait.peer()), wait.peer() < 0))
                .toList();
        return new JobWaits(job.id(), waits, cycles(byRank), missing);
    }

    /** A rank waits for one other at most, so a walk from it ends, or comes to a cycle. */
    private static List<List<Integer>> cycles(Map<Integer, RankWait> waits) {
        List<List<Integer>> cycles = new ArrayList<>();
        Set<Integer> done = new HashSet<>();
        for (int start : waits.keySet()) {
            Map<Integer, Integer> places = new LinkedHashMap<>();
            int rank = start;
            while (waits.containsKey(rank) && !done.contains(rank) && !places.containsKey(rank)) {
                places.put(rank, places.size());
                rank = waits.get(rank).peer();
            }
            if (places.containsKey(rank)) {
                List<Integer> walk = List.copyOf(places.keySet());
                cycles.add(fromSmallest(walk.subList(places.get(rank), walk.size())));
            }
            done.addAll(places.keySet());
        }
        return cycles;
    }

    private static List<Integer> fromSmallest(List<Integer> ring) {
        int first = ring.indexOf(ring.stream().min(Integer::compare).orElseThrow());
        List<Integer> turned = new ArrayList<>(ring.subList(first, ring.size()));
        turned.addAll(ring.subList(0, first));
        return List.copyOf(turned);
    }
}
