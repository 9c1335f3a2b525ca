package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.LocalWorld;

/**
 * Neighbours in grids with rings so short that both neighbours are one rank, or the rank itself: what is sent down
 * arrives from above all the same (MPI-4, 8.6).
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SmallRingTest {
    private record Grid(int[] dims, boolean[] periods) {
        @Override
        public String toString() {
            return Arrays.toString(dims) + " " + Arrays.toString(periods);
        }
    }

    /** Lengths 1 to 3 in one to three dimensions, all of them rings, or every second one open. */
    static Stream<Grid> grids() {
        return IntStream.rangeClosed(1, 3).boxed().flatMap(count -> IntStream.range(0, (int) Math.pow(3, count)).boxed().flatMap(code -> {
            int[] dims = IntStream.range(0, count).map(i -> code / (int) Math.pow(3, i) % 3 + 1).toArray();
            boolean[] mixed = new boolean[count];
            boolean[] rings = new boolean[count];
            for (int i = 0; i < count; i++) {
                mixed[i] = i % 2 == 1;
                rings[i] = true;
            }
            return Stream.of(new Grid(dims, rings), new Grid(dims, mixed));
        }))
                .filter(grid -> IntStream.of(grid.dims).reduce(1, (a, b) -> a * b) <= 12);
    }

    /** Who is in each direction, down and up in each dimension, by Shift alone. */
    private static int[] directions(Cartcomm grid, int count) {
        int[] ranks = new int[2 * count];
        for (int i = 0; i < count; i++) {
            ShiftParms shift = grid.Shift(i, 1);
            ranks[2 * i] = shift.rank_source;
            ranks[2 * i + 1] = shift.rank_dest;
        }
        return ranks;
    }

    /** What {@code rank} sends in a direction. */
    private static int block(int rank, int direction) {
        return 100 * rank + direction;
    }

    private static int opposite(int direction) {
        return direction % 2 == 0 ? direction + 1 : direction - 1;
    }

    @ParameterizedTest
    @MethodSource("grids")
    void blockSentDownArrivesFromAbove(Grid shape) {
        int size = IntStream.of(shape.dims).reduce(1, (a, b) -> a * b);
        for (int seed = 0; seed < 3; seed++) {
            Ranks.run(new LocalWorld(size).seed(seed).eagerBytesMax(seed - 1), size, (world, rank) -> {
                CartComm grid = world.createCart(shape.dims, shape.periods, false);
                int[] ranks = directions(grid, shape.dims.length);
                int[] out = IntStream.range(0, ranks.length).map(to -> block(rank, to)).toArray();
                int[] expected = IntStream.range(0, ranks.length)
                        .map(from -> ranks[from] < 0 ? -1 : block(ranks[from], opposite(from)))
                        .toArray();
                int[] in = nothing(ranks.length);
                grid.neighborAllToAll(out, 1, MPI.INT, in, 1, MPI.INT);
                assertThat(in).containsExactly(expected);
                int[] later = nothing(ranks.length);
                grid.iNeighborAllToAll(out, 1, MPI.INT, later, 1, MPI.INT).waitFor();
                assertThat(later).containsExactly(expected);
                blocksOfDifferentLengths(grid, ranks);
                gathered(grid, ranks);
            });
        }
    }

    private static int[] nothing(int length) {
        int[] room = new int[length];
        Arrays.fill(room, -1);
        return room;
    }

    /** Down goes one element, up go two; so from below come two, and from above comes one. */
    private static void blocksOfDifferentLengths(CartComm grid, int[] ranks) {
        int[] displs = IntStream.range(0, ranks.length).map(i -> 2 * i).toArray();
        int[] down = IntStream.range(0, ranks.length).map(i -> 1 + i % 2).toArray();
        int[] up = IntStream.range(0, ranks.length).map(i -> 2 - i % 2).toArray();
        int[] out = IntStream.range(0, 2 * ranks.length).map(i -> block(grid.Rank(), i / 2) * 2 + i % 2).toArray();
        int[] expected = nothing(2 * ranks.length);
        for (int from = 0; from < ranks.length; from++) {
            for (int i = 0; ranks[from] >= 0 && i < up[from]; i++) {
                expected[2 * from + i] = block(ranks[from], opposite(from)) * 2 + i;
            }
        }
        int[] in = nothing(2 * ranks.length);
        grid.neighborAllToAllv(out, down, displs, MPI.INT, in, up, displs, MPI.INT);
        assertThat(in).containsExactly(expected);
        int[] later = nothing(2 * ranks.length);
        grid.iNeighborAllToAllv(out, down, displs, MPI.INT, later, up, displs, MPI.INT).waitFor();
        assertThat(later).containsExactly(expected);
    }

    private static void gathered(CartComm grid, int[] ranks) {
        int[] expected = IntStream.of(ranks).map(from -> from < 0 ? -1 : from).toArray();
        int[] own = {grid.Rank()};
        int[] in = nothing(ranks.length);
        grid.neighborAllGather(own, 1, MPI.INT, in, 1, MPI.INT);
        assertThat(in).containsExactly(expected);
        int[] backwards = nothing(ranks.length);
        int[] ones = IntStream.of(ranks).map(from -> 1).toArray();
        int[] places = IntStream.range(0, ranks.length).map(i -> ranks.length - 1 - i).toArray();
        grid.neighborAllGatherv(own, 1, MPI.INT, backwards, ones, places, MPI.INT);
        for (int i = 0; i < ranks.length; i++) {
            assertThat(backwards[places[i]]).isEqualTo(expected[i]);
        }
    }
}
