package org.posthouse.launch.supervise;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Detects ranks that wait for each other in sends. Each relay reports of a rank at home there that it matches a send at
 * the earliest when its own was matched. If such reports form a ring, none of the sends is ever matched, whatever
 * arrives and whenever the reports came (ADR 62). Confined to the job's thread.
 */
public final class SendDeadlock {
    /** Ranks that are named at most. */
    private static final int NAMED_MAX = 8;

    /** @param call its number among those of the rank that waits */
    private record Wait(int call, int behind, int behindCall, String in) {}

    private final Map<Integer, Wait> waits = new HashMap<>();

    /**
     * A rank's send is matched later than that of another.
     *
     * @return the ranks of a ring that this closes, from this one on; empty if it closes none
     */
    public List<Integer> waits(int rank, int call, int behind, int behindCall, String in) {
        waits.put(rank, new Wait(call, behind, behindCall, in));
        List<Integer> ring = new ArrayList<>();
        Wait wait = waits.get(rank);
        while (wait != null) {
            ring.add(wait.behind);
            if (wait.behind == rank) {
                return wait.behindCall == call ? ring : List.of();
            }
            Wait next = waits.get(wait.behind);
            wait = next == null || next.call != wait.behindCall || ring.size() > waits.size() ? null : next;
        }
        return List.of();
    }

    /** It does not wait any more, or another process of it counts anew. */
    public void forget(int rank) {
        waits.remove(rank);
    }

    /** Text for people about a ring. */
    public String words(List<Integer> ring) {
        String who = ring.size() == 1 ? "rank " + ring.getFirst() + " waits for itself" : "ranks " + names(ring) + " wait for each other";
        String in = ring.stream().sorted().limit(NAMED_MAX).map(rank -> "rank " + rank + " in " + waits.get(rank).in).collect(Collectors.joining(", "));
        return who + " in sends, and none of them can end: " + in + (ring.size() > NAMED_MAX ? ", and more" : "")
                + "; post a receive before the send (Irecv, Sendrecv) or send with Isend; where there is no room, more helps: --unexpected-max of the relay or of posthouse run, and"
                + " --eager-max where a message is longer than that";
    }

    private static String names(List<Integer> ring) {
        String names = ring.stream().sorted().limit(NAMED_MAX).map(String::valueOf).collect(Collectors.joining(", "));
        return ring.size() > NAMED_MAX ? names + ", ..." : names;
    }
}
