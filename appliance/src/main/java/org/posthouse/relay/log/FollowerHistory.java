package org.posthouse.relay.log;

import java.util.List;
import org.posthouse.core.HistoryStep;

/** A rank's history as one of its followers reads it. The log keeps what it has not been sent. */
public final class FollowerHistory implements AutoCloseable {
    private final RankHistoryReader history;
    private final FollowerPins.Pin pin;

    FollowerHistory(RankHistoryReader history, FollowerPins.Pin pin) {
        this.history = history;
        this.pin = pin;
    }

    /** As {@link RankHistoryReader#read}. */
    public List<HistoryStep> read(long upTo) {
        return history.read(upTo);
    }

    /** The follower was sent everything up to this log position. Any thread. */
    public void reached(long position) {
        pin.reached(position);
    }

    @Override
    public void close() {
        history.close();
        pin.close();
    }
}
