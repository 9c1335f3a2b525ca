package org.posthouse.relay;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.posthouse.core.Job;
import org.posthouse.directory.RankEntry;
import org.posthouse.directory.RelayEntry;

/** The fields of jobs' records among the names ({@code job/ID/state}), from what relays have posted about their ranks. Stateless. */
final class PostedJobs {
    /** Relays that have a field of their own in a job's record, which has at most 64 fields. */
    static final int RELAYS_MAX = 60;

    /** Most characters of the ranks of one relay. */
    static final int RANKS_CHARS_MAX = 400;

    private PostedJobs() {}

    /**
     * Of each job that has a rank at a relay that is there.
     *
     * @param ranks ordered by job and rank
     * @return fields by jobs in hexadecimal digits: {@code ranks}, and one for each relay
     */
    static Map<String, Map<String, String>> records(List<RankEntry> ranks, List<RelayEntry> relays) {
        Set<String> there = new HashSet<>();
        relays.forEach(relay -> there.add(relay.relay()));
        Map<Long, List<RankEntry>> jobs = new LinkedHashMap<>();
        ranks.forEach(rank -> jobs.computeIfAbsent(rank.job(), id -> new ArrayList<>()).add(rank));
        Map<String, Map<String, String>> records = new TreeMap<>();
        jobs.forEach((job, members) -> {
            if (members.stream().anyMatch(rank -> there.contains(rank.relay()))) {
                records.put(Job.hexId(job), record(members, there));
            }
        });
        return records;
    }

    private static Map<String, String> record(List<RankEntry> ranks, Set<String> there) {
        Map<String, List<RankEntry>> homes = new TreeMap<>();
        ranks.forEach(rank -> homes.computeIfAbsent(rank.relay(), relay -> new ArrayList<>()).add(rank));
        Map<String, String> fields = new TreeMap<>();
        fields.put("ranks", Integer.toString(ranks.size()));
        int left = 0;
        for (Map.Entry<String, List<RankEntry>> home : homes.entrySet()) {
            if (fields.size() > RELAYS_MAX) {
                left++;
            } else {
                fields.put("relay " + home.getKey(), described(home.getValue(), there.contains(home.getKey())));
            }
        }
        if (left > 0) {
            fields.put("more", left + " relays");
        }
        return fields;
    }

    private static String described(List<RankEntry> ranks, boolean isThere) {
        Map<String, Integer> states = new TreeMap<>();
        ranks.forEach(rank -> states.merge(rank.state(), 1, Integer::sum));
        StringBuilder text = new StringBuilder("site=" + ranks.getFirst().site() + (isThere ? "" : " gone=true") + " ranks=" + ranges(ranks));
        states.forEach((state, count) -> text.append(' ').append(state).append('=').append(count));
        return text.toString();
    }

    /** Such as {@code 0-3,7}; cut with an ellipsis. */
    private static String ranges(List<RankEntry> ranks) {
        StringBuilder text = new StringBuilder();
        for (int from = 0; from < ranks.size();) {
            int to = from;
            while (to + 1 < ranks.size() && ranks.get(to + 1).rank() == ranks.get(to).rank() + 1) {
                to++;
            }
            text.append(text.isEmpty() ? "" : ",").append(ranks.get(from).rank());
            if (to > from) {
                text.append('-').append(ranks.get(to).rank());
            }
            if (text.length() > RANKS_CHARS_MAX) {
                return text.append('…').toString();
            }
            from = to + 1;
        }
        return text.toString();
    }
}
