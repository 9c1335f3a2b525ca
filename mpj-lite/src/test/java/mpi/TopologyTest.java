package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/** Communicators with a topology, in both spellings: who is where, who is left over, and that messages go there. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TopologyTest {
    private static final int[] TWO_BY_THREE = {2, 3};
    private static final boolean[] OPEN_AND_RING = {false, true};

    // ---- grids

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 6, 8})
    void everyOneHasAPlaceOnAGridOfAll(int size) {
        Ranks.run(size, (world, rank) -> {
            int[] dims = new int[2];
            Cartcomm.Dims_create(size, dims);
            int[] again = new int[2];
            CartComm.createDims(size, again);
            assertThat(again).containsExactly(dims);
            Cartcomm cart = world.Create_cart(dims, OPEN_AND_RING, false);
            int[] place = {rank / dims[1], rank % dims[1]};
            assertThat(cart.Size()).isEqualTo(size);
            assertThat(cart.Rank()).isEqualTo(rank);
            assertThat(cart.Topo_test()).isEqualTo(MPI.CART);
            assertThat(cart.Coords(rank)).containsExactly(place);
            assertThat(cart.Rank(place)).isEqualTo(rank);
            CartParms parms = cart.Get();
            assertThat(parms.dims).containsExactly(dims);
            assertThat(parms.periods).containsExactly(OPEN_AND_RING);
            assertThat(parms.coords).containsExactly(place);
            assertThat(world.Topo_test()).isEqualTo(MPI.UNDEFINED);
        });
    }

    @Test
    void answersInOpenMpisSpelling() {
        Ranks.run(6, (world, rank) -> {
            CartComm cart = world.createCart(TWO_BY_THREE, OPEN_AND_RING, false);
            CartParms parms = cart.getTopo();
            assertThat(parms.getDimCount()).isEqualTo(2);
            assertThat(parms.getDim(1)).isEqualTo(3);
            assertThat(parms.getPeriod(1)).isTrue();
            assertThat(parms.getCoord(0)).isEqualTo(rank / 3);
            assertThat(cart.getCoords(4)).containsExactly(1, 1);
            assertThat(cart.getRank(new int[] {1, -1})).isEqualTo(5);
            assertThat(cart.getRank()).isEqualTo(rank);
            assertThat(cart.getTopology()).isEqualTo(MPI.CART);
            ShiftParms down = cart.shift(0, 1);
            assertThat(down.getRankSource()).isEqualTo(rank < 3 ? MPI.PROC_NULL : rank - 3);
            assertThat(down.getRankDest()).isEqualTo(rank < 3 ? rank + 3 : MPI.PROC_NULL);
            assertThat(cart.map(TWO_BY_THREE, OPEN_AND_RING)).isEqualTo(rank);
            assertThat(cart.sources("test")).containsExactly(
                    rank < 3 ? MPI.PROC_NULL : rank - 3, rank < 3 ? rank + 3 : MPI.PROC_NULL,
                    rank / 3 * 3 + (rank + 2) % 3, rank / 3 * 3 + (rank + 1) % 3);
            assertThat(cart.destinations("test")).containsExactly(cart.sources("test"));
        });
    }

    @Test
    void shiftsMessagesThroughTheGrid() {
        Ranks.run(6, (world, rank) -> {
            Cartcomm cart = world.Create_cart(TWO_BY_THREE, OPEN_AND_RING, false);
            for (int direction = 0; direction < 2; direction++) {
                ShiftParms shift = cart.Shift(direction, 1);
                int[] came = {-7};
                cart.Sendrecv(
                        new int[] {rank}, 0, 1, MPI.INT, shift.rank_dest, 0, came, 0, 1, MPI.INT, shift.rank_source, 0);
                assertThat(came[0]).isEqualTo(shift.rank_source == MPI.PROC_NULL ? -7 : shift.rank_source);
            }
        });
    }

    @Test
    void surplusProcessesGetNothing() {
        Ranks.run(7, (world, rank) -> {
            Cartcomm mpj = world.Create_cart(TWO_BY_THREE, OPEN_AND_RING, false);
            CartComm open = world.createCart(TWO_BY_THREE, OPEN_AND_RING, false);
            Graphcomm graph = world.Create_graph(new int[] {1, 2}, new int[] {1, 0}, false);
            GraphComm openGraph = world.createGraph(new int[] {1, 2}, new int[] {1, 0}, false);
            assertThat(mpj == null).isEqualTo(rank == 6);
            assertThat(open.isNull()).isEqualTo(rank == 6);
            assertThat(graph == null).isEqualTo(rank >= 2);
            assertThat(openGraph.isNull()).isEqualTo(rank >= 2);
            if (rank == 6) {
                requireError(MPI.ERR_COMM, "getTopo", open::getTopo);
                requireError(MPI.ERR_COMM, "Sub", () -> open.Sub(new boolean[2]));
                requireError(MPI.ERR_COMM, "getDims", openGraph::getDims);
                requireError(MPI.ERR_COMM, "getDistGraphNeighbors", openGraph::getDistGraphNeighbors);
                requireError(MPI.ERR_COMM, "test", () -> openGraph.sources("test"));
            } else {
                assertThat(sum(mpj, rank)).isEqualTo(15);
                assertThat(sum(open, 1)).isEqualTo(6);
            }
        });
    }

    /** Over all processes of a communicator: it works only if they agree about who is in it. */
    private static int sum(Intracomm comm, int mine) {
        int[] all = new int[1];
        comm.Allreduce(new int[] {mine}, 0, all, 0, 1, MPI.INT, MPI.SUM);
        return all[0];
    }

    @Test
    void cutsAGridIntoParts() {
        Ranks.run(12, (world, rank) -> {
            CartComm cube = world.createCart(new int[] {2, 3, 2}, new boolean[] {true, false, true}, false);
            int[] at = cube.getCoords(rank);
            CartComm plane = cube.sub(new boolean[] {true, false, true});
            assertThat(plane.getTopo().dims).containsExactly(2, 2);
            assertThat(plane.getTopo().periods).containsExactly(true, true);
            assertThat(plane.getTopo().coords).containsExactly(at[0], at[2]);
            assertThat(plane.getRank()).isEqualTo(2 * at[0] + at[2]);
            assertThat(sum(plane, at[1])).isEqualTo(4 * at[1]);
            Cartcomm line = cube.Sub(new boolean[] {false, true, false});
            assertThat(line.Size()).isEqualTo(3);
            assertThat(line.Rank()).isEqualTo(at[1]);
            assertThat(sum(line, rank)).isEqualTo(3 * (6 * at[0] + at[2]) + 2 * (0 + 1 + 2));
            Cartcomm alone = cube.Sub(new boolean[3]);
            assertThat(alone.Size()).isEqualTo(1);
            assertThat(alone.Coords(0)).isEmpty();
            assertThat(alone.Rank(new int[0])).isZero();
            Cartcomm point = plane.Sub(new boolean[] {false, true}).Sub(new boolean[] {true});
            assertThat(point.Get().dims).containsExactly(2);
        });
    }

    @Test
    void periodsBeyondTheDimensionsAreIgnored() {
        Ranks.run(3, (world, rank) -> {
            Cartcomm ring = world.Create_cart(new int[] {3}, new boolean[] {true, false, true}, false);
            assertThat(ring.Get().periods).containsExactly(true);
            assertThat(ring.Shift(0, 1).rank_dest).isEqualTo((rank + 1) % 3);
            CartComm row = world.createCart(new int[] {3}, new boolean[] {false, true}, false);
            assertThat(row.getTopo().getPeriod(0)).isFalse();
            assertThat(row.map(new int[] {3}, new boolean[5])).isEqualTo(rank);
        });
    }

    @Test
    void duplicatesPreserveCartesianTopology() {
        Ranks.run(6, (world, rank) -> {
            CartComm cart = world.createCart(TWO_BY_THREE, OPEN_AND_RING, false);
            Cartcomm mpj = world.Create_cart(TWO_BY_THREE, OPEN_AND_RING, false);
            for (Cartcomm copy : List.of(
                    cart.dup(), cart.clone(), mpj.Dup(), mpj.dup(), mpj.clone())) {
                assertThat(copy.Coords(5)).containsExactly(1, 2);
                assertThat(Comm.Compare(copy, cart)).isEqualTo(MPI.CONGRUENT);
                assertThat(sum(copy, 1)).isEqualTo(6);
            }
            CartComm none = world.createCart(new int[0], new boolean[0], false);
            assertThat(none.isNull()).isEqualTo(rank != 0);
        });
    }

    @Test
    void reorderingPutsTheRanksOfASiteSideBySide() {
        int[] sites = {4, 7, 4, 7, 4, 7};
        int[] expected = {0, 2, 4, 1, 3, 5};
        Ranks.run(new LocalWorld(6).sites(sites), 6, (world, rank) -> {
            CartComm cart = world.createCart(TWO_BY_THREE, OPEN_AND_RING, true);
            int[] members = Group.translateRanks(
                    cart.getGroup(), IntStream.range(0, 6).toArray(), world.getGroup());
            assertThat(members).containsExactly(expected);
            assertThat(cart.getRank()).isEqualTo(world.createCart(TWO_BY_THREE, OPEN_AND_RING, false)
                    .map(TWO_BY_THREE, OPEN_AND_RING));
            CartComm row = cart.sub(new boolean[] {false, true});
            assertThat(sum(row, sites[rank])).isEqualTo(3 * sites[rank]);
            Cartcomm four = world.Create_cart(new int[] {4}, new boolean[1], true);
            assertThat(four == null).isEqualTo(rank == 3 || rank == 5);
            assertThat(cart.Map(new int[] {4}, new boolean[1]))
                    .isEqualTo(cart.Rank() == 3 + 1 || cart.Rank() == 3 + 2 ? MPI.UNDEFINED : cart.Rank());
        });
    }

    // ---- graphs

    @Test
    void graphNodesReportTheirNeighbours() {
        // The example of MPI-1.1, 6.5.3.
        int[] index = {2, 3, 4, 6};
        int[] edges = {1, 3, 0, 3, 0, 2};
        int[][] neighbours = {{1, 3}, {0}, {3}, {0, 2}};
        Ranks.run(5, (world, rank) -> {
            Graphcomm mpj = world.Create_graph(index, edges, true);
            GraphComm graph = world.createGraph(index, edges, false);
            if (rank == 4) {
                assertThat(mpj).isNull();
                return;
            }
            assertThat(mpj.Topo_test()).isEqualTo(MPI.GRAPH);
            assertThat(mpj.Get().index).containsExactly(index);
            assertThat(graph.getDims().edges).containsExactly(edges);
            for (int node = 0; node < 4; node++) {
                assertThat(mpj.Neighbours(node)).containsExactly(neighbours[node]);
                assertThat(graph.getNeighbors(node)).containsExactly(neighbours[node]);
            }
            assertThat(graph.sources("test")).containsExactly(neighbours[rank]);
            assertThat(graph.destinations("test")).containsExactly(neighbours[rank]);
            assertThat(graph.map(new int[] {0, 0}, new int[0])).isEqualTo(rank < 2 ? rank : MPI.UNDEFINED);
            assertThat(mpj.Map(index, edges)).isEqualTo(rank);
            assertThat(sum(mpj, rank)).isEqualTo(6);
            for (Graphcomm copy : List.of(mpj.Dup(), mpj.dup(), mpj.clone(), graph.dup(), graph.clone())) {
                assertThat(copy.Neighbours(rank)).containsExactly(neighbours[rank]);
            }
            requireError(MPI.ERR_TOPOLOGY, "expected a distributed one", graph::getDistGraphNeighbors);
        });
    }

    /** Edges of a random graph on {@code size} nodes as rows of source, destination and weight. */
    private static List<int[]> draw(int size, Random random) {
        List<int[]> edges = new ArrayList<>();
        for (int each = 0; each < 3 * size; each++) {
            edges.add(new int[] {random.nextInt(size), random.nextInt(size), random.nextInt(10)});
        }
        return edges;
    }

    private static int[] column(List<int[]> rows, int where, int rank, int what) {
        return rows.stream().filter(row -> row[where] == rank).mapToInt(row -> row[what]).toArray();
    }

    private static void requireEdges(GraphComm graph, List<int[]> edges, int rank, boolean weighted) {
        DistGraphNeighbors mine = graph.getDistGraphNeighbors();
        int[] sources = column(edges, 1, rank, 0);
        int[] destinations = column(edges, 0, rank, 1);
        int[] in = column(edges, 1, rank, 2);
        int[] out = column(edges, 0, rank, 2);
        assertThat(mine.isWeighted()).isEqualTo(weighted);
        assertThat(mine.getInDegree()).isEqualTo(sources.length);
        assertThat(mine.getOutDegree()).isEqualTo(destinations.length);
        for (int each = 0; each < sources.length; each++) {
            assertThat(mine.getSource(each)).isEqualTo(sources[each]);
            assertThat(mine.getSourceWeight(each)).isEqualTo(weighted ? in[each] : 1);
        }
        for (int each = 0; each < destinations.length; each++) {
            assertThat(mine.getDestination(each)).isEqualTo(destinations[each]);
            assertThat(mine.getDestinationWeight(each)).isEqualTo(weighted ? out[each] : 1);
        }
        assertThat(graph.sources("test")).containsExactly(sources);
        assertThat(graph.destinations("test")).containsExactly(destinations);
        assertThat(graph.getTopology()).isEqualTo(MPI.DIST_GRAPH);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void processesAddEdgesToAGraphOfAll(int size) {
        List<int[]> edges = draw(size, new Random(size));
        Ranks.run(size, (world, rank) -> {
            // Edge e comes from process e * size / edges: in the order of all. Process 0 names each source once.
            List<int[]> mine = new ArrayList<>();
            for (int each = 0; each < edges.size(); each++) {
                if (each * size / edges.size() == rank) {
                    mine.add(edges.get(each));
                }
            }
            int[] sources = mine.stream().mapToInt(row -> row[0]).toArray();
            int[] ones = new int[sources.length];
            Arrays.fill(ones, 1);
            int[] ends = mine.stream().mapToInt(row -> row[1]).toArray();
            int[] weights = mine.stream().mapToInt(row -> row[2]).toArray();
            GraphComm graph = world.createDistGraph(sources, ones, ends, weights, MPI.INFO_NULL, true);
            requireEdges(graph, edges, rank, true);
            requireEdges(world.createDistGraph(sources, ones, ends, MPI.INFO_NULL, false), edges, rank, false);
            requireEdges(graph.dup(), edges, rank, true);
            assertThat(sum(graph, 1)).isEqualTo(size);
            requireError(MPI.ERR_TOPOLOGY, "expected one that all know", graph::getDims);
            requireError(MPI.ERR_TOPOLOGY, "getNeighbors at rank", () -> graph.getNeighbors(0));
        });
    }

    @Test
    void oneProcessMayGiveAllEdges() {
        List<int[]> edges = List.of(new int[] {0, 1, 5}, new int[] {0, 2, 6}, new int[] {2, 2, 7}, new int[] {2, 0, 8});
        Ranks.run(3, (world, rank) -> {
            int[] none = new int[0];
            GraphComm graph = rank == 1
                    ? world.createDistGraph(
                            new int[] {0, 1, 2}, new int[] {2, 0, 2}, new int[] {1, 2, 2, 0}, new int[] {5, 6, 7, 8}, null,
                            false)
                    : world.createDistGraph(none, none, none, none, null, false);
            requireEdges(graph, edges, rank, true);
        });
    }

    @Test
    void processesGiveTheirOwnEdges() {
        List<int[]> edges = draw(4, new Random(44));
        Ranks.run(4, (world, rank) -> {
            int[] sources = column(edges, 1, rank, 0);
            int[] destinations = column(edges, 0, rank, 1);
            GraphComm graph = world.createDistGraphAdjacent(
                    sources, column(edges, 1, rank, 2), destinations, column(edges, 0, rank, 2), null, false);
            requireEdges(graph, edges, rank, true);
            requireEdges(world.createDistGraphAdjacent(sources, destinations, null, true), edges, rank, false);
        });
    }

    // ---- wrong arguments

    private interface Call {
        void on(Intracomm world, CartComm cart, GraphComm graph) throws Exception;
    }

    static Stream<Arguments> wrongCalls() {
        int[] one = {1};
        int[] zero = {0};
        return Stream.of(
                wrong(MPI.ERR_ARG, "Create_cart", "the grid has 6 nodes, expected at most the 1 processes",
                        (w, c, g) -> w.Create_cart(TWO_BY_THREE, OPEN_AND_RING, false)),
                wrong(MPI.ERR_ARG, "createCart", "2 dimensions and 1 periods",
                        (w, c, g) -> w.createCart(TWO_BY_THREE, new boolean[1], false)),
                wrong(MPI.ERR_DIMS, "createCart", "[0]", (w, c, g) -> w.createCart(zero, new boolean[1], true)),
                wrong(MPI.ERR_ARG, "Map", "the grid has 6 nodes", (w, c, g) -> c.Map(TWO_BY_THREE, OPEN_AND_RING)),
                wrong(MPI.ERR_ARG, "map", "there are no dimensions", (w, c, g) -> c.map(null, null)),
                wrong(MPI.ERR_RANK, "Coords", "rank is 1, expected 0 to 0", (w, c, g) -> c.Coords(1)),
                wrong(MPI.ERR_RANK, "getCoords", "rank is -3", (w, c, g) -> c.getCoords(-3)),
                wrong(MPI.ERR_ARG, "Rank", "coordinate 0 is 1", (w, c, g) -> c.Rank(one)),
                wrong(MPI.ERR_ARG, "getRank", "no coordinates", (w, c, g) -> c.getRank(null)),
                wrong(MPI.ERR_DIMS, "Shift", "direction is 1, expected 0 to 0", (w, c, g) -> c.Shift(1, 1)),
                wrong(MPI.ERR_DIMS, "shift", "direction is -1", (w, c, g) -> c.shift(-1, 1)),
                wrong(MPI.ERR_DIMS, "Sub", "0 dimensions to choose from, expected 1",
                        (w, c, g) -> c.Sub(new boolean[0])),
                wrong(MPI.ERR_DIMS, "sub", "no dimensions", (w, c, g) -> c.sub(null)),
                wrong(MPI.ERR_ARG, "Create_graph", "the graph has 2 nodes",
                        (w, c, g) -> w.Create_graph(new int[2], zero, false)),
                wrong(MPI.ERR_ARG, "createGraph", "leads to 1", (w, c, g) -> w.createGraph(one, one, false)),
                wrong(MPI.ERR_ARG, "Map", "leads to 1", (w, c, g) -> g.Map(one, one)),
                wrong(MPI.ERR_ARG, "map", "the graph has 2 nodes", (w, c, g) -> g.map(new int[2], zero)),
                wrong(MPI.ERR_RANK, "Neighbours", "rank is 1, expected 0 to 0", (w, c, g) -> g.Neighbours(1)),
                wrong(MPI.ERR_RANK, "getNeighbors", "rank is -1", (w, c, g) -> g.getNeighbors(-1)),
                wrong(MPI.ERR_RANK, "createDistGraph", "one of the sources is 1, expected 0 to 0",
                        (w, c, g) -> w.createDistGraph(one, one, zero, null, false)),
                wrong(MPI.ERR_RANK, "createDistGraph", "one of the destinations is 1",
                        (w, c, g) -> w.createDistGraph(zero, one, one, null, false)),
                wrong(MPI.ERR_ARG, "createDistGraph", "degrees are []",
                        (w, c, g) -> w.createDistGraph(zero, new int[0], zero, null, false)),
                wrong(MPI.ERR_ARG, "createDistGraph", "degrees are [-1]",
                        (w, c, g) -> w.createDistGraph(zero, new int[] {-1}, zero, null, false)),
                wrong(MPI.ERR_ARG, "createDistGraph", "1 destinations, expected the sum of the degrees, 2",
                        (w, c, g) -> w.createDistGraph(zero, new int[] {2}, zero, null, false)),
                wrong(MPI.ERR_ARG, "createDistGraph", "the weights are null",
                        (w, c, g) -> w.createDistGraph(zero, one, zero, null, null, false)),
                wrong(MPI.ERR_ARG, "createDistGraph", "the weights are [-2], expected 1 of 0 or more",
                        (w, c, g) -> w.createDistGraph(zero, one, zero, new int[] {-2}, null, false)),
                wrong(MPI.ERR_ARG, "createDistGraphAdjacent", "the sources are null",
                        (w, c, g) -> w.createDistGraphAdjacent(null, zero, null, false)),
                wrong(MPI.ERR_ARG, "createDistGraphAdjacent", "the weights are []",
                        (w, c, g) -> w.createDistGraphAdjacent(zero, new int[0], zero, one, null, false)),
                wrong(MPI.ERR_TOPOLOGY, "test", "no topology", (w, c, g) -> w.sources("test")),
                wrong(MPI.ERR_TOPOLOGY, "test", "no topology", (w, c, g) -> w.destinations("test")));
    }

    private static Arguments wrong(int errorClass, String call, String message, Call wrongCall) {
        return Arguments.of(errorClass, call, message, wrongCall);
    }

    @ParameterizedTest(name = "{1}: {2}")
    @MethodSource("wrongCalls")
    void refusesWrongArguments(int errorClass, String call, String message, Call wrongCall) {
        Ranks.run(1, (world, rank) -> {
            CartComm cart = world.createCart(new int[] {1}, new boolean[1], false);
            GraphComm graph = world.createGraph(new int[] {0}, new int[0], false);
            requireError(errorClass, message, () -> wrongCall.on(world, cart, graph));
            assertThatThrownBy(() -> wrongCall.on(world, cart, graph)).hasMessageStartingWith(call + " at rank 0 of 1");
        });
    }

    @Test
    void refusesDimensionsWithoutACommunicator() {
        requireError(MPI.ERR_DIMS, "Dims_create: 5 processes", () -> Cartcomm.Dims_create(5, new int[] {2, 0}));
        requireError(MPI.ERR_DIMS, "createDims: 5 processes", () -> CartComm.createDims(5, new int[] {2, 0}));
    }

    @Test
    void refusesAFreedCommunicator() {
        Ranks.run(1, (world, rank) -> {
            CartComm cart = world.createCart(new int[] {1}, new boolean[1], false);
            GraphComm graph = world.createGraph(new int[] {0}, new int[0], false);
            cart.Free();
            graph.free();
            requireError(MPI.ERR_COMM, "Get at rank", cart::Get);
            requireError(MPI.ERR_COMM, "Shift at rank", () -> cart.Shift(0, 1));
            requireError(MPI.ERR_COMM, "Map at rank", () -> cart.Map(new int[1], new boolean[1]));
            requireError(MPI.ERR_COMM, "Topo_test at rank", cart::Topo_test);
            requireError(MPI.ERR_COMM, "Neighbours at rank", () -> graph.Neighbours(0));
            requireError(MPI.ERR_COMM, "getDistGraphNeighbors at rank", graph::getDistGraphNeighbors);
        });
    }

    private static void requireError(
            int errorClass, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(errorClass))
                .hasMessageContaining(message);
    }
}
