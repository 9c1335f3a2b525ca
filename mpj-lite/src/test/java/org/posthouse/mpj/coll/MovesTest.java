package org.posthouse.mpj.coll;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.coll.Store.Kind;

/**
 * Collectives that move data, with every algorithm forced and none, where each rank keeps its data in a way of its own:
 * datatypes with gaps, of other counts, in arrays and buffers; with sizes on both sides of every threshold.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class MovesTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 3 : 1;

    /** In units of {@link Kind#UNIT} ints: up to 540 KiB, beyond every threshold on the way. */
    private static final int[] UNITS = {0, 1, 2, 21, 22, 85, 86, 1365, 1366, 1367, 2731, 5462, 11_000};

    /** What all ranks know of one call: which data elements everybody gives. */
    private record Plan(Machine machine, boolean text, long seed) {
        static Plan draw(Machine machine, Random random) {
            return new Plan(machine, random.nextInt(5) == 0, random.nextInt(1 << 20));
        }

        int drawData(Random random, int bytesDivisor) {
            int units = UNITS[random.nextInt(text ? 4 : UNITS.length)] / bytesDivisor;
            return units * Kind.UNIT;
        }

        Kind drawKind(Random own) {
            return text ? own.nextBoolean() ? Kind.TEXT : Kind.TEXT_PAIRS : Kind.draw(own);
        }

        /** The data that one rank gives to another one (or to all). */
        int[] values(int from, int to, int data) {
            int first = (int) (seed + 7919 * from + 104_729 * to);
            return IntStream.range(first, first + data).toArray();
        }
    }

    /** One rank's blocks, by data elements: anywhere, in any order, with gaps. */
    private record Places(Store store, Blocks blocks, int[] counts, int[] at, int[] expected) {
        /** @param data data elements of each rank's block */
        static Places draw(Plan plan, Random own, int[] data) {
            List<Integer> order = new ArrayList<>(IntStream.range(0, data.length).boxed().toList());
            boolean adjacent = own.nextInt(3) == 0;
            if (!adjacent) {
                Collections.shuffle(order, own);
            }
            int[] at = new int[data.length];
            int end = 0;
            for (int rank : order) {
                at[rank] = end;
                end += data[rank] + (adjacent ? 0 : own.nextInt(2) * Kind.UNIT);
            }
            Store store = new Store(plan.drawKind(own), end, Kind.UNIT);
            // Longer than the communicator, as a program's arrays may be.
            int[] counts = Arrays.copyOf(Arrays.stream(data).map(store::elements).toArray(), data.length + 1);
            int[] positions = Arrays.copyOf(Arrays.stream(at).map(store::elements).toArray(), data.length + 1);
            return new Places(store, Blocks.at(counts, positions), counts, at, store.read());
        }

        static Places even(Plan plan, Random own, int data, int ranks) {
            Store store = new Store(plan.drawKind(own), data * ranks, Math.max(data, Kind.UNIT));
            int[] at = IntStream.range(0, ranks).map(rank -> rank * data).toArray();
            return new Places(store, Blocks.even(store.elements(data)), null, at, store.read());
        }

        void fill(int rank, int... values) {
            store.fill(at[rank], values);
        }

        void expect(int rank, int... values) {
            System.arraycopy(values, 0, expected, at[rank], values.length);
        }

        void require(String where) {
            store.requireData(where, expected);
        }
    }

    private interface Call {
        void run(Peers peers, int rank, Plan plan, Random shared, Random own) throws Exception;
    }

    private static void rounds(Machine machine, Call call) {
        machine.run((peers, rank) -> {
            Random shared = machine.random();
            Random own = machine.random(rank);
            for (int round = 0; round < ROUNDS; round++) {
                Plan plan = Plan.draw(machine, shared);
                call.run(peers, rank, plan, shared, own);
            }
        });
    }

    static Stream<Machine> bcast() {
        return Machine.all("bcast");
    }

    static Stream<Machine> gather() {
        return Machine.all("gather", "scatter");
    }

    static Stream<Machine> allgather() {
        return Machine.all("allgather", "bcast");
    }

    static Stream<Machine> alltoall() {
        return Machine.all("alltoall");
    }

    @ParameterizedTest
    @MethodSource("bcast")
    void broadcasts(Machine machine) {
        rounds(machine, (peers, rank, plan, shared, own) -> {
            int root = shared.nextInt(machine.size());
            int data = plan.drawData(shared, 1);
            Store store = new Store(plan.drawKind(own), data, own.nextBoolean() ? Kind.UNIT : data);
            if (rank == root) {
                store.fill(0, plan.values(root, 0, data));
            }
            Broadcast.run(peers, store.region(), store.count(), root);
            store.requireData(plan + " rank " + rank, plan.values(root, 0, data));
        });
    }

    private static int[] drawAll(Plan plan, Random shared, int size) {
        return IntStream.range(0, size).map(rank -> plan.drawData(shared, 2)).toArray();
    }

    @ParameterizedTest
    @MethodSource("gather")
    void gathersAndScatters(Machine machine) {
        rounds(machine, (peers, rank, plan, shared, own) -> {
            int size = machine.size();
            int root = shared.nextInt(size);
            int[] data = drawAll(plan, shared, size);
            Store mine = Store.of(plan.drawKind(own), Kind.UNIT, plan.values(rank, root, data[rank]));
            Places places = rank == root ? Places.draw(plan, own, data) : null;
            Gather.run(
                    peers, mine.region(), mine.count(),
                    rank == root ? places.store.region() : null, rank == root ? places.blocks : null, root);
            if (rank == root) {
                IntStream.range(0, size).forEach(from -> places.expect(from, plan.values(from, root, data[from])));
                places.require(plan + " gathered");
                IntStream.range(0, size).forEach(to -> places.fill(to, plan.values(root, to, data[to])));
            }
            Store part = new Store(plan.drawKind(own), data[rank], Kind.UNIT);
            Scatter.run(
                    peers, rank == root ? places.store.region() : null, rank == root ? places.blocks : null,
                    part.region(), part.count(), root);
            part.requireData(plan + " scattered to " + rank, plan.values(root, rank, data[rank]));
        });
    }

    @ParameterizedTest
    @MethodSource("allgather")
    void gathersAtAllRanks(Machine machine) {
        rounds(machine, (peers, rank, plan, shared, own) -> {
            int size = machine.size();
            int even = plan.drawData(shared, size);
            int[] data = shared.nextBoolean() ? drawAll(plan, shared, size) : null;
            Places places = data == null ? Places.even(plan, own, even, size) : Places.draw(plan, own, data);
            int length = data == null ? even : data[rank];
            Store mine = Store.of(plan.drawKind(own), Kind.UNIT, plan.values(rank, 0, length));
            Allgather.run(peers, mine.region(), mine.count(), places.store.region(), places.blocks);
            for (int from = 0; from < size; from++) {
                places.expect(from, plan.values(from, 0, data == null ? even : data[from]));
            }
            places.require(plan + " rank " + rank);
        });
    }

    @ParameterizedTest
    @MethodSource("alltoall")
    void exchangesEqualBlocks(Machine machine) {
        rounds(machine, (peers, rank, plan, shared, own) -> {
            int size = machine.size();
            int data = plan.drawData(shared, size);
            Places from = Places.even(plan, own, data, size);
            Places to = Places.even(plan, own, data, size);
            for (int peer = 0; peer < size; peer++) {
                from.fill(peer, plan.values(rank, peer, data));
                to.expect(peer, plan.values(peer, rank, data));
            }
            Alltoall.run(peers, from.store.region(), from.blocks, to.store.region(), to.blocks);
            to.require(plan + " rank " + rank);
            for (int peer = 0; peer < size; peer++) {
                to.expect(peer, plan.values(peer, rank, data));
                from.expect(peer, plan.values(peer, rank, data));
            }
            for (int peer = 0; peer < size; peer++) {
                from.fill(peer, plan.values(rank, peer, data));
            }
            Alltoall.run(peers, from.store.region(), from.blocks, from.store.region(), from.blocks);
            from.require(plan + " in place at rank " + rank);
        });
    }

    @ParameterizedTest
    @MethodSource("alltoall")
    void exchangesBlocksOfAnyLengthAndKind(Machine machine) {
        rounds(machine, (peers, rank, plan, shared, own) -> {
            int size = machine.size();
            int[][] data = new int[size][];
            Arrays.setAll(data, from -> IntStream.range(0, size).map(to -> plan.drawData(shared, size)).toArray());
            Places from = Places.draw(plan, own, data[rank]);
            int[] coming = IntStream.range(0, size).map(peer -> data[peer][rank]).toArray();
            Places to = Places.draw(plan, own, coming);
            Block[] send = new Block[size];
            Block[] receive = new Block[size];
            Store[] rooms = new Store[size];
            for (int peer = 0; peer < size; peer++) {
                from.fill(peer, plan.values(rank, peer, data[rank][peer]));
                to.expect(peer, plan.values(peer, rank, coming[peer]));
                Store sent = Store.of(plan.drawKind(own), Kind.UNIT, plan.values(rank, peer, data[rank][peer]));
                rooms[peer] = new Store(plan.drawKind(own), coming[peer], Kind.UNIT);
                send[peer] = new Block(sent.region(), 0, sent.count());
                receive[peer] = new Block(rooms[peer].region(), 0, rooms[peer].count());
            }
            Alltoall.run(peers, from.store.region(), from.blocks, to.store.region(), to.blocks);
            to.require(plan + " Alltoallv at rank " + rank);
            Alltoall.run(peers, send, receive);
            for (int peer = 0; peer < size; peer++) {
                rooms[peer].requireData(plan + " Alltoallw at rank " + rank, plan.values(peer, rank, coming[peer]));
            }
        });
    }
}
