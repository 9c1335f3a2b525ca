package org.posthouse.ops;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.posthouse.status.DetectorCounts;
import org.posthouse.status.JobStatus;
import org.posthouse.status.KeysStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.NodeStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayStatus;
import org.posthouse.status.Traffic;

/**
 * Opens the console with made-up relays that move, for people who work on the page. Arguments: port, then
 * {@code busy} (two sites, jobs, a lost rank), {@code calm} (one relay, nothing runs) or {@code none} (no relay).
 * It runs until it is interrupted.
 */
final class ConsoleDemo {

    private static final long BEGIN = System.currentTimeMillis() - 8_000_000;

    private ConsoleDemo() {}

    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 7413;
        Supplier<List<RelayView>> views = scene(args.length > 1 ? args[1] : "busy");
        OpsMetrics metrics = OpsMetrics.create();
        Vertx vertx = metrics.vertx(new VertxOptions(), Transport.NIO);
        OpsServer server = OpsServer.start(vertx, OpsConfig.loopback(port), views, metrics.registry()).await();
        System.out.println("http://127.0.0.1:" + server.port() + "/");
        new CountDownLatch(1).await();
    }

    private static Supplier<List<RelayView>> scene(String name) {
        return switch (name) {
            case "busy" -> ConsoleDemo::busy;
            case "calm" -> ConsoleDemo::calm;
            case "none" -> List::of;
            default -> throw new IllegalArgumentException("no scene " + name + "; choose busy, calm or none");
        };
    }

    private static List<RelayView> calm() {
        return List.of(view(new RelayStatus("home", "relay-1", "multiplexed", "0.1.0", BEGIN, "127.0.0.1:7411",
                List.of(), List.of(), List.of(), RelayStatus.Counters.ZERO, Optional.empty(), Optional.empty(), Optional.empty(), List.of()),
                Readiness.ok()));
    }

    private static List<RelayView> busy() {
        double t = (System.currentTimeMillis() - BEGIN) / 1000.0;
        long moved = (long) (t * 1800 + 9000 * Math.sin(t / 7) + 2500 * Math.sin(t / 1.7));
        List<RankStatus> east = ranks(0, 8, "rennes", "rennes-a", moved);
        List<RankStatus> west = ranks(8, 16, "orsay", "orsay-a", moved);
        List<RankStatus> done = ranks(0, 4, "rennes", "rennes-a", 51_234).stream().map(ConsoleDemo::finalized).toList();
        List<RelayStatus.KnownRelay> known = List.of(
                new RelayStatus.KnownRelay("rennes", "rennes-a", "127.0.1.1:7412", 4, true, BEGIN, 8, 3, 24, 8),
                new RelayStatus.KnownRelay("orsay", "orsay-a", "127.0.2.1:7412", 2, true, BEGIN + 60_000, 8, 2, 16, 8),
                new RelayStatus.KnownRelay("lille", "lille-a", "127.0.3.1:7412", 1, false, BEGIN + 7_100_000, 0, 0, 0, 0));
        RelayStatus rennes = new RelayStatus("rennes", "rennes-a", "pooled", "0.1.0", BEGIN, "127.0.0.1:7411",
                List.of(up("orsay", moved / 3,
                        "relay orsay acknowledges nothing since 2026-11-26T18:21:09Z: the first frame is of job 1f4c9ae02b77d310 (nas.cg.ClassB), "
                                + "and past the link's window all that is to go there waits; its status says why"),
                        down("lille")),
                List.of(job("1f4c9ae02b77d310", "nas.cg.ClassB", 16, "RUNNING", BEGIN + 400_000, east),
                        job("90be11c2aa04e7f6", "netpipe.PingPong", 4, "FINISHED", BEGIN + 100_000, done)),
                known, counters(moved, 3), Optional.of(new RelayStatus.Log(moved * 2, 1_843_200_000L, 4L << 30, 1_600_000_000L, "open", "")),
                Optional.of(keys(List.of())), Optional.empty(), nodes("rennes", 6));
        RelayStatus orsay = new RelayStatus("orsay", "orsay-a", "pipeline", "0.1.0", BEGIN + 60_000,
                "127.0.0.1:7511", List.of(up("rennes", moved / 3, "")),
                List.of(job("1f4c9ae02b77d310", "nas.cg.ClassB", 16, "RUNNING", BEGIN + 400_000, west)),
                known, counters(moved - 20_000, 1), Optional.of(new RelayStatus.Log(moved, 920_000_000L, 4L << 30, 0, "open", "")),
                Optional.of(keys(List.of("the certificate of site orsay expires 2026-12-01T10:00:00Z: renew it with posthouse keys renew"))),
                Optional.empty(), nodes("orsay", 3));
        return List.of(view(rennes, Readiness.ok()),
                view(orsay, Readiness.notReady("the log's disk is 96 % full; free space or move the log")));
    }

    private static List<NodeStatus> nodes(String site, int count) {
        return IntStream.range(0, count)
                .mapToObj(at -> new NodeStatus(
                        site + "-" + at, "9" + at, "h" + at, at == 2 ? NodeStatus.DRAINING : NodeStatus.OPEN, 16, at * 2, 2, at % 2, 16, 64L << 30,
                        180 + 40 * at,
                        "0.1.0", BEGIN, List.of("rack=r" + at / 2)))
                .toList();
    }

    private static KeysStatus keys(List<String> warnings) {
        return new KeysStatus("7f3a", BEGIN + 86_400_000L, BEGIN + 864_000_000L, 0, 0, warnings);
    }

    private static final LinkStatus.Packing NOTHING_PACKED = new LinkStatus.Packing(false, 0, 0, 0);

    private static LinkStatus up(String peer, long moved, String held) {
        return new LinkStatus(peer, peer, LinkStatus.State.UP, BEGIN + 61_000,
                new Traffic(moved, moved - 900, moved * 812, moved * 799), moved * 2, moved * 2, moved * 900, moved * 880, 11_840, moved % 65_536, 12, 3,
                lanes(moved),
                new LinkStatus.Packing(true, moved * 640, moved * 210, 31), List.of(List.of("lille"), List.of("nancy")), 2,
                new LinkStatus.Streams(3, moved * 90, moved * 310, 24, 17), Optional.empty(), held, "");
    }

    private static List<LinkStatus.Lane> lanes(long moved) {
        return List.of(new LinkStatus.Lane(0, true, true, List.of("lille"), moved * 120, moved * 110, moved % 4_096),
                new LinkStatus.Lane(1, true, true, List.of("nancy"), moved * 350, moved * 340, moved % 32_768),
                new LinkStatus.Lane(2, true, true, List.of("lille"), moved * 342, moved * 349, moved % 28_672),
                new LinkStatus.Lane(3, false, true, List.of(), 1_200_000, 900_000, 0));
    }

    private static LinkStatus down(String peer) {
        return new LinkStatus(peer, peer, LinkStatus.State.DOWN, BEGIN + 7_090_000, new Traffic(4_410, 4_002, 3_200_100, 2_900_000), 9_000, 8_100, 3_300_000,
                2_990_000, 0,
                1_843_200, 12, 0, List.of(new LinkStatus.Lane(0, false, false, List.of(), 3_300_000, 2_990_000, 0)), NOTHING_PACKED, List.of(), 0,
                new LinkStatus.Streams(1, 4_096, 65_536, 8, 0), Optional.of(new LinkStatus.Parked(BEGIN + 7_090_000, "TIMEOUT: nothing was heard for 15000 ms",
                        "cannot reach 10.3.0.1:7412: connection refused", 41, 1_790_012,
                        List.of(new LinkStatus.ParkedJob("1f4c9ae02b77d310", "nas.cg.ClassB", 41, 1_790_012, 6)))),
                "", "");
    }

    private static RelayStatus.Counters counters(long moved, int unexpected) {
        return new RelayStatus.Counters(new Traffic(moved, moved - 40, moved * 1024, moved * 1019), moved / 3, moved / 3 * 1024, moved - 55,
                unexpected, 11, 6_291_456, 6_144, moved % 262_144, 4, unexpected, new DetectorCounts(moved, 3, 5, 4, 1, 0));
    }

    private static JobStatus job(String id, String name, int size, String state, long at, List<RankStatus> ranks) {
        return new JobStatus(id, name, size, "process", "restart", state, at, ranks, 0, "", 0, 0, "user 1000", 0, 0);
    }

    private static List<RankStatus> ranks(int from, int to, String site, String relay, long moved) {
        return new ArrayList<>(IntStream.range(from, to).mapToObj(i -> new RankStatus(i, site, relay, state(i),
                i == 5 || i == 11 ? 2 : 1, moved / 16 + i, moved / 16 - i, moved * 60 + i * 4096L, moved * 59,
                i % 3, 1, i % 4 == 3 ? "Recv(source " + (i - 1) + ", tag 7)" : "", i % 4 == 3 ? BEGIN : 0, site + "-n" + i / 2, BEGIN,
                i % 5 == 0 ? 0 : BEGIN - 1_000 * i))
                .toList());
    }

    private static RankStatus.State state(int rank) {
        return switch (rank) {
            case 11 -> RankStatus.State.LOST;
            case 5 -> RankStatus.State.REPLAYING;
            case 14 -> RankStatus.State.WAITING;
            default -> RankStatus.State.CONNECTED;
        };
    }

    private static RankStatus finalized(RankStatus r) {
        return new RankStatus(r.rank(), r.site(), r.relay(), RankStatus.State.FINALIZED, r.incarnation(), r.messagesSent(),
                r.messagesDelivered(), r.bytesSent(), r.bytesDelivered(), 0, 0, "", 0, r.node(), 0, r.lastCheckpointAt());
    }

    private static RelayView view(RelayStatus snapshot, Readiness readiness) {
        return new RelayView() {
            @Override
            public RelayStatus snapshot() {
                return snapshot;
            }

            @Override
            public RelayMetrics metrics() {
                return RelayMetrics.NONE;
            }

            @Override
            public Readiness readiness() {
                return readiness;
            }
        };
    }
}
