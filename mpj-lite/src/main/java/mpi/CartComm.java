package mpi;

/** A {@link Cartcomm} with Open MPI's spelling of its calls. */
public final class CartComm extends Cartcomm {
    CartComm(OwnProcess self, Group group, int id, String name, Grid grid) {
        super(self, group, id, name, grid);
    }

    /** The result for a process that has no place on the grid. */
    static CartComm ofNobody() {
        return new CartComm(null, Group.EMPTY, NO_ID, "COMM_NULL", null);
    }

    /** As {@link #Dims_create}. */
    public static void createDims(int nnodes, int[] dims) throws MPIException {
        createDims("createDims", nnodes, dims);
    }

    /** As {@link #Get}. */
    public CartParms getTopo() throws MPIException {
        return parms("getTopo");
    }

    /** As {@link #Rank(int[])}. */
    public int getRank(int[] coords) throws MPIException {
        return rank("getRank", coords);
    }

    /** As {@link #Coords}. */
    public int[] getCoords(int rank) throws MPIException {
        return coords("getCoords", rank);
    }

    /** As {@link #Shift}. */
    public ShiftParms shift(int direction, int disp) throws MPIException {
        return shift("shift", direction, disp);
    }

    /** As {@link #Sub}. */
    public CartComm sub(boolean[] remainDims) throws MPIException {
        return new TopologyMaker("sub", this).sub(grid, remainDims);
    }

    /** As {@link #Map}. */
    public int map(int[] dims, boolean[] periods) throws MPIException {
        return new TopologyMaker("map", this).place(dims, periods);
    }

    @Override
    public CartComm dup() throws MPIException {
        return copied("dup", this::twin);
    }

    @Override
    public CartComm dupWithInfo(Info info) throws MPIException {
        return copied("dupWithInfo", this::twin);
    }

    @Override
    public CartComm iDup() throws MPIException {
        return copying("iDup", this::twin);
    }

    @Override
    public CartComm clone() {
        return copied("clone", this::twin);
    }
}
