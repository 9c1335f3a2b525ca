package org.posthouse.relay;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.posthouse.core.HomedRank;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;

/**
 * Observes a change of mode: which ranks are asked to reconnect, which have done so, and how long each was away.
 * Thread-safe: sessions of all shards report to it.
 */
final class ModeSwitch {
    /** Milliseconds after which the change is reported as it stands. Ranks that compute or replay move later. */
    static final int MS_MAX = 5_000;

    private final ModeConfig from;
    private final ModeConfig to;
    private final long begunNanos = System.nanoTime();
    private final Promise<ModeChange> done = Promise.promise();
    private final Set<HomedRank> open = new HashSet<>();
    private final Map<HomedRank, Long> away = new HashMap<>();
    private final List<Long> pausesMicros = new ArrayList<>();
    private int connectionsLeft;
    private int asked;

    /** @param connections number of connections that are asked whether they serve a rank that can move */
    ModeSwitch(ModeConfig from, ModeConfig to, int connections) {
        this.from = from;
        this.to = to;
        this.connectionsLeft = connections;
        if (connections == 0) {
            report();
        }
    }

    /** The state before the first change. */
    static ModeSwitch none(ModeConfig mode) {
        return new ModeSwitch(mode, mode, 0);
    }

    /** Completes when every rank has moved or ended, or by {@link #report}. */
    Future<ModeChange> done() {
        return done.future();
    }

    synchronized void asked(HomedRank rank) {
        if (open.add(rank)) {
            asked++;
        }
    }

    /** Called when a connection has asked its rank, or serves none. */
    synchronized void considered() {
        connectionsLeft--;
        reportIfDone();
    }

    /** Called when the rank no longer writes on its old connection. */
    synchronized void left(HomedRank rank) {
        away.put(rank, System.nanoTime());
    }

    /** Called when the rank is welcomed on the new connection. */
    synchronized void came(HomedRank rank) {
        Long since = away.remove(rank);
        if (since != null) {
            pausesMicros.add((System.nanoTime() - since) / 1_000);
        }
        open.remove(rank);
        reportIfDone();
    }

    /** Called when the rank has ended instead. */
    synchronized void gone(HomedRank rank) {
        if (open.remove(rank)) {
            away.remove(rank);
            asked--;
        }
        reportIfDone();
    }

    private void reportIfDone() {
        if (connectionsLeft == 0 && open.isEmpty()) {
            report();
        }
    }

    /** Reports the progress, unless it was reported before. */
    synchronized void report() {
        List<Long> sorted = pausesMicros.stream().sorted().toList();
        int moved = sorted.size();
        done.tryComplete(new ModeChange(
                from,
                to,
                asked,
                moved,
                open.size(),
                moved == 0 ? 0 : sorted.get(moved / 2),
                moved == 0 ? 0 : sorted.get(moved - 1),
                (System.nanoTime() - begunNanos) / 1_000));
    }
}
