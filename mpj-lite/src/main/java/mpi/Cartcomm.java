package mpi;

import java.util.function.Supplier;
import org.posthouse.mpj.coll.Neighbours;

/**
 * A communicator whose processes lie on a Cartesian grid, in row-major order: the last dimension is the fastest. All
 * are {@link CartComm}s, which have Open MPI's spelling too.
 */
public class Cartcomm extends Intracomm {
    /** Null for a communicator that is null. */
    final Grid grid;

    Cartcomm(OwnProcess self, Group group, int id, String name, Grid grid) {
        super(self, group, id, name);
        this.grid = grid;
    }

    /**
     * Replaces the zeros in {@code dims}, so that the product is {@code nnodes}: in non-increasing order, and as alike
     * as possible.
     */
    public static void Dims_create(int nnodes, int[] dims) throws MPIException {
        createDims("Dims_create", nnodes, dims);
    }

    static void createDims(String call, int nodes, int[] dims) {
        try {
            Dimensions.fill(nodes, dims);
        } catch (WrongShape e) {
            throw e.of(call);
        }
    }

    /** The grid, and the calling process's place in it. */
    public CartParms Get() throws MPIException {
        return parms("Get");
    }

    final CartParms parms(String call) {
        return ask(call, () -> new CartParms(grid.dims(), grid.periods(), grid.coords(group.Rank())));
    }

    /** The rank at a place; beyond the edge of a ring it goes round. */
    public int Rank(int[] coords) throws MPIException {
        return rank("Rank", coords);
    }

    final int rank(String call, int[] coords) {
        return ask(call, () -> grid.rank(coords));
    }

    /** The place of a rank. */
    public int[] Coords(int rank) throws MPIException {
        return coords("Coords", rank);
    }

    final int[] coords(String call, int rank) {
        return ask(call, () -> grid.coords(rank));
    }

    /**
     * With whom to exchange so that everything moves {@code disp} places on in dimension {@code direction}, from 0;
     * {@link MPI#PROC_NULL} beyond an open edge.
     */
    public ShiftParms Shift(int direction, int disp) throws MPIException {
        return shift("Shift", direction, disp);
    }

    final ShiftParms shift(String call, int direction, int disp) {
        return ask(call, () -> grid.shift(group.Rank(), direction, disp));
    }

    /**
     * A communicator of the processes that differ in the dimensions that remain only, with these as its grid.
     * Collective.
     *
     * @param remain whether each dimension remains
     */
    public Cartcomm Sub(boolean[] remain) throws MPIException {
        return new TopologyMaker("Sub", this).sub(grid, remain);
    }

    /**
     * The rank that the calling process would get in a grid made with {@code reorder}, or {@link MPI#UNDEFINED} if it
     * would get none.
     */
    public int Map(int[] dims, boolean[] periods) throws MPIException {
        return new TopologyMaker("Map", this).place(dims, periods);
    }

    @Override
    public int Topo_test() throws MPIException {
        requireLive("Topo_test");
        return MPI.CART;
    }

    @Override
    CartComm twin(int id) {
        return new CartComm(self, group, id, check.name(), grid);
    }

    @Override
    public Cartcomm Dup() throws MPIException {
        return copied("Dup", this::twin);
    }

    @Override
    public Cartcomm dup() throws MPIException {
        return copied("dup", this::twin);
    }

    @Override
    public Cartcomm dupWithInfo(Info info) throws MPIException {
        return copied("dupWithInfo", this::twin);
    }

    @Override
    public Cartcomm iDup() throws MPIException {
        return copying("iDup", this::twin);
    }

    @Override
    public Cartcomm clone() {
        return copied("clone", this::twin);
    }

    /** One step back and one on in dimension 0, then in dimension 1, and so on; PROC_NULL beyond an open edge. */
    @Override
    int[] sources(String call) {
        return ask(call, () -> grid.neighbours(group.Rank()));
    }

    /** The same as {@link #sources}. */
    @Override
    int[] destinations(String call) {
        return sources(call);
    }

    @Override
    Neighbours neighbours(String call) {
        return Neighbours.inGrid(sources(call));
    }

    private <T> T ask(String call, Supplier<T> question) {
        requireLive(call);
        try {
            return question.get();
        } catch (WrongShape e) {
            throw e.of(call, check);
        }
    }
}
