package org.posthouse.core;

import java.util.ArrayList;
import java.util.List;

/** A history source that writes down what it is asked; the test gives the answers. */
final class TableHistorySource implements HistorySource {
    private final List<String> asked = new ArrayList<>();

    /** The last position that was sent. */
    long reached = -1;

    List<String> take() {
        List<String> taken = List.copyOf(asked);
        asked.clear();
        return taken;
    }

    @Override
    public void reached(HomedRank rank, int replay, long position) {
        reached = position;
    }

    @Override
    public void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown, boolean follows, long upTo) {
        asked.add("begin rank " + rank.rank() + " #" + replay
                + (deliveries + events > 0 ? " behind delivery " + deliveries + ", event " + events : "")
                + (originKnown ? " and its origin" : "") + (follows ? " as a follower" : "") + bound(upTo));
    }

    @Override
    public void more(HomedRank rank, int replay, long upTo) {
        asked.add("more rank " + rank.rank() + " #" + replay + bound(upTo));
    }

    private static String bound(long upTo) {
        return upTo == Long.MAX_VALUE ? "" : " up to " + upTo;
    }

    @Override
    public void resent(long job, int source, ResendClaim resendClaim) {
        asked.add("resent by " + source + " #" + resendClaim.sequence() + " to " + resendClaim.destination());
    }

    @Override
    public void forget(long job) {}

    @Override
    public void end(HomedRank rank, int replay) {
        asked.add("end rank " + rank.rank() + " #" + replay);
    }
}
