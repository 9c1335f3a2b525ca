package mpi;

/** The shape of a Cartesian topology, and the calling process's place in it. A copy, for the program to keep. */
public class CartParms {
    /** Processes in each dimension. */
    public int[] dims;

    /** Whether each dimension is closed to a ring. */
    public boolean[] periods;

    /** The calling process's coordinates. */
    public int[] coords;

    CartParms(int[] dims, boolean[] periods, int[] coords) {
        this.dims = dims;
        this.periods = periods;
        this.coords = coords;
    }

    /** The number of dimensions. */
    public int getDimCount() {
        return dims.length;
    }

    /** Processes in dimension {@code i}. */
    public int getDim(int i) {
        return dims[i];
    }

    /** Whether dimension {@code i} is closed to a ring. */
    public boolean getPeriod(int i) {
        return periods[i];
    }

    /** The calling process's coordinate in dimension {@code i}. */
    public int getCoord(int i) {
        return coords[i];
    }
}
