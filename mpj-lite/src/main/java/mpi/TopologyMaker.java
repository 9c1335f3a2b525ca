package mpi;

import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One call that gives processes a topology: all of the old communicator take part. For one use.
 *
 * <p>Reordering puts the ranks of a site side by side in a grid, whose rows then cross between sites as seldom as they
 * can; on one site it changes nothing. Graphs are never reordered.
 */
final class TopologyMaker {
    private final String call;
    private final Intracomm parent;

    TopologyMaker(String call, Intracomm parent) {
        this.call = call;
        this.parent = parent;
        parent.requireLive(call);
    }

    // ---- grids

    /** Null for processes that have no place. */
    CartComm cart(int[] dims, boolean[] periods, boolean reorder) {
        Grid grid = ask(() -> new Grid(dims, periods));
        requireRoom("grid", grid.nodes());
        int[] all = reorder ? inSiteOrder() : IntStream.range(0, parent.group.Size()).toArray();
        Part part = new Part(Arrays.copyOf(all, grid.nodes()));
        return part.group == null ? null : parent.heir(new CartComm(parent.self, part.group, part.id, name(), grid));
    }

    /** The rank that {@link #cart} would give the calling process. */
    int place(int[] dims, boolean[] periods) {
        Grid grid = ask(() -> new Grid(dims, periods));
        requireRoom("grid", grid.nodes());
        int[] all = inSiteOrder();
        int rank = parent.group.Rank();
        return IntStream.range(0, grid.nodes()).filter(each -> all[each] == rank).findFirst().orElse(MPI.UNDEFINED);
    }

    /** The old ranks, site by site in the order of their lowest ranks. The same at every rank. */
    private int[] inSiteOrder() {
        int size = parent.group.Size();
        int[] sites = IntStream.range(0, size)
                .map(rank -> parent.endpoint.siteOf(parent.group.worldRank(rank)))
                .toArray();
        return Arrays.stream(sites)
                .distinct()
                .flatMap(site -> IntStream.range(0, size).filter(rank -> sites[rank] == site))
                .toArray();
    }

    /** The part of a grid that the calling process is in. */
    CartComm sub(Grid grid, boolean[] remain) {
        Grid sub = ask(() -> grid.sub(remain));
        int mine = grid.partOf(parent.group.Rank(), remain);
        int[] members = new int[sub.nodes()];
        for (int rank = 0; rank < grid.nodes(); rank++) {
            if (grid.partOf(rank, remain) == mine) {
                members[grid.rankInPart(rank, remain)] = rank;
            }
        }
        Part part = new Part(members);
        return parent.heir(new CartComm(parent.self, part.group, part.id, name(), sub));
    }

    // ---- graphs

    /** Null for processes that are no nodes; a graph of none is for nobody, and nobody waits for anybody. */
    GraphComm graph(int[] index, int[] edges) {
        if (index != null && index.length == 0) {
            return null;
        }
        Graph graph = ask(() -> new Graph(index, edges));
        requireRoom("graph", graph.nodes());
        Part part = new Part(IntStream.range(0, graph.nodes()).toArray());
        return part.group == null ? null : parent.heir(new GraphComm(parent.self, part.group, part.id, name(), graph, null));
    }

    /** The rank that {@link #graph} would give the calling process. */
    int node(int[] index, int[] edges) {
        Graph graph = ask(() -> new Graph(index, edges));
        requireRoom("graph", graph.nodes());
        return parent.group.Rank() < graph.nodes() ? parent.group.Rank() : MPI.UNDEFINED;
    }

    /**
     * A distributed graph; each process gives its own edges.
     *
     * @param sourceWeights of the edges that end here; null if there are none, as is {@code destinationWeights} then
     */
    GraphComm adjacent(int[] sources, int[] sourceWeights, int[] destinations, int[] destinationWeights) {
        boolean weighted = sourceWeights != null && destinationWeights != null;
        DistGraphNeighbors edges = new DistGraphNeighbors(
                new DistGraphNeighbors.Edges(ranks("sources", sources), weights(sources, sourceWeights)),
                new DistGraphNeighbors.Edges(
                        ranks("destinations", destinations), weights(destinations, destinationWeights)),
                weighted);
        return distributed(edges);
    }

    /**
     * A distributed graph; each process gives some edges, of any processes.
     *
     * @param sources where edges begin
     * @param degrees how many edges begin at each source
     * @param destinations where these edges end, source by source
     * @param weights as many; null if there are none
     */
    GraphComm anywhere(int[] sources, int[] degrees, int[] destinations, int[] weights) {
        int[] given = triples(sources, degrees, destinations, weights);
        int[] counts = new int[parent.group.Size()];
        Collectives collectives = parent.collectives;
        collectives.allgather(call, new Elements(new int[] {given.length}, 0, 1, MPI.INT), RankBlocks.even(counts, 0, 1, MPI.INT)).run();
        int[] starts = new int[counts.length];
        for (int rank = 1; rank < starts.length; rank++) {
            starts[rank] = Math.addExact(starts[rank - 1], counts[rank - 1]);
        }
        int[] all = new int[starts[starts.length - 1] + counts[counts.length - 1]];
        collectives.allgather(call, new Elements(given, 0, given.length, MPI.INT), RankBlocks.at(all, 0, counts, starts, MPI.INT)).run();
        return distributed(new DistGraphNeighbors(side(all, 1, 0), side(all, 0, 1), weights != null));
    }

    /** Each edge as source, destination and weight. */
    private int[] triples(int[] sources, int[] degrees, int[] destinations, int[] weights) {
        ranks("sources", sources);
        int[] used = ranks("destinations", used(destinations, edges(sources, degrees)));
        int[] known = weights(used, weights);
        int[] triples = new int[3 * used.length];
        int next = 0;
        for (int source = 0; source < sources.length; source++) {
            for (int end = next + degrees[source]; next < end; next++) {
                triples[3 * next] = sources[source];
                triples[3 * next + 1] = used[next];
                triples[3 * next + 2] = known[next];
            }
        }
        return triples;
    }

    /** The sum of the sources' degrees. */
    private long edges(int[] sources, int[] degrees) {
        if (degrees == null || degrees.length < sources.length) {
            throw wrong("degrees are " + Arrays.toString(degrees) + ", expected one for each of " + sources.length
                    + " sources");
        }
        if (Arrays.stream(degrees, 0, sources.length).anyMatch(degree -> degree < 0)) {
            throw wrong("degrees are " + Arrays.toString(degrees) + ", expected 0 or more");
        }
        return Arrays.stream(degrees, 0, sources.length).asLongStream().sum();
    }

    /** As many of the destinations as there are edges. */
    private int[] used(int[] destinations, long edges) {
        if (destinations != null && destinations.length < edges) {
            throw wrong("there are " + destinations.length + " destinations, expected the sum of the degrees, " + edges);
        }
        return destinations == null ? null : Arrays.copyOf(destinations, (int) edges);
    }

    /** Of edges as triples, those that have the calling process at {@code here}, with who is at {@code there}. */
    private DistGraphNeighbors.Edges side(int[] triples, int here, int there) {
        int rank = parent.group.Rank();
        int[] mine = IntStream.range(0, triples.length / 3)
                .map(each -> 3 * each)
                .filter(at -> triples[at + here] == rank)
                .toArray();
        return new DistGraphNeighbors.Edges(
                Arrays.stream(mine).map(at -> triples[at + there]).toArray(),
                Arrays.stream(mine).map(at -> triples[at + 2]).toArray());
    }

    private GraphComm distributed(DistGraphNeighbors edges) {
        Part part = new Part(IntStream.range(0, parent.group.Size()).toArray());
        return parent.heir(new GraphComm(parent.self, part.group, part.id, name(), null, edges));
    }

    // ---- the new communicator

    /** The group of some old ranks, and its communicator's number. */
    private final class Part {
        /** Null if the calling process is not in it. */
        final Group group;

        final int id;

        Part(int[] members) {
            Group chosen = parent.group.Incl(members);
            group = chosen.Rank() == MPI.UNDEFINED ? null : chosen;
            id = new CommMaker(call, parent).agree(group != null);
        }
    }

    private String name() {
        return ArgumentCheck.made(call, parent.check.name());
    }

    // ---- checks

    private <T> T ask(Supplier<T> question) {
        try {
            return question.get();
        } catch (WrongShape e) {
            throw e.of(call, parent.check);
        }
    }

    private void requireRoom(String what, int nodes) {
        if (nodes > parent.group.Size()) {
            throw wrong("the " + what + " has " + nodes + " nodes, expected at most the " + parent.group.Size()
                    + " processes");
        }
    }

    private int[] ranks(String what, int[] ranks) {
        if (ranks == null) {
            throw wrong("the " + what + " are null");
        }
        for (int rank : ranks) {
            if (rank < 0 || rank >= parent.group.Size()) {
                throw parent.check.error(
                        MPI.ERR_RANK,
                        call,
                        "one of the " + what + " is " + rank + ", expected 0 to " + (parent.group.Size() - 1));
            }
        }
        return ranks.clone();
    }

    /** Weights that the call has a parameter for. */
    int[] given(int[] weights) {
        if (weights == null) {
            throw wrong("the weights are null, expected one for each edge");
        }
        return weights;
    }

    /** As many weights as edges; 1 each if there are none. */
    private int[] weights(int[] edges, int[] weights) {
        if (weights == null) {
            int[] ones = new int[edges.length];
            Arrays.fill(ones, 1);
            return ones;
        }
        if (weights.length < edges.length || Arrays.stream(weights, 0, edges.length).anyMatch(weight -> weight < 0)) {
            throw wrong("the weights are " + Arrays.toString(weights) + ", expected " + edges.length
                    + " of 0 or more");
        }
        return Arrays.copyOf(weights, edges.length);
    }

    private MPIException wrong(String what) {
        return parent.check.error(MPI.ERR_ARG, call, what);
    }
}
