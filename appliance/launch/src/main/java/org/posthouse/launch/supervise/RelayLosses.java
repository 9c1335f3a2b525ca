package org.posthouse.launch.supervise;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.posthouse.launch.job.RelayLoss;

/**
 * The relays that a job has lost and found again, until their ranks have continued. It has no clock: times are those of
 * {@link System#nanoTime}, passed in. Confined to the job's thread.
 */
final class RelayLosses {
    private static final long UNKNOWN = -1;

    /** One that is back, and the ranks that have not been heard of since. */
    private static final class Return {
        private final int relay;
        private final String id;
        private final long downNs;
        private final long backNs;
        private final int ranks;
        private final Set<Integer> missing;

        private Return(int relay, String id, long downNs, long backNs, Set<Integer> missing) {
            this.relay = relay;
            this.id = id;
            this.downNs = downNs;
            this.backNs = backNs;
            this.ranks = missing.size();
            this.missing = missing;
        }

        private RelayLoss loss(long ranksNs) {
            return new RelayLoss(id, ranks, downNs, ranksNs);
        }
    }

    private final List<Return> open = new ArrayList<>();
    private final List<RelayLoss> ended = new ArrayList<>();

    /** The relay is lost, maybe before all its ranks had continued after the last time. */
    void lost(int relay) {
        close(relay);
    }

    /**
     * It has the job again.
     *
     * @param id what it is called
     * @param missing the ranks that are at home there and have not ended
     */
    void back(int relay, String id, long downNs, long backNs, Set<Integer> missing) {
        Return one = new Return(relay, id, downNs, backNs, new HashSet<>(missing));
        if (missing.isEmpty()) {
            ended.add(one.loss(0));
        } else {
            open.add(one);
        }
    }

    /**
     * The rank is where it was, or has no further business with its relay.
     *
     * @return the text that is due; null if none
     */
    String settled(int rank, long atNs) {
        for (Return one : open) {
            if (one.missing.remove(rank) && one.missing.isEmpty()) {
                open.remove(one);
                RelayLoss loss = one.loss(Math.max(0, atNs - one.backNs));
                ended.add(loss);
                return "relay " + one.id + ": " + loss.words();
            }
        }
        return null;
    }

    private void close(int relay) {
        for (Return one : List.copyOf(open)) {
            if (one.relay == relay) {
                open.remove(one);
                ended.add(one.loss(UNKNOWN));
            }
        }
    }

    /** All losses until now. A loss whose ranks have not continued yet counts as if they never did. */
    List<RelayLoss> soFar() {
        List<RelayLoss> all = new ArrayList<>(ended);
        open.forEach(one -> all.add(one.loss(UNKNOWN)));
        return List.copyOf(all);
    }

    /** All of them, those included that the job's end has cut short. */
    List<RelayLoss> all() {
        for (Return one : List.copyOf(open)) {
            close(one.relay);
        }
        return List.copyOf(ended);
    }
}
