package org.posthouse.names.raft;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The names of a set of judges, as one relay reaches them. Immutable; the constructor reports all problems together.
 *
 * @param relay this relay's id; it is a judge if the judges name it
 * @param judges the id of each judge, and its address as 127.x.y.z:port: the same at all relays
 * @param folder where a judge keeps its log; others do not use it
 * @param timing the same at all relays
 * @param guard decides who may be at the other end of a connection
 */
public record RaftConfig(String relay, SortedMap<String, String> judges, Path folder, RaftTiming timing, PeerGuard guard) {
    /** Most judges: each change waits for more than half of them. */
    public static final int JUDGES_MAX = 7;

    /** Refuses what cannot work. */
    public RaftConfig {
        judges = Collections.unmodifiableSortedMap(new TreeMap<>(judges));
        List<String> problems = new ArrayList<>();
        if (judges.isEmpty() || judges.size() > JUDGES_MAX || judges.size() % 2 == 0) {
            problems.add("the judges are " + judges.keySet() + ", expected 1, 3, 5 or 7 of them: an even number stands no more failures than one less");
        }
        Set<InetSocketAddress> addresses = new HashSet<>();
        for (Map.Entry<String, String> judge : judges.entrySet()) {
            try {
                if (!addresses.add(Addresses.parse(judge.getValue()))) {
                    problems.add("judge " + judge.getKey() + " has the address of another, " + judge.getValue());
                }
            } catch (IllegalArgumentException e) {
                problems.add("judge " + judge.getKey() + ": " + e.getMessage());
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** Whether this relay is a judge. */
    public boolean isJudge() {
        return judges.containsKey(relay);
    }

    JudgeSet set() {
        return new JudgeSet(judges);
    }
}
