package org.posthouse.ops;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.posthouse.status.DetectorCounts;
import org.posthouse.status.JobStatus;
import org.posthouse.status.KeysStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.NamesStatus;
import org.posthouse.status.NodeStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayEvent;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayStatus;
import org.posthouse.status.StreamStatus;
import org.posthouse.status.Traffic;

/** Made-up relays for tests. */
final class Scenes {

    static final String JOB = "1f4c9ae02b77d310";

    static final long DOWN_SINCE = System.currentTimeMillis() - 90_000;

    static final LinkStatus.Streams NO_STREAMS = new LinkStatus.Streams(0, 0, 0, 0, 0);

    private Scenes() {}

    /** A relay whose view a test changes while the console runs. */
    static class MovingRelay implements RelayView {
        volatile RelayStatus snapshot;
        volatile RelayMetrics metrics = RelayMetrics.NONE;
        volatile Readiness readiness = Readiness.ok();
        volatile RuntimeException failure;
        volatile String namesFailure = "";
        final List<RelayEvent> events = new CopyOnWriteArrayList<>();

        MovingRelay(RelayStatus snapshot) {
            this.snapshot = snapshot;
        }

        @Override
        public RelayStatus snapshot() {
            if (failure != null) {
                throw failure;
            }
            return snapshot;
        }

        @Override
        public List<RelayEvent> events(long after, int limit) {
            return events.stream().filter(event -> event.id() > after).limit(limit).toList();
        }

        @Override
        public RelayMetrics metrics() {
            return metrics;
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

        /** Of two names the first, unless one is behind it. */
        @Override
        public Future<NamesStatus> names(String prefix, String after) {
            if (prefix.contains(" ")) {
                return Future.failedFuture(new IllegalArgumentException("\"" + prefix + "\" is no name"));
            }
            NamesStatus.BoundName first = new NamesStatus.BoundName("config/solver", 3, 0, "url=http://n1:80");
            NamesStatus.BoundName second = new NamesStatus.BoundName("vm/leader", 7, 7, "leader=orsay/2");
            List<NamesStatus.BoundName> found =
                    Stream.of(first, second).filter(each -> each.name().startsWith(prefix) && each.name().compareTo(after) > 0).toList();
            return Future.succeededFuture(new NamesStatus(
                    snapshot.relay(), "orsay/2", 7, 1_700_000_000_000L, namesFailure, found.stream().limit(1).toList(), found.size() > 1,
                    List.of(new NamesStatus.NameChange(1_700_000_000_500L, "vm/leader", 7, 7, true, "leader=orsay/2"),
                            new NamesStatus.NameChange(1_700_000_000_100L, "mpi/old", 2, 0, false, "port=<b>p</b>"))));
        }

        @Override
        public Future<DrainReport> drain(DrainOrder order) {
            return Future.succeededFuture(new DrainReport(snapshot.relay(), order.drain(), 3));
        }

        @Override
        public Future<NodeDrainReport> drainNode(NodeDrainOrder order) {
            boolean passed = snapshot.nodes().stream().anyMatch(node -> node.name().equals(order.node()));
            List<NodeStatus> nodes = snapshot.nodes().stream().map(node -> node.name().equals(order.node()) ? drained(node, order.drain()) : node).toList();
            snapshot = withNodes(snapshot, nodes);
            return Future.succeededFuture(new NodeDrainReport(snapshot.relay(), order.node(), passed));
        }

        @Override
        public Future<EndJobReport> endJob(EndJobOrder order) {
            return Future.succeededFuture(new EndJobReport(snapshot.relay(), order.job(), order.job().equals(JOB)));
        }
    }

    static RelayStatus relay(String site, String relay, long messages, List<JobStatus> jobs) {
        List<LinkStatus> links = List.of(
                new LinkStatus("orsay", "orsay/2", LinkStatus.State.UP, 10, new Traffic(1, 2, 3, 4), 61, 62, 63, 64, 900, 5_000, 6, 7, lanes(),
                        new LinkStatus.Packing(true, 31, 32, 33),
                        List.of(List.of("orsay"), List.of("rennes-b")), 8, new LinkStatus.Streams(2, 51, 52, 53, 54), Optional.empty(), "job 7 holds it",
                        "refused once"),
                new LinkStatus("lille", "lille", LinkStatus.State.DOWN, 11, Traffic.NONE, 0, 0, 0, 0, 0, 0, 0, 0, List.of(),
                        new LinkStatus.Packing(false, 0, 0, 0),
                        List.of(), 0, NO_STREAMS, Optional.of(parked()), "", "cannot connect: refused"));
        return new RelayStatus(site, relay, "pooled", "0.1.0", 5_000, "127.0.0.1:7411", links, jobs,
                List.of(new RelayStatus.KnownRelay(site, relay, "127.0.0.1:7412", 3, true, 9, 4, 2, 16, 5)),
                new RelayStatus.Counters(new Traffic(messages, 7, 4096, 1024), 1, 3, 6, 2, 1, 65_536, 64, 9_000, 3, 12, new DetectorCounts(900, 2, 4, 3, 1, 0)),
                Optional.of(new RelayStatus.Log(42, 8192, 65_536, 4096, "open", "8192 of 65536 bytes of log are used")),
                Optional.of(new KeysStatus("7f3a", 2_000_000_000_000L, 2_100_000_000_000L, 3, 2, List.of("renew the certificate"))),
                Optional.of(new StreamStatus(2, 5, 1, 700, 800, 3, 24, 1_024, 9, 4_000, true, List.of(new StreamStatus.Forward(
                        "orsay/web", "127.0.0.1:8080", StreamStatus.Forward.State.LISTENING, 2, 5, 1, "no door")))),
                List.of(new NodeStatus("n1", "91", "f00d", NodeStatus.DRAINING, 8, 3, 2, 1, 16, 64L << 30, 250, "0.1.0", 7_000, List.of("gpu=a", "rack=b"))));
    }

    static List<LinkStatus.Lane> lanes() {
        return List.of(new LinkStatus.Lane(0, true, true, List.of("orsay"), 41, 42, 43), new LinkStatus.Lane(1, true, true, List.of("rennes-b"), 44, 45, 46),
                new LinkStatus.Lane(6, false, false, List.of(), 5, 6, 0), new LinkStatus.Lane(7, false, true, List.of(), 47, 48, 0));
    }

    static LinkStatus.Parked parked() {
        return new LinkStatus.Parked(DOWN_SINCE, "TIMEOUT: nothing heard for 15 s", "cannot connect: refused", 41, 3_100,
                List.of(new LinkStatus.ParkedJob(JOB, "demo.Ring", 40, 3_000, 2), new LinkStatus.ParkedJob("7f", "demo.Pi", 1, 100, 1)));
    }

    static RelayStatus withDirectory(RelayStatus r, List<RelayStatus.KnownRelay> directory) {
        return new RelayStatus(r.site(), r.relay(), r.mode(), r.version(), r.startedAt(), r.listenAddress(),
                r.links(), r.jobs(), directory, r.counters(), r.log(), r.keys(), r.streams(), r.nodes());
    }

    static JobStatus standingStill(JobStatus j, long since) {
        return new JobStatus(j.id(), j.name(), j.size(), j.durability(), j.onFailure(), j.state(), j.startedAt(), j.ranks(), j.divergences(), j.divergence(),
                j.launcherAwaitedUntil(), since, j.owner(), j.reservedBytes(), j.pinnedBytes());
    }

    static RelayStatus withNodes(RelayStatus r, List<NodeStatus> nodes) {
        return new RelayStatus(r.site(), r.relay(), r.mode(), r.version(), r.startedAt(), r.listenAddress(),
                r.links(), r.jobs(), r.directory(), r.counters(), r.log(), r.keys(), r.streams(), nodes);
    }

    private static NodeStatus drained(NodeStatus n, boolean drain) {
        return new NodeStatus(n.name(), n.agent(), n.host(), drain ? NodeStatus.DRAINING : NodeStatus.OPEN, n.slots(), n.free(), n.jobs(), n.jobsNow(),
                n.cores(), n.memoryBytes(), n.rttMicros(), n.version(), n.since(), n.labels());
    }

    static RelayStatus withoutLog(RelayStatus r) {
        return new RelayStatus(r.site(), r.relay(), r.mode(), r.version(), r.startedAt(), r.listenAddress(),
                r.links(), r.jobs(), r.directory(), r.counters(), Optional.empty(), r.keys(), r.streams(), r.nodes());
    }

    static RelayStatus withLog(RelayStatus r, String state, String text) {
        return new RelayStatus(r.site(), r.relay(), r.mode(), r.version(), r.startedAt(), r.listenAddress(), r.links(), r.jobs(), r.directory(),
                r.counters(), Optional.of(new RelayStatus.Log(42, 8192, 65_536, 4096, state, text)), r.keys(), r.streams(), r.nodes());
    }

    static RelayStatus withLinks(RelayStatus r, List<LinkStatus> links) {
        return new RelayStatus(r.site(), r.relay(), r.mode(), r.version(), r.startedAt(), r.listenAddress(),
                links, r.jobs(), r.directory(), r.counters(), r.log(), r.keys(), r.streams(), r.nodes());
    }

    /** The same link to another site. */
    static LinkStatus to(String site, LinkStatus link) {
        return new LinkStatus(site, site, link.state(), link.since(), Traffic.NONE, 0, 0, 0, 0, 0, 0, 0, 0, link.perLane(), link.packing(), link.paths(), 0,
                link.streams(), link.parked(), link.held(), link.lastReason());
    }

    static JobStatus job(String id, List<RankStatus> ranks) {
        return new JobStatus(id, "demo.Ring", 4, "process", "restart", "RUNNING", 6_000, ranks, 0, "", 0, 0, "user 1000", 4_000, 2_000);
    }

    static RankStatus rank(int rank, String relay, RankStatus.State state, int incarnation, long sent) {
        return new RankStatus(rank, "rennes", relay, state, incarnation, sent, sent, sent * 8, sent * 8, 0, 1, "", 0, "", 0, 0);
    }

    static List<RankStatus> ranks(int n, String relay) {
        return IntStream.range(0, n).mapToObj(i -> rank(i, relay, RankStatus.State.CONNECTED, 1, 100 + i)).toList();
    }

    /** Ranks that have done much, each something else, of which every eighth waits in a call. */
    static List<RankStatus> busyRanks(int from, int to, String site, String relay, Random random) {
        return IntStream.range(from, to).mapToObj(rank -> new RankStatus(rank, site, relay, RankStatus.State.CONNECTED, 1 + random.nextInt(2),
                random.nextInt(10_000_000), random.nextInt(10_000_000), random.nextLong(1L << 40), random.nextLong(1L << 40), random.nextInt(20), 1,
                rank % 8 == 0 ? "Recv(source " + random.nextInt(to) + ", tag 7)" : "", rank % 8 == 0 ? DOWN_SINCE + random.nextInt(90_000) : 0,
                "node-" + rank / 8, DOWN_SINCE + random.nextInt(90_000), DOWN_SINCE + random.nextInt(90_000))).toList();
    }
}
