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

/**
 * A change of mode under way: which ranks are asked to connect again, which have, and how long each was away. It only
 * watches. Thread-safe: sessions of all shards report to it.
 */
final class ModeSwitch {
    /** How long a change is waited for before it is told how far it came; ranks that compute or are replayed go on moving later. */
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

    /** @param connections how many are asked whether they serve a rank that can move */
    ModeSwitch(ModeConfig from, ModeConfig to, int connections) {
        this.from = from;
        this.to = to;
        this.connectionsLeft = connections;
        if (connections == 0) {
            report();
        }
    }

    /** No change yet. */
    static ModeSwitch none(ModeConfig mode) {
        return new ModeSwitch(mode, mode, 0);
    }

    /** Completed when every rank has moved or ended, or by {@link #report}. */
    Future<ModeChange> done() {
        return done.future();
    }

    synchronized void asked(HomedRank rank) {
        if (open.add(rank)) {
            asked++;
        }
    }

    /** A connection has asked its rank, or has none. */
    synchronized void considered() {
        connectionsLeft--;
        reportIfDone();
    }

    /** The rank has stopped writing on its old connection. */
    synchronized void left(HomedRank rank) {
        away.put(rank, System.nanoTime());
    }

    /** It is welcomed on the new one. */
    synchronized void came(HomedRank rank) {
        Long since = away.remove(rank);
        if (since != null) {
            pausesMicros.add((System.nanoTime() - since) / 1_000);
        }
        open.remove(rank);
        reportIfDone();
    }

    /** It has ended instead. */
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

    /** Tells how far it has come, if that was not told. */
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
