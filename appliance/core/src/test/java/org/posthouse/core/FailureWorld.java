package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** The relays of a job whose ranks die, and the frames under way between them. A run is a sequence of choices, made again from the start. */
abstract class FailureWorld {
    static final long JOB = 0xa9;

    private final ParcelLedger ledger = new ParcelLedger();
    private final List<RelayCore> cores = new ArrayList<>();
    private final List<List<FailureWay>> ways = new ArrayList<>();
    private final int[] home;

    /**
     * @param opened what kind of job it is
     * @param home of each rank, the number of its relay
     */
    FailureWorld(UnaryOperator<JobOpen> opened, int... home) throws Refusal {
        this.home = home;
        int relays = IntStream.of(home).max().orElseThrow() + 1;
        List<HomeRelay> homes = IntStream.range(0, relays).mapToObj(relay -> new HomeRelay("s" + relay, "r" + relay, "h:" + relay)).toList();
        JobOpen opening = opened.apply(new JobOpen(JOB, new Token(1, 2), false, "failures", homes, home));
        for (HomeRelay relay : homes) {
            CoreConfig config = CoreConfig.DEFAULT;
            cores.add(new RelayCore(relay.relay(), config, 1, UnexpectedPool.own(config, 1), () -> 1, new TableHistorySource(), new TableImages()));
            ways.add(Stream.generate(FailureWay::new).limit(relays).toList());
        }
        for (int core = 0; core < relays; core++) {
            int self = core;
            cores.get(core).openJob(opening, process -> homeOf(process) == self ? null : ways.get(self).get(homeOf(process)), event -> {}, Journal.NONE);
        }
    }

    private int homeOf(int process) {
        return home[process % home.length];
    }

    final int ranks() {
        return home.length;
    }

    /** The core of this process, which is the rank itself unless it has come in a dead one's place. */
    final RelayCore core(int process) {
        return cores.get(homeOf(process));
    }

    final void sends(OneRelay.Rank port, ByteBuffer frame) {
        try {
            core(port.rank.rank()).fromRank(port.rank, new TestFrame(frame, ledger));
        } catch (WireException e) {
            throw new AssertionError(e);
        }
    }

    final void kill(OneRelay.Rank port) {
        core(port.rank.rank()).disconnected(port.rank, port, CloseNotice.closing(JOB, CloseReason.NORMAL, "killed"));
    }

    /** What its processes may do next. */
    abstract List<Runnable> acts();

    /** Nothing can happen any more. */
    abstract void check(Object path);

    /** The frames that may arrive next. */
    final List<Runnable> arrivals() {
        List<Runnable> arrivals = new ArrayList<>();
        for (int from = 0; from < cores.size(); from++) {
            for (int to = 0; to < cores.size(); to++) {
                FailureWay way = ways.get(from).get(to);
                FailureWay back = ways.get(to).get(from);
                RelayCore receiver = cores.get(to);
                for (FailureWay.Sent next : way.deliverable()) {
                    arrivals.add(() -> receiver.failure(back, new TestFrame(way.deliver(next), ledger)));
                }
            }
        }
        return arrivals;
    }

    /** What may happen next. */
    final List<Runnable> choices() {
        return Stream.concat(acts().stream(), arrivals().stream()).toList();
    }

    /** Makes a world as it is at its start. */
    interface Start {
        FailureWorld begin() throws Refusal;
    }

    /** Runs everything in every order, each to its end. @return how many there are */
    static int runAll(Start start) throws Refusal {
        return runAll(start, new ArrayList<>());
    }

    private static int runAll(Start start, List<Integer> path) throws Refusal {
        FailureWorld world = start.begin();
        for (int choice : path) {
            world.choices().get(choice).run();
        }
        int choices = world.choices().size();
        if (choices == 0) {
            world.check(path);
            return 1;
        }
        int runs = 0;
        for (int next = 0; next < choices; next++) {
            path.add(next);
            runs += runAll(start, path);
            path.removeLast();
        }
        return runs;
    }
}
