package mpi;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The arithmetic of a Cartesian grid: ranks are counted in row-major order, the last dimension fastest. Immutable, and
 * shared by nobody: arrays are copied on the way in and out.
 */
final class Grid {
    private final int[] dims;
    private final boolean[] periods;

    /**
     * @param periods may be longer than {@code dims}, as programs exist that keep one array for grids of any dimension
     * @throws WrongShape if this is no grid
     */
    Grid(int[] dims, boolean[] periods) {
        if (dims == null || periods == null || dims.length > periods.length) {
            throw new WrongShape(
                    MPI.ERR_ARG,
                    "there are " + (dims == null ? "no" : "" + dims.length) + " dimensions and "
                            + (periods == null ? "no" : "" + periods.length)
                            + " periods, expected a period for each dimension");
        }
        long nodes = 1;
        for (int dim : dims) {
            nodes *= dim;
            if (dim < 1 || nodes > Integer.MAX_VALUE) {
                throw new WrongShape(
                        MPI.ERR_DIMS,
                        "the dimensions are " + Arrays.toString(dims)
                                + ", expected 1 or more, and a product within the range of int");
            }
        }
        this.dims = dims.clone();
        this.periods = Arrays.copyOf(periods, dims.length);
    }

    int[] dims() {
        return dims.clone();
    }

    boolean[] periods() {
        return periods.clone();
    }

    /** The number of ranks. */
    int nodes() {
        return Arrays.stream(dims).reduce(1, (a, b) -> a * b);
    }

    int[] coords(int rank) {
        if (rank < 0 || rank >= nodes()) {
            throw new WrongShape(MPI.ERR_RANK, "rank is " + rank + ", expected 0 to " + (nodes() - 1));
        }
        int[] coords = new int[dims.length];
        int rest = rank;
        for (int each = dims.length - 1; each >= 0; each--) {
            coords[each] = rest % dims[each];
            rest /= dims[each];
        }
        return coords;
    }

    /**
     * The rank at a place; beyond the edge of a ring it goes round.
     *
     * @throws WrongShape if the place is beyond an open edge
     */
    int rank(int[] coords) {
        if (coords == null || coords.length < dims.length) {
            throw new WrongShape(
                    MPI.ERR_ARG,
                    "there are " + (coords == null ? "no" : "" + coords.length) + " coordinates, expected "
                            + dims.length);
        }
        int rank = 0;
        for (int each = 0; each < dims.length; each++) {
            int at = within(each, coords[each]);
            if (at < 0) {
                throw new WrongShape(
                        MPI.ERR_ARG,
                        "coordinate " + each + " is " + coords[each] + ", expected 0 to " + (dims[each] - 1)
                                + " in a dimension with open edges");
            }
            rank = rank * dims[each] + at;
        }
        return rank;
    }

    /** The coordinate in its range, or -1 if it is beyond an open edge. */
    private int within(int dimension, long coordinate) {
        if (periods[dimension]) {
            return (int) Math.floorMod(coordinate, (long) dims[dimension]);
        }
        return coordinate >= 0 && coordinate < dims[dimension] ? (int) coordinate : -1;
    }

    /** The rank {@code steps} further in one dimension, or PROC_NULL beyond an open edge. */
    int neighbour(int rank, int dimension, long steps) {
        int stride = Arrays.stream(dims, dimension + 1, dims.length).reduce(1, (a, b) -> a * b);
        int here = rank / stride % dims[dimension];
        int there = within(dimension, here + steps);
        return there < 0 ? MPI.PROC_NULL : rank + (there - here) * stride;
    }

    /** With whom to exchange so that everything moves {@code steps} further in one dimension. */
    ShiftParms shift(int rank, int dimension, int steps) {
        if (dimension < 0 || dimension >= dims.length) {
            throw new WrongShape(
                    MPI.ERR_DIMS, "direction is " + dimension + ", expected 0 to " + (dims.length - 1));
        }
        return new ShiftParms(neighbour(rank, dimension, -(long) steps), neighbour(rank, dimension, steps));
    }

    /** The neighbours of a rank: one step back and one on in dimension 0, then in dimension 1, and so on. */
    int[] neighbours(int rank) {
        return IntStream.range(0, 2 * dims.length)
                .map(each -> neighbour(rank, each / 2, each % 2 == 0 ? -1 : 1))
                .toArray();
    }

    /** The dimensions that remain, as a grid of their own. */
    Grid sub(boolean[] remain) {
        if (remain == null || remain.length != dims.length) {
            throw new WrongShape(
                    MPI.ERR_DIMS,
                    "there are " + (remain == null ? "no" : "" + remain.length)
                            + " dimensions to choose from, expected " + dims.length);
        }
        int[] kept = dimensions(each -> remain[each]);
        boolean[] keptPeriods = new boolean[kept.length];
        for (int each = 0; each < kept.length; each++) {
            keptPeriods[each] = periods[kept[each]];
        }
        return new Grid(Arrays.stream(kept).map(each -> dims[each]).toArray(), keptPeriods);
    }

    /** Which of the grids that {@link #sub} makes a rank belongs to, from 0. */
    int partOf(int rank, boolean[] remain) {
        return place(rank, each -> !remain[each]);
    }

    /** The rank's place in its part. */
    int rankInPart(int rank, boolean[] remain) {
        return place(rank, each -> remain[each]);
    }

    /** The rank in a grid of the chosen dimensions alone. */
    private int place(int rank, IntPredicate chosen) {
        int[] coords = coords(rank);
        int place = 0;
        for (int each : dimensions(chosen)) {
            place = place * dims[each] + coords[each];
        }
        return place;
    }

    private int[] dimensions(IntPredicate chosen) {
        return IntStream.range(0, dims.length).filter(chosen).toArray();
    }
}
