package org.posthouse.mpj;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.ops.RelayView;
import org.posthouse.relay.ClientHalf;
import org.posthouse.relay.StoppedDisk;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;
import org.posthouse.relay.threads.ThreadUsage;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.Durability;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;

/**
 * A grid of real relays, linked over TLS, and one real endpoint a rank, all in this process: a rank is a thread. What
 * the library's tests do on their own machine is done here over sockets.
 */
final class RelayedWorld implements AutoCloseable {
    private static final long LIMIT_SECONDS = 60;
    private static final Token TOKEN = new Token(3, 4);

    /** A process's end would be the test's: it is a failure of the rank instead. */
    private static final class Thrown extends ProcessExit {
        Thrown(int rank) {
            super(rank);
        }

        @Override
        void exit(int status) {
            throw new AssertionError("the rank's process would end with status " + status);
        }
    }

    /** What each rank does. */
    interface Body {
        void run(Endpoint endpoint) throws Exception;
    }

    /** How a rank gets to its relay. */
    interface Route {
        String to(int rank, String relay) throws IOException;
    }

    /** Makes the relays. */
    interface GridStart {
        EmbeddedGrid on(Vertx vertx) throws IOException;
    }

    private final Vertx vertx = EmbeddedGrid.vertx();
    private final EmbeddedGrid grid;
    private final List<FrameChannel> launchers = new ArrayList<>();
    private final List<ClientHalf> halves = new ArrayList<>();
    private final List<HomeRelay> homes = new ArrayList<>();
    private final Set<Integer> gone = ConcurrentHashMap.newKeySet();
    private final int[] homeOf;
    private final Settings settings;
    private final long job = new Random().nextLong();
    private Route route = (rank, relay) -> relay;
    private long limitSeconds = LIMIT_SECONDS;

    RelayedWorld(int sites, int ranks) throws Exception {
        this(sites, ranks, Settings.DEFAULT);
    }

    RelayedWorld(int sites, int ranks, Settings settings) throws Exception {
        this(sites, ranks, settings, RelayConfig.Mode.MULTIPLEXED);
    }

    RelayedWorld(int sites, int ranks, Settings settings, RelayConfig.Mode mode) throws Exception {
        this(sites, 1, ranks, settings, mode);
    }

    RelayedWorld(int sites, int relaysPerSite, int ranks, Settings settings, RelayConfig.Mode mode) throws Exception {
        this(
                vertx -> EmbeddedGrid.start(vertx, sites, relaysPerSite, false, ModeConfig.of(mode)),
                ranks, settings, Durability.NONE);
    }

    /** A world whose job is logged. */
    static RelayedWorld logged(int sites, int ranks, Settings settings) throws Exception {
        return new RelayedWorld(
                vertx -> EmbeddedGrid.start(vertx, sites, 1, true, ModeConfig.of(RelayConfig.Mode.MULTIPLEXED)),
                ranks, settings, Durability.PROCESS);
    }

    /** A world whose job outlives the hosts of its relays, which are on that disk. */
    static RelayedWorld survivingHosts(StoppedDisk disk, int sites, int ranks) throws Exception {
        return new RelayedWorld(vertx -> disk.grid(vertx, sites), ranks, Settings.DEFAULT, Durability.HOST);
    }

    /** Blocks of ranks at each of the relays. */
    RelayedWorld(GridStart start, int ranks, Settings settings, Durability durability) throws Exception {
        this.settings = settings;
        grid = start.on(vertx);
        List<String> addresses = grid.addresses();
        homeOf = new int[ranks];
        Arrays.setAll(homeOf, rank -> rank * addresses.size() / ranks);
        for (String address : addresses) {
            FrameChannel launcher = FrameChannel.connect(address);
            launchers.add(launcher);
            ClientHalf half = new ClientHalf(Hello.launcher(), Token.NONE);
            halves.add(half);
            launcher.write(half.identify());
            read(launcher, (frame, view) -> launcher.write(half.prove(frame)));
            launcher.write(Hello.launcher().encode());
            Welcome[] welcome = new Welcome[1];
            read(launcher, (frame, view) -> welcome[0] = Welcome.decode(frame));
            HomeRelay self = welcome[0].homes().get(welcome[0].self());
            homes.add(new HomeRelay(self.site(), self.relay(), address));
        }
        JobOpen opening = new JobOpen(job, TOKEN, durability, false, "test", homes, homeOf);
        for (int i = 0; i < launchers.size(); i++) {
            launchers.get(i).write(halves.get(i).sealed(opening.encode()));
        }
        for (FrameChannel launcher : launchers) {
            read(launcher, (frame, view) -> {
                if (view.type() != FrameType.JOB_OPENED) {
                    throw new AssertionError(view);
                }
            });
        }
    }

    private static void read(FrameChannel line, FrameChannel.Handler handler) throws Exception {
        boolean[] got = new boolean[1];
        while (!got[0]) {
            line.read();
            line.dispatch((frame, view) -> {
                got[0] = true;
                handler.onFrame(frame, view);
            });
        }
    }

    /** Ranks connect to what this makes of a rank's number and its relay's address. */
    void connectVia(Route route) {
        this.route = route;
    }

    /** How long {@link #run} may take. */
    void limit(long seconds) {
        limitSeconds = seconds;
    }

    /** Runs the body once per rank, closes the endpoints, and throws what the first rank that failed threw. */
    void run(Body body) {
        Throwable[] thrown = new Throwable[homeOf.length];
        Thread[] threads = new Thread[homeOf.length];
        for (int rank = 0; rank < threads.length; rank++) {
            int number = rank;
            threads[rank] = new Thread(
                    () -> {
                        try {
                            Endpoint endpoint = connect(number);
                            body.run(endpoint);
                            endpoint.close();
                            gone.add(number);
                        } catch (Exception | Error e) {
                            thrown[number] = e;
                        }
                    },
                    "rank-" + rank);
            threads[rank].setDaemon(true);
            threads[rank].start();
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        for (Thread thread : threads) {
            join(thread, deadline, thrown);
        }
        check(thrown);
    }

    private static void join(Thread thread, long deadline, Throwable[] thrown) {
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (thread.isAlive()) {
            check(thrown);
            AssertionError late = new AssertionError(thread.getName() + " still runs at its time limit");
            late.setStackTrace(thread.getStackTrace());
            throw late;
        }
    }

    private static void check(Throwable[] thrown) {
        for (int rank = 0; rank < thrown.length; rank++) {
            if (thrown[rank] != null) {
                throw new AssertionError("rank " + rank + ": " + thrown[rank], thrown[rank]);
            }
        }
    }

    /** Ranks that have said goodbye and heard it. */
    Set<Integer> gone() {
        return Set.copyOf(gone);
    }

    /** Changes the mode of all relays; what each tells. */
    List<ModeChange> switchMode(ModeConfig mode) throws IOException {
        return grid.switchMode(mode);
    }

    /** What the threads of all relays have used so far. */
    List<ThreadUsage> threads() throws IOException {
        return grid.loads().stream().flatMap(load -> load.threads().stream()).toList();
    }

    /** What a console shows of the relays. */
    List<RelayView> views() {
        return grid.views();
    }

    /** Opens another job at the first site, whose ranks never come. It ends with the world. */
    void openJob(long id, int ranks) throws Exception {
        launchers.get(0).write(halves.get(0).sealed(new JobOpen(id, TOKEN, false, "idle", homes.subList(0, 1), new int[ranks]).encode()));
        read(launchers.get(0), (frame, view) -> {
            if (view.type() != FrameType.JOB_OPENED) {
                throw new AssertionError(view);
            }
        });
    }

    /** Where the first site's relay listens. */
    String address() {
        return homes.get(0).address();
    }

    private Endpoint connect(int rank) throws IOException {
        return RelayEndpoint.connect(
                route.to(rank, homes.get(homeOf[rank]).address()), TOKEN.ofRank(rank), Hello.firstStart(job, rank), settings, new Thrown(rank));
    }

    @Override
    public void close() throws Exception {
        for (FrameChannel launcher : launchers) {
            launcher.write(new CloseNotice(job, 0, -1, "finished").encode(FrameType.JOB_CLOSE));
            launcher.close();
        }
        grid.close();
        vertx.close().await();
    }
}
