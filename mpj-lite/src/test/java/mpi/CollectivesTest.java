package mpi;

import static mpi.Samples.copy;
import static mpi.Samples.empty;
import static mpi.Samples.requireSame;
import static mpi.Samples.slice;

import java.util.Arrays;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.LocalWorld;

/** Every collective that moves data, against what its definition says, with counts and types drawn from a seed. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@SuppressWarnings({"ReferenceEquality", "ArrayRecordComponent"}) // Each datatype exists once.
class CollectivesTest {
    private static final int ROUNDS = Boolean.getBoolean("posthouse.long") ? 12 : 4;
    private static final int[] COUNTS = {0, 1, 2, 3, 17, 300, 5_000, 40_000};

    /** One round: what all ranks know of it. */
    private record Round(Datatype type, int size, long seed) {
        Random random() {
            return new Random(seed);
        }

        Object of(int rank, int count) {
            return Samples.random(type, count * type.size(), seed * 100 + rank);
        }

        /** An array with elements in front of and behind the part that is used. */
        Object room(int elements) {
            return Samples.random(type, elements * type.size() + 5, seed + 7);
        }

        int drawCount(Random random) {
            int count = COUNTS[random.nextInt(COUNTS.length)];
            return type == MPI.OBJECT ? Math.min(count, 300) : count;
        }
    }

    private interface Check {
        void run(Intracomm world, int rank, Round round) throws Exception;
    }

    private static void rounds(int size, Check check) {
        for (int i = 0; i < ROUNDS; i++) {
            long seed = 1000L * size + i;
            Random random = new Random(seed);
            Datatype type = i < Samples.BASIC.size()
                    ? Samples.BASIC.get(i)
                    : Samples.PAIRS.get(random.nextInt(Samples.PAIRS.size()));
            long[] limits = {-1, 1000, 256 * 1024};
            LocalWorld machine = new LocalWorld(size).seed(seed).eagerBytesMax(limits[random.nextInt(3)]);
            if (random.nextInt(3) == 0) {
                machine.sites(IntStream.range(0, size).map(rank -> rank * 7 % 3).toArray());
            }
            Round round = new Round(type, size, seed);
            Ranks.run(machine, size, (world, rank) -> check.run(world, rank, round));
        }
    }

    static IntStream sizes() {
        return IntStream.of(Boolean.getBoolean("posthouse.long") ? new int[] {1, 2, 3, 4, 5, 7, 8} : new int[] {1, 2, 3, 4, 7});
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void broadcasts(int size) {
        rounds(size, (world, rank, round) -> {
            Random random = round.random();
            for (int count : COUNTS) {
                int used = Math.min(count, round.type == MPI.OBJECT ? 300 : count);
                int root = random.nextInt(size);
                Object room = round.room(used);
                Object expected = copy(room);
                int elements = used * round.type.size();
                System.arraycopy(round.of(root, used), 0, expected, 2, elements);
                if (rank == root) {
                    room = copy(expected);
                }
                world.Bcast(room, 2, used, round.type, root);
                requireSame(round + " count " + used + " rank " + rank, room, expected);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void gathers(int size) {
        rounds(size, (world, rank, round) -> {
            Random random = round.random();
            int count = round.drawCount(random);
            int root = random.nextInt(size);
            int elements = count * round.type.size();
            Object room = rank == root ? round.room(count * size) : null;
            world.Gather(round.of(rank, count), 0, count, round.type, room, 3, count, round.type, root);
            if (rank == root) {
                requireSame(round + " Gather", slice(room, 3, elements * size), joined(round, count));
            }

            Object everywhere = round.room(count * size);
            world.Allgather(round.of(rank, count), 0, count, round.type, everywhere, 3, count, round.type);
            requireSame(round + " Allgather", slice(everywhere, 3, elements * size), joined(round, count));
            requireSame(round + " before", slice(everywhere, 0, 3), slice(round.room(count * size), 0, 3));
        });
    }

    private static Object joined(Round round, int count) {
        int elements = count * round.type.size();
        Object all = empty(round.type, elements * round.size);
        for (int from = 0; from < round.size; from++) {
            System.arraycopy(round.of(from, count), 0, all, from * elements, elements);
        }
        return all;
    }

    /** Blocks of random lengths in random order with gaps; the arrays are longer than the group. */
    private record Layout(int[] counts, int[] displs, int span) {
        static Layout draw(Round round, Random random) {
            int size = round.size;
            int[] counts = new int[size + 2];
            int[] displs = new int[size + 2];
            Arrays.fill(counts, -5);
            Integer[] places = IntStream.range(0, size).boxed().toArray(Integer[]::new);
            Collections.shuffle(Arrays.asList(places), random);
            int at = random.nextInt(3);
            for (int place : places) {
                counts[place] = round.drawCount(random);
                displs[place] = at;
                at += counts[place] + random.nextInt(3);
            }
            return new Layout(counts, displs, at);
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void gathersBlocksOfDifferentLengths(int size) {
        rounds(size, (world, rank, round) -> {
            Random random = round.random();
            Layout layout = Layout.draw(round, random);
            int root = random.nextInt(size);
            int unit = round.type.size();
            int mine = layout.counts[rank];
            Object expected = round.room(layout.span);
            for (int from = 0; from < size; from++) {
                System.arraycopy(
                        round.of(from, layout.counts[from]), 0,
                        expected, 2 + layout.displs[from] * unit, layout.counts[from] * unit);
            }
            boolean atRoot = rank == root;
            Object room = atRoot ? round.room(layout.span) : null;
            world.Gatherv(
                    round.of(rank, mine), 0, mine, round.type,
                    room, 2, atRoot ? layout.counts : null, atRoot ? layout.displs : null, round.type, root);
            if (atRoot) {
                requireSame(round + " Gatherv", room, expected);
            }
            Object everywhere = round.room(layout.span);
            world.Allgatherv(
                    round.of(rank, mine), 0, mine, round.type,
                    everywhere, 2, layout.counts, layout.displs, round.type);
            requireSame(round + " Allgatherv at " + rank, everywhere, expected);
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void scatters(int size) {
        rounds(size, (world, rank, round) -> {
            Random random = round.random();
            int root = random.nextInt(size);
            int unit = round.type.size();
            int count = round.drawCount(random);
            Object dealt = round.of(root, count * size);
            Object room = round.room(count);
            Object expected = copy(room);
            System.arraycopy(dealt, rank * count * unit, expected, 1, count * unit);
            world.Scatter(
                    rank == root ? dealt : null, 0, count, round.type, room, 1, count, round.type, root);
            requireSame(round + " Scatter", room, expected);

            Layout layout = Layout.draw(round, random);
            Object source = round.of(root, layout.span + 2);
            int mine = layout.counts[rank];
            Object place = round.room(mine);
            Object placed = copy(place);
            System.arraycopy(source, layout.displs[rank] * unit + 2, placed, 1, mine * unit);
            boolean atRoot = rank == root;
            world.Scatterv(
                    atRoot ? source : null, 2, atRoot ? layout.counts : null, atRoot ? layout.displs : null, round.type,
                    place, 1, mine, round.type, root);
            requireSame(round + " Scatterv", place, placed);
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void exchangesAllToAll(int size) {
        rounds(size, (world, rank, round) -> {
            Random random = round.random();
            int unit = round.type.size();
            int count = round.drawCount(random) / size;
            Object room = round.room(count * size);
            Object expected = copy(room);
            for (int from = 0; from < size; from++) {
                System.arraycopy(
                        round.of(from, count * size), rank * count * unit,
                        expected, 4 + from * count * unit, count * unit);
            }
            world.Alltoall(round.of(rank, count * size), 0, count, round.type, room, 4, count, round.type);
            requireSame(round + " Alltoall", room, expected);
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void exchangesBlocksOfDifferentLengthsAllToAll(int size) {
        rounds(size, (world, rank, round) -> {
            Random random = round.random();
            int unit = round.type.size();
            // layouts[r] is how rank r sends: block to rank i has counts[i].
            Layout[] layouts = new Layout[size];
            for (int from = 0; from < size; from++) {
                layouts[from] = Layout.draw(round, random);
            }
            int[] counts = new int[size];
            int[] displs = new int[size];
            int at = 1;
            for (int from = size - 1; from >= 0; from--) {
                counts[from] = layouts[from].counts[rank];
                displs[from] = at;
                at += counts[from] + 1;
            }
            Object room = round.room(at);
            Object expected = copy(room);
            for (int from = 0; from < size; from++) {
                System.arraycopy(
                        round.of(from, layouts[from].span), layouts[from].displs[rank] * unit,
                        expected, 1 + displs[from] * unit, counts[from] * unit);
            }
            Layout mine = layouts[rank];
            world.Alltoallv(
                    round.of(rank, mine.span), 0, mine.counts, mine.displs, round.type,
                    room, 1, counts, displs, round.type);
            requireSame(round + " Alltoallv at " + rank, room, expected);
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void nobodyLeavesABarrierBeforeAllHaveCome(int size) {
        for (int seed = 0; seed < 20; seed++) {
            AtomicInteger come = new AtomicInteger();
            LocalWorld machine = new LocalWorld(size).seed(seed).eagerBytesMax(seed % 2 == 0 ? -1 : 1000);
            if (seed % 3 == 0) {
                machine.sites(IntStream.range(0, size).map(rank -> rank % 3).toArray());
            }
            Ranks.run(machine, size, (world, rank) -> {
                for (int round = 1; round <= 5; round++) {
                    come.incrementAndGet();
                    world.Barrier();
                    int seen = come.get();
                    if (seen < round * size) {
                        throw new AssertionError("left barrier " + round + " when " + seen + " had come");
                    }
                    world.Barrier();
                }
            });
        }
    }
}
