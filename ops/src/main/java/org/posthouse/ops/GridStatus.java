package org.posthouse.ops;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.RelayStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the relays of other processes say of themselves. It asks those that relays here are linked with, once a second,
 * while somebody looks. Confined to the console's event loop.
 *
 * <p>Bound: {@value #PEERS_MAX} relays, one question under way for each, one status of each kept.
 */
final class GridStatus {
    /** Relays that are asked; more are not shown. */
    static final int PEERS_MAX = 64;

    /** How long relays are asked after somebody has looked. */
    static final long WATCHED_MS = 15_000;

    /** Steps in which {@link Overview.Entry#heardAt} moves while a relay says the same, so that its overview stays equal. */
    private static final long HEARD_STEP_MS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(GridStatus.class);

    private final Context context;
    private final Supplier<List<RelayView>> views;
    private final EventBoard events;
    private final LongSupplier clockMs;
    private final Map<String, Peer> peers = new TreeMap<>();
    private long watchedMs = Long.MIN_VALUE / 2;

    /** Another relay. */
    private static final class Peer {
        private Overview.Entry entry;
        private Future<Void> question = Future.succeededFuture();
        private boolean saidFailure;
    }

    /**
     * @param events gets those of the other relays
     * @param clockMs milliseconds since 1970 UTC
     */
    GridStatus(Context context, Supplier<List<RelayView>> views, EventBoard events, LongSupplier clockMs) {
        this.events = events;
        this.context = context;
        this.views = views;
        this.clockMs = clockMs;
    }

    /** Somebody looks. */
    void watched() {
        long nowMs = clockMs.getAsLong();
        boolean isNew = nowMs - watchedMs > WATCHED_MS;
        watchedMs = nowMs;
        if (isNew) {
            tick();
        }
    }

    /** Called once a second. */
    void tick() {
        if (clockMs.getAsLong() - watchedMs > WATCHED_MS) {
            peers.clear();
        } else {
            ask();
        }
    }

    /** The newest status of each; none of those that have not answered yet. */
    List<Overview.Entry> entries() {
        return peers.values().stream().filter(peer -> peer.entry != null).map(peer -> peer.entry).toList();
    }

    /** Asks all of them now. @return completes when each has answered, or has not for some seconds; never fails */
    Future<Void> refresh() {
        watchedMs = clockMs.getAsLong();
        ask();
        List<Future<Void>> questions = new ArrayList<>(peers.values().stream().map(peer -> peer.question).toList());
        return questions.isEmpty() ? Future.succeededFuture() : Future.join(questions).otherwiseEmpty().mapEmpty();
    }

    /**
     * Asks a relay of another process, over the first link that is up.
     *
     * @return the answer; fails with one line. Completes on any thread
     */
    Future<byte[]> ask(String relay, String query) {
        for (RelayView view : views.get()) {
            boolean isUp = view.snapshot().links().stream()
                    .anyMatch(link -> link.peerRelay().equals(relay) && link.state() == LinkStatus.State.UP);
            if (isUp) {
                return view.ask(relay, query);
            }
        }
        return Future.failedFuture(new IOException("no link to relay " + relay + " is up"));
    }

    private void ask() {
        Map<String, RelayView> ways = new TreeMap<>();
        Set<String> known = new TreeSet<>();
        Set<String> here = new TreeSet<>();
        for (RelayView view : views.get()) {
            try {
                RelayStatus relay = view.snapshot();
                here.add(relay.relay());
                relay.links().forEach(link -> note(link, view, known, ways));
            } catch (RuntimeException e) {
                LOG.debug("a relay cannot be asked for its links; the overview says why", e);
            }
        }
        ways.keySet().removeAll(here);
        peers.keySet().retainAll(known);
        for (Map.Entry<String, RelayView> way : ways.entrySet()) {
            if (peers.containsKey(way.getKey()) || peers.size() < PEERS_MAX) {
                ask(way.getKey(), peers.computeIfAbsent(way.getKey(), unseen -> new Peer()), way.getValue());
            }
        }
    }

    private static void note(LinkStatus link, RelayView view, Set<String> known, Map<String, RelayView> ways) {
        known.add(link.peerRelay());
        if (link.state() == LinkStatus.State.UP) {
            ways.putIfAbsent(link.peerRelay(), view);
        }
    }

    private void ask(String relay, Peer peer, RelayView way) {
        if (!peer.question.isComplete()) {
            return;
        }
        Promise<Void> done = Promise.promise();
        peer.question = done.future();
        way.ask(relay, PeerQueries.status(events.heard(relay))).compose(GridStatus::read).onComplete((status, cause) -> context.runOnContext(go -> {
            if (cause == null) {
                heard(peer, status);
                events.add(relay, status.events());
                peer.saidFailure = false;
            } else {
                failed(relay, peer, cause);
            }
            done.complete();
        }));
    }

    private static Future<PeerJson.Status> read(byte[] answer) {
        try {
            return Future.succeededFuture(PeerJson.read(answer, PeerJson.Status.class));
        } catch (IOException e) {
            return Future.failedFuture(new IOException("it is of another version: " + e.getMessage(), e));
        }
    }

    private void heard(Peer peer, PeerJson.Status status) {
        long nowMs = clockMs.getAsLong();
        Overview.Entry last = peer.entry;
        boolean isSame = last != null && last.snapshot().equals(status.relay()) && last.readiness().equals(status.readiness())
                && nowMs - last.heardAt() < HEARD_STEP_MS;
        peer.entry = isSame ? last : new Overview.Entry(status.relay(), status.readiness(), nowMs);
    }

    /** Said when it begins, not each second. */
    private static void failed(String relay, Peer peer, Throwable cause) {
        if (!peer.saidFailure) {
            peer.saidFailure = true;
            LOG.warn("the console does not know how relay {} is: {}", relay, cause.getMessage());
        }
    }
}
