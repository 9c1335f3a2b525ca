package org.posthouse.mpj.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.coll.Store.Kind;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;

/** The collectives of an intercommunicator of two groups of any sizes, against their definition. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class InterCollectiveStepsTest {
    private static final int BYSTANDER = -3;

    /** For two groups of up to ten ranks in a long. */
    private static final int DIGIT_BITS = 6;

    /** Joins digits: not commutative, and shows who is missing. */
    private static final Reduction JOIN = new Reduction() {
        @Override
        public boolean commutes() {
            return false;
        }

        @Override
        public void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
            long[] from = (long[]) in.array();
            long[] to = (long[]) inOut.array();
            for (int i = 0; i < count; i++) {
                int at = inOut.index(inOutAt + i);
                to[at] = join(from[in.index(inAt + i)], to[at]);
            }
        }
    };

    private static long join(long left, long right) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(right);
        // Whole digits; a rank's is never 0.
        return left << (bits + DIGIT_BITS - 1) / DIGIT_BITS * DIGIT_BITS | right;
    }

    /** One rank's view: its group's number, and both groups' sizes. */
    private record Side(InterPeers peers, int group, int rank, int[] sizes, long seed) {
        int size() {
            return sizes[group];
        }

        int remoteSize() {
            return sizes[1 - group];
        }

        int[] values(int ofGroup, int from, int to, int data) {
            int first = (int) (seed + 5000 * from + 70_000 * to + 1_000_000 * ofGroup);
            return IntStream.range(first, first + data).toArray();
        }

        /** The root argument when the root is a rank of group {@code of}. */
        int root(int of, int root) {
            return of != group ? root : root == rank ? InterPeers.ROOT : BYSTANDER;
        }
    }

    private interface Call {
        void run(Side side, Random shared, Random own) throws Exception;
    }

    static Stream<Machine> machines() {
        return Machine.all("bcast").filter(machine -> machine.size() > 1);
    }

    private static void run(Machine machine, Call call) {
        int head = 1 + machine.random().nextInt(machine.size() - 1);
        machine.runWorld((endpoint, worldRanks) -> {
            int[] first = Arrays.copyOf(worldRanks, head);
            int[] second = Arrays.copyOfRange(worldRanks, head, worldRanks.length);
            int at = Tree.position(worldRanks, endpoint.rank());
            int group = at < head ? 0 : 1;
            int rank = group == 0 ? at : at - head;
            InterPeers peers = new InterPeers(
                    endpoint, Algorithms.parse(machine.forced()), 9, rank,
                    group == 0 ? first : second, group == 0 ? second : first);
            Side side = new Side(peers, group, rank, new int[] {first.length, second.length}, machine.seed());
            Random shared = machine.random();
            for (int round = 0; round < (Boolean.getBoolean("posthouse.long") ? 3 : 1); round++) {
                call.run(side, shared, machine.random(at));
            }
        });
    }

    private static int drawData(Random shared) {
        return Kind.UNIT * new int[] {0, 1, 50, 3000, 6000}[shared.nextInt(5)];
    }

    @ParameterizedTest
    @MethodSource("machines")
    void movesDataBetweenARootAndTheOtherGroup(Machine machine) {
        run(machine, (side, shared, own) -> {
            int of = shared.nextInt(2);
            int rootRank = shared.nextInt(side.sizes[of]);
            int root = side.root(of, rootRank);
            boolean atRoot = root == InterPeers.ROOT;
            int data = drawData(shared);
            int others = side.sizes[1 - of];
            Store room = new Store(Kind.draw(own), data, Kind.UNIT);
            Store all = new Store(Kind.draw(own), atRoot ? data * others : 0, Kind.UNIT);
            Blocks blocks = Blocks.even(all.elements(data));

            if (atRoot) {
                room.fill(0, side.values(of, rootRank, 0, data));
            }
            int[] untouched = room.read();
            InterCollectiveSteps.bcast(side.peers, room.region(), room.count(), root);
            room.requireData(machine + " bcast", root >= 0 ? side.values(of, rootRank, 0, data) : untouched);

            Store mine = Store.of(Kind.draw(own), Kind.UNIT, side.values(side.group, side.rank, 0, data));
            InterCollectiveSteps.gather(side.peers, mine.region(), mine.count(), all.region(), blocks, root);
            for (int from = 0; from < others && atRoot; from++) {
                int[] expected = side.values(1 - of, from, 0, data);
                assertThat(Arrays.copyOfRange(all.read(), from * data, (from + 1) * data)).isEqualTo(expected);
                all.fill(from * data, side.values(of, rootRank, from, data));
            }
            all.requireGaps("gather");
            InterCollectiveSteps.scatter(side.peers, all.region(), blocks, room.region(), room.count(), root);
            room.requireData(
                    machine + " scatter", root >= 0 ? side.values(of, rootRank, side.rank, data) : untouched);
        });
    }

    @ParameterizedTest
    @MethodSource("machines")
    void movesDataBetweenTheGroups(Machine machine) {
        run(machine, (side, shared, own) -> {
            int[] each = {drawData(shared), drawData(shared)};
            int mine = each[side.group];
            int theirs = each[1 - side.group];
            int size = side.remoteSize();
            Store send = Store.of(Kind.draw(own), Kind.UNIT, side.values(side.group, side.rank, 0, mine));
            // With a gap behind each block, or none.
            int gap = own.nextInt(2) * Kind.UNIT;
            Store room = new Store(Kind.draw(own), (theirs + gap) * size, Kind.UNIT);
            int[] counts = new int[size];
            int[] at = new int[size];
            int[] expected = room.read();
            for (int from = 0; from < size; from++) {
                counts[from] = room.elements(theirs);
                at[from] = room.elements(from * (theirs + gap));
                System.arraycopy(
                        side.values(1 - side.group, from, 0, theirs), 0, expected, from * (theirs + gap), theirs);
            }
            InterCollectiveSteps.allgather(side.peers, send.region(), send.count(), room.region(), Blocks.at(counts, at));
            room.requireData(machine + " allgather", expected);

            int data = mine / 4 / Kind.UNIT * Kind.UNIT;
            int coming = theirs / 4 / Kind.UNIT * Kind.UNIT;
            Store given = new Store(Kind.draw(own), data * size, Kind.UNIT);
            Store got = new Store(Kind.draw(own), coming * size, Kind.UNIT);
            int[] all = got.read();
            for (int peer = 0; peer < size; peer++) {
                given.fill(peer * data, side.values(side.group, side.rank, peer, data));
                int[] part = side.values(1 - side.group, peer, side.rank, coming);
                System.arraycopy(part, 0, all, peer * coming, coming);
            }
            InterCollectiveSteps.alltoall(
                    side.peers, given.region(), Blocks.even(given.elements(data)), got.region(),
                    Blocks.even(got.elements(coming)));
            got.requireData(machine + " alltoall", all);
        });
    }

    private static Region longs(long... values) {
        return new Region(Base.LONG, Layout.ONE, values, 0);
    }

    /** All digits of a group in rank order. */
    private static long joined(Side side, int group) {
        long joined = 0;
        for (int rank = 0; rank < side.sizes[group]; rank++) {
            joined = joined << DIGIT_BITS | digit(group, rank);
        }
        return joined;
    }

    private static long digit(int group, int rank) {
        return 1 + rank + 31L * group;
    }

    @ParameterizedTest
    @MethodSource("machines")
    void givesEachGroupTheReductionOfTheOther(Machine machine) {
        run(machine, (side, shared, own) -> {
            int of = shared.nextInt(2);
            int root = side.root(of, shared.nextInt(side.sizes[of]));
            int count = new int[] {1, 40, 20_000}[shared.nextInt(3)];
            long[] mine = new long[count];
            Arrays.fill(mine, digit(side.group, side.rank));
            long[] room = new long[count];
            Arrays.fill(room, -1);
            InterCollectiveSteps.reduce(side.peers, longs(mine), root == InterPeers.ROOT ? longs(room) : null, count, JOIN, root);
            assertThat(room).containsOnly(root == InterPeers.ROOT ? joined(side, 1 - of) : -1);
            InterCollectiveSteps.allreduce(side.peers, longs(mine), longs(room), count, JOIN);
            assertThat(room).containsOnly(joined(side, 1 - side.group));

            int total = side.sizes[0] * side.sizes[1] * 3;
            int share = total / side.size();
            long[] part = new long[share];
            long[] given = Arrays.copyOf(mine, total);
            Arrays.setAll(given, i -> digit(side.group, side.rank));
            InterCollectiveSteps.reduceScatter(side.peers, longs(given), longs(part), Blocks.even(share), JOIN);
            assertThat(part).containsOnly(joined(side, 1 - side.group));
        });
    }

    @ParameterizedTest
    @MethodSource("machines")
    void nobodyLeavesABarrierBeforeBothGroupsHaveCome(Machine machine) {
        AtomicInteger come = new AtomicInteger();
        run(machine, (side, shared, own) -> {
            int before = come.incrementAndGet();
            InterCollectiveSteps.barrier(side.peers);
            assertThat(come.get()).isGreaterThanOrEqualTo((before + machine.size() - 1) / machine.size() * machine.size());
            InterCollectiveSteps.barrier(side.peers);
        });
    }
}
