package org.posthouse.conformance;

import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.CartComm;
import mpi.CartParms;
import mpi.Cartcomm;
import mpi.Comm;
import mpi.DistGraphNeighbors;
import mpi.GraphComm;
import mpi.GraphParms;
import mpi.Graphcomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.ShiftParms;

/** Grids and graphs of processes, in both spellings. */
final class Topologies {
    private static final int TAG = 20;

    private Topologies() {}

    // ---- grids

    static void dimensions(Intracomm world) {
        int[] two = {0, 0};
        Cartcomm.Dims_create(12, two);
        Check.equal("12 in two dimensions", two, new int[] {4, 3});
        int[] kept = {0, 2};
        Cartcomm.Dims_create(12, kept);
        Check.equal("12 with 2 kept", kept, new int[] {6, 2});
        int[] three = {0, 0, 0};
        CartComm.createDims(8, three);
        Check.equal("8 in three dimensions", three, new int[] {2, 2, 2});
        Check.error(MPI.ERR_DIMS, "Dims_create", () -> Cartcomm.Dims_create(12, new int[] {0, 5}));
    }

    /** Two rows as long as can be, the rows closed to rings; one row for an odd number of ranks. */
    private static int[] shape(Intracomm world) {
        return world.Size() % 2 == 0 ? new int[] {2, world.Size() / 2} : new int[] {1, world.Size()};
    }

    private static final boolean[] PERIODS = {false, true};

    static void places(Intracomm world) {
        int[] dims = shape(world);
        Cartcomm grid = world.Create_cart(dims, PERIODS, false);
        int rank = world.Rank();
        int[] place = {rank / dims[1], rank % dims[1]};
        Check.equal("rank", grid.Rank(), rank);
        Check.equal("topology", grid.Topo_test(), MPI.CART);
        CartParms parms = grid.Get();
        Check.equal("dimensions", parms.dims, dims);
        Check.equal("periods", parms.periods, PERIODS);
        Check.equal("own place", parms.coords, place);
        Check.equal("place of a rank", grid.Coords(rank), place);
        Check.equal("rank at a place", grid.Rank(place), rank);
        Check.equal("rank round the ring", grid.Rank(new int[] {place[0], place[1] - dims[1]}), rank);
        grid.Free();
    }

    static void placesInOpenMpisSpelling(Intracomm world) {
        int[] dims = shape(world);
        CartComm grid = world.createCart(dims, PERIODS, false);
        int rank = world.Rank();
        int[] place = {rank / dims[1], rank % dims[1]};
        CartParms parms = grid.getTopo();
        Check.equal("number of dimensions", parms.getDimCount(), 2);
        for (int i = 0; i < 2; i++) {
            Check.equal("dimension", parms.getDim(i), dims[i]);
            Check.equal("period", parms.getPeriod(i), PERIODS[i]);
            Check.equal("own place", parms.getCoord(i), place[i]);
        }
        Check.equal("place of a rank", grid.getCoords(rank), place);
        Check.equal("rank at a place", grid.getRank(place), rank);
        Check.equal("topology", grid.getTopology(), MPI.CART);
        grid.free();
    }

    static void shifts(Intracomm world) {
        int[] dims = shape(world);
        Cartcomm grid = world.Create_cart(dims, PERIODS, false);
        int rank = world.Rank();
        int row = rank / dims[1];
        int column = rank % dims[1];
        ShiftParms along = grid.Shift(1, 1);
        Check.equal("to the right", along.rank_dest, row * dims[1] + (column + 1) % dims[1]);
        Check.equal("from the left", along.rank_source, row * dims[1] + (column + dims[1] - 1) % dims[1]);
        ShiftParms down = grid.Shift(0, 1);
        Check.equal("down", down.rank_dest, row + 1 < dims[0] ? rank + dims[1] : MPI.PROC_NULL);
        Check.equal("from above", down.rank_source, row > 0 ? rank - dims[1] : MPI.PROC_NULL);
        int[] in = {-1};
        grid.Sendrecv(new int[] {rank}, 0, 1, MPI.INT, down.rank_dest, TAG, in, 0, 1, MPI.INT, down.rank_source, TAG);
        Check.equal("received from above", in[0], row > 0 ? rank - dims[1] : -1);
        grid.Free();
    }

    static void shiftsInOpenMpisSpelling(Intracomm world) {
        CartComm ring = world.createCart(new int[] {world.Size()}, new boolean[] {true}, false);
        ShiftParms back = ring.shift(0, -1);
        Check.equal("destination", back.getRankDest(), Ring.of(world).left());
        Check.equal("source", back.getRankSource(), Ring.of(world).right());
        ring.Free();
    }

    static void rowsAndColumns(Intracomm world) {
        int[] dims = shape(world);
        CartComm grid = world.createCart(dims, PERIODS, false);
        Cartcomm row = grid.Sub(new boolean[] {false, true});
        Check.equal("size of a row", row.Size(), dims[1]);
        Check.equal("rank in the row", row.Rank(), world.Rank() % dims[1]);
        Check.equal("dimensions of a row", row.Get().dims, new int[] {dims[1]});
        Check.equal("periods of a row", row.Get().periods, new boolean[] {true});
        CartComm column = grid.sub(new boolean[] {true, false});
        int[] rows = new int[dims[0]];
        column.Allgather(new int[] {world.Rank()}, 0, 1, MPI.INT, rows, 0, 1, MPI.INT);
        int first = world.Rank() % dims[1];
        Check.equal("ranks of a column", rows, IntStream.range(0, dims[0]).map(i -> first + i * dims[1]).toArray());
        column.Free();
        row.Free();
        grid.Free();
    }

    static void surplusRanksHaveNoPlace(Intracomm world) {
        boolean member = world.Rank() < Math.max(1, world.Size() - 1);
        int[] dims = {Math.max(1, world.Size() - 1)};
        Cartcomm grid = world.Create_cart(dims, new boolean[1], true);
        Check.equal("whether there is one", grid != null, member || world.Size() == 1);
        CartComm other = world.createCart(dims, new boolean[1], false);
        Check.equal("whether it is null", other.isNull(), !member);
        if (grid != null) {
            grid.Free();
            other.Free();
        }
        Check.error(world, MPI.ERR_ARG, "Create_cart", () -> world.Create_cart(new int[] {world.Size() + 1}, new boolean[1], false));
    }

    /** A mapping gives every rank one place. */
    static void mappedPlaces(Intracomm world) {
        int[] dims = shape(world);
        CartComm grid = world.createCart(dims, PERIODS, false);
        int[] places = new int[world.Size()];
        grid.Allgather(new int[] {grid.Map(dims, PERIODS)}, 0, 1, MPI.INT, places, 0, 1, MPI.INT);
        Check.equal("the same in the other spelling", grid.map(dims, PERIODS), places[world.Rank()]);
        Arrays.sort(places);
        Check.equal("places", places, IntStream.range(0, world.Size()).toArray());
        grid.Free();
    }

    static void copiesOfAGrid(Intracomm world) {
        CartComm grid = world.createCart(shape(world), PERIODS, false);
        Cartcomm plain = grid;
        Cartcomm[] later = {plain.iDup(), grid.iDup()};
        Request.waitAll(new Request[] {later[0].getRequest(), later[1].getRequest()});
        for (Cartcomm copy : new Cartcomm[] {
            plain.Dup(), plain.dup(), plain.clone(), plain.dupWithInfo(MPI.INFO_NULL), grid.dup(), grid.clone(),
            grid.dupWithInfo(MPI.INFO_NULL), later[0], later[1]
        }) {
            Check.equal("a grid and its copy", Comm.Compare(grid, copy), MPI.CONGRUENT);
            Check.equal("dimensions", copy.Get().dims, shape(world));
            copy.Barrier();
            copy.Free();
        }
        grid.Free();
    }

    // ---- graphs

    /** Edges of a ring: each node to the one behind and the one in front. */
    private static int[] ringEdges(int size) {
        return IntStream.range(0, 2 * size)
                .map(i -> i % 2 == 0 ? (i / 2 + size - 1) % size : (i / 2 + 1) % size)
                .toArray();
    }

    private static int[] ringIndex(int size) {
        return IntStream.range(0, size).map(i -> 2 * i + 2).toArray();
    }

    static void graphs(Intracomm world) {
        int size = world.Size();
        Graphcomm graph = world.Create_graph(ringIndex(size), ringEdges(size), false);
        Check.equal("topology", graph.Topo_test(), MPI.GRAPH);
        GraphParms parms = graph.Get();
        Check.equal("index", parms.index, ringIndex(size));
        Check.equal("edges", parms.edges, ringEdges(size));
        Ring ring = Ring.of(graph);
        Check.equal("neighbours", graph.Neighbours(ring.rank()), new int[] {ring.left(), ring.right()});
        Check.equal("place", graph.Map(ringIndex(size), ringEdges(size)), ring.rank());
        graph.Free();
    }

    static void graphsInOpenMpisSpelling(Intracomm world) {
        int size = world.Size();
        GraphComm graph = world.createGraph(ringIndex(size), ringEdges(size), false);
        GraphParms parms = graph.getDims();
        Check.equal("nodes", parms.getIndexCount(), size);
        Check.equal("edges", parms.getEdgeCount(), 2 * size);
        Check.equal("index of the last", parms.getIndex(size - 1), 2 * size);
        Check.equal("last edge", parms.getEdge(2 * size - 1), 0);
        Ring ring = Ring.of(graph);
        Check.equal("neighbours", graph.getNeighbors(ring.rank()), new int[] {ring.left(), ring.right()});
        Check.equal("place", graph.map(ringIndex(size), ringEdges(size)), ring.rank());
        graph.free();
    }

    static void surplusRanksAreNoNodes(Intracomm world) {
        Graphcomm one = world.Create_graph(new int[] {0}, new int[0], false);
        GraphComm other = world.createGraph(new int[] {0}, new int[0], false);
        Check.equal("whether there is one", one != null, world.Rank() == 0);
        Check.equal("whether it is null", other.isNull(), world.Rank() != 0);
        if (one != null) {
            one.Free();
            other.Free();
        }
    }

    static void copiesOfAGraph(Intracomm world) {
        GraphComm graph = world.createGraph(ringIndex(world.Size()), ringEdges(world.Size()), false);
        Graphcomm plain = graph;
        Graphcomm[] later = {plain.iDup(), graph.iDup()};
        Request.waitAll(new Request[] {later[0].getRequest(), later[1].getRequest()});
        for (Graphcomm copy : new Graphcomm[] {
            plain.Dup(), plain.dup(), plain.clone(), plain.dupWithInfo(MPI.INFO_NULL), graph.dup(), graph.clone(),
            graph.dupWithInfo(MPI.INFO_NULL), later[0], later[1]
        }) {
            Check.equal("a graph and its copy", Comm.Compare(graph, copy), MPI.CONGRUENT);
            Check.equal("edges", copy.Get().edges, ringEdges(world.Size()));
            copy.Free();
        }
        graph.Free();
    }

    /** A ring in one direction. */
    private static void requireRing(Intracomm world, GraphComm graph, boolean weighted) {
        Ring ring = Ring.of(world);
        Check.equal("topology", graph.Topo_test(), MPI.DIST_GRAPH);
        DistGraphNeighbors edges = graph.getDistGraphNeighbors();
        Check.equal("edges that end here", edges.getInDegree(), 1);
        Check.equal("edges that begin here", edges.getOutDegree(), 1);
        Check.equal("source", edges.getSource(0), ring.left());
        Check.equal("destination", edges.getDestination(0), ring.right());
        Check.equal("whether weighted", edges.isWeighted(), weighted);
        Check.equal("weight of the source", edges.getSourceWeight(0), weighted ? ring.left() + 1 : 1);
        Check.equal("weight of the destination", edges.getDestinationWeight(0), weighted ? ring.rank() + 1 : 1);
        graph.Free();
    }

    static void distributedGraphs(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] own = {ring.rank()};
        int[] one = {1};
        int[] right = {ring.right()};
        int[] weights = {ring.rank() + 1};
        requireRing(world, world.createDistGraph(own, one, right, weights, MPI.INFO_NULL, false), true);
        requireRing(world, world.createDistGraph(own, one, right, MPI.INFO_NULL, false), false);
    }

    static void distributedGraphsOfOwnEdges(Intracomm world) {
        Ring ring = Ring.of(world);
        int[] left = {ring.left()};
        int[] right = {ring.right()};
        int[] in = {ring.left() + 1};
        int[] out = {ring.rank() + 1};
        requireRing(world, world.createDistGraphAdjacent(left, in, right, out, MPI.INFO_NULL, false), true);
        requireRing(world, world.createDistGraphAdjacent(left, right, MPI.INFO_NULL, false), false);
    }
}
