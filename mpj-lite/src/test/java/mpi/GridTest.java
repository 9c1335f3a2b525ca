package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Grids, graphs and dimensions against tables, and against slow ways to the same answers. */
class GridTest {
    private static void requireError(int errorClass, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        WrongShape.class, e -> assertThat(e.of("c").getErrorClass()).isEqualTo(errorClass))
                .hasMessageContaining(message);
    }

    private static int[] numbers(String text) {
        return text.isEmpty() ? new int[0] : Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
    }

    private static int[] fill(int nodes, int... dims) {
        Dimensions.fill(nodes, dims);
        return dims;
    }

    @ParameterizedTest
    @CsvSource({
        "12, 0 0, 4 3", "12, 0 2, 6 2", "12, 2 0, 2 6", "12, 0 0 0, 3 2 2", "6, 0 3 0, 2 3 1", "7, 0 0, 7 1",
        "1, 0 0 0, 1 1 1", "24, 0 0 0, 4 3 2", "16, 0 0 0, 4 2 2", "36, 0 0 0, 4 3 3", "64, 0 0 0, 4 4 4",
        "6, 3 2, 3 2", "2147483647, 0 0, 2147483647 1", "1073741824, 0 0 0, 1024 1024 1024",
        "2147395600, 0 0, 46340 46340", "100, 0, 100", "8, 0 1 0, 4 1 2"
    })
    void fillsDimensions(int nodes, String dims, String expected) {
        assertThat(fill(nodes, numbers(dims))).containsExactly(numbers(expected));
    }

    @Test
    void cutsAsAlikeAsNoOtherCutDoes() {
        for (int nodes = 1; nodes <= 360; nodes++) {
            for (int count = 1; count <= 4; count++) {
                assertThat(fill(nodes, new int[count])).containsExactly(best(nodes, count, nodes));
            }
        }
    }

    /** The least of all non-increasing cuts, by trying every one; null if there is none. */
    private static int[] best(int nodes, int count, int most) {
        if (count == 0) {
            return nodes == 1 ? new int[0] : null;
        }
        for (int first = 1; first <= most; first++) {
            int[] rest = nodes % first == 0 ? best(nodes / first, count - 1, first) : null;
            if (rest != null) {
                return IntStream.concat(IntStream.of(first), Arrays.stream(rest)).toArray();
            }
        }
        return null;
    }

    @Test
    void refusesDimensionsThatDoNotFit() {
        requireError(MPI.ERR_DIMS, "12 processes in dimensions [0, 5]", () -> fill(12, 0, 5));
        requireError(MPI.ERR_DIMS, "product, 6", () -> fill(12, 3, 2));
        requireError(MPI.ERR_DIMS, "negative", () -> fill(12, 0, -1));
        requireError(MPI.ERR_DIMS, "at least one process", () -> fill(0, 0, 0));
        requireError(MPI.ERR_DIMS, "leaves no rest", () -> fill(12));
        requireError(MPI.ERR_DIMS, "", () -> fill(12, 65_536, 65_536, 0));
        requireError(MPI.ERR_ARG, "null", () -> fill(12, (int[]) null));
        assertThat(fill(1)).isEmpty();
    }

    private static Grid random(Random random) {
        int[] dims = random.ints(random.nextInt(5), 1, 5).toArray();
        boolean[] periods = new boolean[dims.length];
        for (int each = 0; each < periods.length; each++) {
            periods[each] = random.nextBoolean();
        }
        return new Grid(dims, periods);
    }

    @Test
    void countsTheLastDimensionFastest() {
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            Grid grid = random(random);
            int[] counter = new int[grid.dims().length];
            for (int rank = 0; rank < grid.nodes(); rank++) {
                assertThat(grid.coords(rank)).containsExactly(counter);
                assertThat(grid.rank(counter)).isEqualTo(rank);
                for (int each = counter.length - 1; each >= 0 && ++counter[each] == grid.dims()[each]; each--) {
                    counter[each] = 0;
                }
            }
            assertThat(counter).containsOnly(new int[counter.length]);
        }
    }

    @Test
    void shiftsLikeAddingToOneCoordinate() {
        Random random = new Random(2);
        for (int round = 0; round < 300; round++) {
            Grid grid = random(random);
            int rank = random.nextInt(grid.nodes());
            int steps = random.nextInt(21) - 10;
            for (int each = 0; each < grid.dims().length; each++) {
                ShiftParms shift = grid.shift(rank, each, steps);
                assertThat(shift.rank_dest).isEqualTo(moved(grid, rank, each, steps));
                assertThat(shift.getRankSource()).isEqualTo(moved(grid, rank, each, -steps));
                assertThat(grid.neighbours(rank)[2 * each]).isEqualTo(moved(grid, rank, each, -1));
                assertThat(grid.neighbours(rank)[2 * each + 1]).isEqualTo(moved(grid, rank, each, 1));
            }
            assertThat(grid.neighbours(rank)).hasSize(2 * grid.dims().length);
        }
    }

    private static int moved(Grid grid, int rank, int dimension, int steps) {
        int[] coords = grid.coords(rank);
        coords[dimension] += steps;
        int length = grid.dims()[dimension];
        if (coords[dimension] >= 0 && coords[dimension] < length || grid.periods()[dimension]) {
            coords[dimension] = ((coords[dimension] % length) + length) % length;
            return grid.rank(coords);
        }
        return MPI.PROC_NULL;
    }

    @Test
    void goesRoundARingAnyNumberOfTimes() {
        Grid ring = new Grid(new int[] {5}, new boolean[] {true});
        assertThat(ring.rank(new int[] {-1})).isEqualTo(4);
        assertThat(ring.rank(new int[] {Integer.MIN_VALUE})).isEqualTo(2);
        assertThat(ring.shift(3, 0, Integer.MAX_VALUE).rank_dest).isEqualTo(0);
        assertThat(ring.shift(3, 0, Integer.MIN_VALUE).rank_source).isEqualTo(1);
    }

    @Test
    void subgridRanksShareCoordinatesOfDroppedDimensions() {
        Random random = new Random(3);
        for (int round = 0; round < 300; round++) {
            Grid grid = random(random);
            boolean[] remain = new boolean[grid.dims().length];
            for (int each = 0; each < remain.length; each++) {
                remain[each] = random.nextBoolean();
            }
            Grid sub = grid.sub(remain);
            for (int rank = 0; rank < grid.nodes(); rank++) {
                int[] coords = grid.coords(rank);
                int[] kept = sub.coords(grid.rankInPart(rank, remain));
                int next = 0;
                int[] firstOfPart = coords.clone();
                for (int each = 0; each < remain.length; each++) {
                    if (remain[each]) {
                        assertThat(kept[next]).isEqualTo(coords[each]);
                        assertThat(sub.dims()[next]).isEqualTo(grid.dims()[each]);
                        assertThat(sub.periods()[next++]).isEqualTo(grid.periods()[each]);
                        firstOfPart[each] = 0;
                    }
                }
                assertThat(grid.partOf(rank, remain)).isEqualTo(grid.partOf(grid.rank(firstOfPart), remain));
            }
            long parts = IntStream.range(0, grid.nodes()).map(r -> grid.partOf(r, remain)).distinct().count();
            assertThat(parts * sub.nodes()).isEqualTo(grid.nodes());
        }
    }

    static Stream<Arguments> wrongGrids() {
        Grid grid = new Grid(new int[] {2, 3}, new boolean[] {false, true});
        return Stream.of(
                wrong(MPI.ERR_ARG, "there are no dimensions", () -> new Grid(null, new boolean[0])),
                wrong(MPI.ERR_ARG, "2 dimensions and 1 periods", () -> new Grid(new int[2], new boolean[1])),
                wrong(MPI.ERR_DIMS, "dimensions are [2, 0]", () -> new Grid(new int[] {2, 0}, new boolean[2])),
                wrong(MPI.ERR_DIMS, "range of int",
                        () -> new Grid(new int[] {65_536, 65_536, 65_536, 65_536}, new boolean[4])),
                wrong(MPI.ERR_ARG, "coordinate 0 is 2, expected 0 to 1", () -> grid.rank(new int[] {2, 0})),
                wrong(MPI.ERR_ARG, "1 coordinates, expected 2", () -> grid.rank(new int[1])),
                wrong(MPI.ERR_RANK, "rank is 6, expected 0 to 5", () -> grid.coords(6)),
                wrong(MPI.ERR_RANK, "rank is -1", () -> grid.coords(-1)),
                wrong(MPI.ERR_DIMS, "direction is 2, expected 0 to 1", () -> grid.shift(0, 2, 1)),
                wrong(MPI.ERR_DIMS, "direction is -1", () -> grid.shift(0, -1, 1)),
                wrong(MPI.ERR_DIMS, "expected 2", () -> grid.sub(new boolean[1])),
                wrong(MPI.ERR_DIMS, "no dimensions to choose", () -> grid.sub(null)),
                wrong(MPI.ERR_ARG, "index is null", () -> new Graph(null, new int[0])),
                wrong(MPI.ERR_ARG, "one node at least", () -> new Graph(new int[0], new int[0])),
                wrong(MPI.ERR_ARG, "ascending", () -> new Graph(new int[] {2, 1}, new int[2])),
                wrong(MPI.ERR_ARG, "up to the 2 edges", () -> new Graph(new int[] {1, 3}, new int[2])),
                wrong(MPI.ERR_ARG, "leads to 2, expected 0 to 1", () -> new Graph(new int[] {1, 2}, new int[] {1, 2})),
                wrong(MPI.ERR_RANK, "rank is 1, expected 0 to 0",
                        () -> new Graph(new int[1], new int[0]).neighbours(1)),
                wrong(MPI.ERR_ARG, "leads to -1", () -> new Graph(new int[] {1}, new int[] {-1})));
    }

    private static Arguments wrong(int errorClass, String message, ThrowingCallable call) {
        return Arguments.of(errorClass, message, call);
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("wrongGrids")
    void refusesInvalidGridsAndGraphs(int errorClass, String message, ThrowingCallable call) {
        requireError(errorClass, message, call);
    }

    @Test
    void listsTheNeighboursOfAGraphsNodes() {
        // The example of MPI-1.1, 6.5.3, with an edge that is named twice and a node without any.
        Graph graph = new Graph(new int[] {2, 3, 4, 7, 7}, new int[] {1, 3, 0, 3, 0, 2, 2, 99});
        int[][] expected = {{1, 3}, {0}, {3}, {0, 2, 2}, {}};
        for (int node = 0; node < graph.nodes(); node++) {
            assertThat(graph.neighbours(node)).containsExactly(expected[node]);
        }
        GraphParms parms = graph.parms();
        assertThat(parms.getIndexCount()).isEqualTo(5);
        assertThat(parms.getIndex(3)).isEqualTo(7);
        assertThat(parms.getEdgeCount()).isEqualTo(7);
        assertThat(parms.getEdge(1)).isEqualTo(3);
    }
}
