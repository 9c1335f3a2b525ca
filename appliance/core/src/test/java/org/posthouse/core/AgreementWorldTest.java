package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.wire.Agree;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * Every order of the events of one agreement in which one member dies: the parts of three members, the death, and the arrival of each frame that the
 * relays exchange. Whoever lives gets the same result, and is told of the death before.
 */
final class AgreementWorldTest {
    private static final long JOB = 0xa9;
    private static final int RANKS = 3;

    /** The relays, and the frames under way between them. A run is a sequence of choices, made again from the start. */
    private static final class World {
        private final ParcelLedger ledger = new ParcelLedger();
        private final List<RelayCore> cores = new ArrayList<>();
        private final List<List<OneWay>> ways = new ArrayList<>();
        private final int[] home;
        private final List<Port> ports = new ArrayList<>();
        private final Agree.Kind kind;
        private final int dying;
        private final BitSet sent = new BitSet();
        private boolean died;

        World(OneRelay ports, Agree.Kind kind, int dying, int... home) throws Refusal {
            this.kind = kind;
            this.home = home;
            this.dying = dying;
            int relays = IntStream.of(home).max().orElseThrow() + 1;
            List<HomeRelay> homes = IntStream.range(0, relays).mapToObj(relay -> new HomeRelay("s" + relay, "r" + relay, "h:" + relay)).toList();
            JobOpen opening = new JobOpen(JOB, new Token(1, 2), false, "agree", homes, home).tellingFailures();
            for (int core = 0; core < relays; core++) {
                CoreConfig config = CoreConfig.DEFAULT;
                cores.add(new RelayCore(
                        homes.get(core).relay(), config, 1, UnexpectedPool.own(config, 1), () -> 1, new TableHistorySource(), new TableImages()));
                ways.add(Stream.generate(OneWay::new).limit(relays).toList());
            }
            for (int core = 0; core < relays; core++) {
                int self = core;
                cores.get(core).openJob(opening, rank -> home[rank] == self ? null : ways.get(self).get(home[rank]), event -> {}, Journal.NONE);
            }
            for (int rank = 0; rank < RANKS; rank++) {
                Port port = new Port(ports.new Rank());
                this.ports.add(port);
                cores.get(home[rank]).connect(Hello.firstStart(JOB, rank), List.of(), port.rank);
            }
        }

        /** What may happen next. */
        List<Runnable> choices() {
            List<Runnable> choices = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++) {
                int member = rank;
                if (!sent.get(member) && !(died && member == dying)) {
                    choices.add(() -> agree(member));
                }
            }
            if (!died) {
                choices.add(this::die);
            }
            for (int from = 0; from < cores.size(); from++) {
                for (int to = 0; to < cores.size(); to++) {
                    OneWay way = ways.get(from).get(to);
                    RelayCore receiver = cores.get(to);
                    OneWay back = ways.get(to).get(from);
                    if (!way.frames.isEmpty()) {
                        choices.add(() -> receiver.failure(back, new TestFrame(way.frames.remove(), ledger)));
                    }
                }
            }
            return choices;
        }

        private void agree(int rank) {
            sent.set(rank);
            BitSet members = new BitSet();
            members.set(0, RANKS);
            try {
                cores.get(home[rank]).fromRank(
                        ports.get(rank).rank.rank,
                        new TestFrame(new Agree(JOB, 0, rank, 1, kind, 7 & ~(1 << rank), members, new BitSet()).encode().slice(), ledger));
            } catch (WireException e) {
                throw new AssertionError(e);
            }
        }

        private void die() {
            died = true;
            cores.get(home[dying]).disconnected(
                    ports.get(dying).rank.rank, ports.get(dying).rank, CloseNotice.closing(JOB, CloseReason.NORMAL, "killed"));
        }

        /** Nothing can happen any more. */
        void check(List<Integer> path) {
            String result = null;
            for (int rank = 0; rank < RANKS; rank++) {
                List<String> heard = ports.get(rank).rank.heard;
                List<String> agreed = heard.stream().filter(word -> word.startsWith("agreed")).toList();
                if (rank != dying) {
                    assertThat(agreed).as("rank %s after %s", rank, path).hasSize(1);
                    result = result == null ? agreed.getFirst() : result;
                    assertThat(agreed.getFirst()).as("rank %s after %s", rank, path).isEqualTo(result);
                    assertThat(heard).as("rank %s after %s", rank, path).contains("failed " + dying + " incarnation 1");
                    if (agreed.getFirst().contains("failed {" + dying + "}")) {
                        assertThat(heard.indexOf("failed " + dying + " incarnation 1")).as("told before, after %s", path)
                                .isLessThan(heard.indexOf(agreed.getFirst()));
                    }
                } else {
                    assertThat(agreed.size()).as("the dying after %s", path).isLessThanOrEqualTo(1);
                    if (!agreed.isEmpty()) {
                        result = result == null ? agreed.getFirst() : result;
                        assertThat(agreed.getFirst()).isEqualTo(result);
                    }
                }
            }
            assertThat(result).as("after %s", path).contains(sent.get(dying) ? "" : "failed {" + dying + "} unacknowledged");
        }
    }

    private record Port(OneRelay.Rank rank) {}

    /** The way to the other relay: first in, first out, so that nothing is overtaken. */
    private static final class OneWay implements Peer {
        private final Deque<ByteBuffer> frames = new ArrayDeque<>();

        @Override
        public void failure(ByteBuffer frame, boolean behind) {
            frames.add(frame.slice());
        }

        @Override
        public boolean isFar() {
            return true;
        }

        @Override
        public boolean forward(Parcel frame, boolean kept) {
            throw new AssertionError("no message is sent");
        }

        @Override
        public void offerAgain(long job, int context, int source, int destination, long sequence, long bytes) {
            throw new AssertionError("no message is sent");
        }

        @Override
        public void clear(long job, int context, int source, int destination, long sequence, long upTo) {
            throw new AssertionError("no message is sent");
        }

        @Override
        public void withdraw(long job, int context, int source, int destination, long sequence) {
            throw new AssertionError("no message is sent");
        }

        @Override
        public void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone) {
            throw new AssertionError("no message is sent");
        }

        @Override
        public void stall(FrameType type, BlockedReport blockedReport) {
            throw new AssertionError("nobody is blocked");
        }

        @Override
        public void credit(long job, int rank, long bytes, int messages) {
            throw new AssertionError("no message is sent");
        }
    }

    private final OneRelay ranks = new OneRelay();
    private int runs;

    AgreementWorldTest() throws Refusal {}

    @ParameterizedTest
    @EnumSource(value = Agree.Kind.class, names = {"AGREE", "SHRINK"})
    void allLivingMembersGetOneResultInEveryOrder(Agree.Kind kind) throws Exception {
        for (int dying = 0; dying < RANKS; dying++) {
            explore(kind, dying, new ArrayList<>(), 0, 1, 0);
        }
        assertThat(runs).as("orders").isGreaterThan(300);
    }

    /** The relay of the third member may get the result from the first one's before it gets the death from the second one's. */
    @Test
    void relayThatHearsOfTheDeathLastTellsItFirst() throws Exception {
        explore(Agree.Kind.AGREE, 1, new ArrayList<>(), 0, 1, 2);
        assertThat(runs).as("orders").isGreaterThan(300);
    }

    private void explore(Agree.Kind kind, int dying, List<Integer> path, int... home) throws Exception {
        World world = new World(ranks, kind, dying, home);
        for (int choice : path) {
            world.choices().get(choice).run();
        }
        int choices = world.choices().size();
        if (choices == 0) {
            runs++;
            world.check(path);
        }
        for (int next = 0; next < choices; next++) {
            path.add(next);
            explore(kind, dying, path, home);
            path.removeLast();
        }
    }

    @Test
    void withoutADeathAllFlagsCount() throws Exception {
        World world = new World(ranks, Agree.Kind.AGREE, 2, 0, 1, 0);
        IntStream.range(0, RANKS).forEach(world::agree);
        while (world.ways.stream().flatMap(List::stream).anyMatch(way -> !way.frames.isEmpty())) {
            world.choices().getLast().run();
        }
        assertThat(world.ports).allSatisfy(port -> assertThat(port.rank.heard).containsExactly("agreed 1 flags 0 failed {}"));
    }
}
