package org.posthouse.ops;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Made-up relays for tests. */
final class Scenes {

    static final String JOB = "1f4c9ae02b77d310";

    static final long DOWN_SINCE = System.currentTimeMillis() - 90_000;

    static final LinkStreamsView NO_STREAMS = new LinkStreamsView(0, 0, 0, 0, 0);

    private Scenes() {}

    /** A relay whose view a test changes while the console runs. */
    static final class MovingRelay implements RelayView {
        volatile RelaySnapshot snapshot;
        volatile RelayMeasures measures = RelayMeasures.NONE;
        volatile Readiness readiness = Readiness.ok();
        volatile RuntimeException failure;

        MovingRelay(RelaySnapshot snapshot) {
            this.snapshot = snapshot;
        }

        @Override
        public RelaySnapshot snapshot() {
            if (failure != null) {
                throw failure;
            }
            return snapshot;
        }

        @Override
        public RelayMeasures measures() {
            return measures;
        }

        @Override
        public Readiness readiness() {
            return readiness;
        }

        @Override
        public Future<ModeReport> changeMode(ModeOrder order) {
            if (!order.mode().equals("pooled")) {
                return Future.failedFuture(new IllegalArgumentException("mode \"" + order.mode() + "\", expected pooled"));
            }
            return Future.succeededFuture(new ModeReport(
                    snapshot.relay(), "multiplexed", "pooled " + order.loops(), 16, 15, 1, 900, 2_000, 70_000));
        }

        @Override
        public Future<DrainReport> drain(DrainOrder order) {
            return Future.succeededFuture(new DrainReport(snapshot.relay(), order.drain(), 3));
        }

        @Override
        public Future<EndJobReport> endJob(EndJobOrder order) {
            return Future.succeededFuture(new EndJobReport(snapshot.relay(), order.job(), order.job().equals(JOB)));
        }
    }

    static RelaySnapshot relay(String site, String relay, long messages, List<JobView> jobs) {
        List<LinkView> links = List.of(
                new LinkView("orsay", "orsay/2", LinkView.State.UP, 10, 1, 2, 3, 4, 61, 62, 63, 64, 900, 5_000, 6, 7, lanes(),
                        new PackingView(true, 31, 32, 33),
                        List.of(List.of("orsay"), List.of("rennes-b")), 8, new LinkStreamsView(2, 51, 52, 53, 54), Optional.empty(), "job 7 holds it"),
                new LinkView("lille", "lille", LinkView.State.DOWN, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of(), new PackingView(false, 0, 0, 0),
                        List.of(), 0, NO_STREAMS, Optional.of(parked()), ""));
        return new RelaySnapshot(site, relay, "pooled", "0.1.0", 5_000, "127.0.0.1:7411", links, jobs,
                List.of(new RelaySnapshot.KnownRelay(site, relay, "127.0.0.1:7412", 3, true, 9, 4)),
                new RelaySnapshot.Counters(messages, 7, 4096, 1024, 1, 3, 6, 2, 1, 65_536, 64, 9_000, 3, 12),
                Optional.of(new RelaySnapshot.LogView(42, 8192, 65_536, 4096, "open", "8192 of 65536 bytes of log are used")),
                Optional.of(new KeysView("7f3a", 2_000_000_000_000L, 2_100_000_000_000L, 3, 2, List.of("renew the certificate"))),
                Optional.of(new StreamsView(2, 5, 1, 700, 800, 3, 24, 1_024, 9, 4_000, true, List.of(new StreamsView.ForwardView(
                        "orsay/web", "127.0.0.1:8080", "LISTENING", 2, 5, 1, "no door")))));
    }

    static List<LaneView> lanes() {
        return List.of(new LaneView(0, true, true, List.of("orsay"), 41, 42, 43), new LaneView(1, true, true, List.of("rennes-b"), 44, 45, 46),
                new LaneView(6, false, false, List.of(), 5, 6, 0), new LaneView(7, false, true, List.of(), 47, 48, 0));
    }

    static ParkedView parked() {
        return new ParkedView(DOWN_SINCE, "TIMEOUT: nothing heard for 15 s", "cannot connect: refused", 41, 3_100,
                List.of(new ParkedView.Job(JOB, "demo.Ring", 40, 3_000, 2), new ParkedView.Job("7f", "demo.Pi", 1, 100, 1)));
    }

    static RelaySnapshot withoutLog(RelaySnapshot r) {
        return new RelaySnapshot(r.site(), r.relay(), r.mode(), r.version(), r.startedAt(), r.listenAddress(),
                r.links(), r.jobs(), r.directory(), r.counters(), Optional.empty(), r.keys(), r.streams());
    }

    static RelaySnapshot withLog(RelaySnapshot r, String state, String text) {
        return new RelaySnapshot(r.site(), r.relay(), r.mode(), r.version(), r.startedAt(), r.listenAddress(), r.links(), r.jobs(), r.directory(),
                r.counters(), Optional.of(new RelaySnapshot.LogView(42, 8192, 65_536, 4096, state, text)), r.keys(), r.streams());
    }

    static RelaySnapshot withLinks(RelaySnapshot r, List<LinkView> links) {
        return new RelaySnapshot(r.site(), r.relay(), r.mode(), r.version(), r.startedAt(), r.listenAddress(),
                links, r.jobs(), r.directory(), r.counters(), r.log(), r.keys(), r.streams());
    }

    /** The same link to another site. */
    static LinkView to(String site, LinkView link) {
        return new LinkView(site, site, link.state(), link.since(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, link.perLane(), link.packing(), link.paths(), 0,
                link.streams(), link.parked(), link.held());
    }

    static JobView job(String id, List<RankView> ranks) {
        return new JobView(id, "demo.Ring", 4, "process", "RUNNING", 6_000, ranks, 0, "", 0, 0, "user 1000", 4_000, 2_000);
    }

    static RankView rank(int rank, String relay, RankView.State state, int incarnation, long sent) {
        return new RankView(rank, "rennes", relay, state, incarnation, sent, sent, sent * 8, sent * 8, 0, 1, "", 0);
    }

    static List<RankView> ranks(int n, String relay) {
        return IntStream.range(0, n).mapToObj(i -> rank(i, relay, RankView.State.CONNECTED, 1, 100 + i)).toList();
    }
}
