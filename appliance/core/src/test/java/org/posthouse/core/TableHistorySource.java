package org.posthouse.core;

import java.util.ArrayList;
import java.util.List;

/** A history source that writes down what it is asked; the test gives the answers. */
final class TableHistorySource implements HistorySource {
    private final List<String> asked = new ArrayList<>();

    List<String> take() {
        List<String> taken = List.copyOf(asked);
        asked.clear();
        return taken;
    }

    @Override
    public void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown) {
        asked.add("begin rank " + rank.rank() + " #" + replay
                + (deliveries + events > 0 ? " behind delivery " + deliveries + ", event " + events : "")
                + (originKnown ? " and its origin" : ""));
    }

    @Override
    public void more(HomedRank rank, int replay) {
        asked.add("more rank " + rank.rank() + " #" + replay);
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
