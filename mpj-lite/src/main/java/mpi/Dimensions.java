package mpi;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Cuts a number of processes into the dimensions of a grid, as alike as they can be. Stateless. */
final class Dimensions {
    private Dimensions() {}

    /**
     * Replaces the zeros in {@code dims}, so that the product is {@code nodes}: in non-increasing order, with the
     * greatest as small as possible, then the next, and so on.
     *
     * @throws WrongShape if there is no way
     */
    static void fill(int nodes, int[] dims) {
        if (dims == null) {
            throw new WrongShape(MPI.ERR_ARG, "the dimensions are null");
        }
        long given = 1;
        for (int dim : dims) {
            if (dim < 0 || nodes < 1) {
                throw error(nodes, dims, "expected at least one process and no negative dimension");
            }
            given = dim == 0 || given > nodes ? given : given * dim;
        }
        int[] open = IntStream.range(0, dims.length).filter(each -> dims[each] == 0).toArray();
        if (nodes < 1 || nodes % given != 0 || open.length == 0 && given != nodes) {
            throw error(nodes, dims, "expected dimensions whose product, " + given + ", leaves no rest");
        }
        int[] found = new int[open.length];
        int rest = (int) (nodes / given);
        cut(rest, divisors(rest), found, 0, rest);
        for (int each = 0; each < open.length; each++) {
            dims[open[each]] = found[each];
        }
    }

    private static WrongShape error(int nodes, int[] dims, String what) {
        return new WrongShape(
                MPI.ERR_DIMS, nodes + " processes in dimensions " + Arrays.toString(dims) + ", " + what);
    }

    private static int[] divisors(int number) {
        int[] small = IntStream.rangeClosed(1, (int) Math.sqrt(number)).filter(each -> number % each == 0).toArray();
        return IntStream.concat(Arrays.stream(small), Arrays.stream(small).map(each -> number / each))
                .distinct()
                .sorted()
                .toArray();
    }

    /** Fills {@code found} from index {@code at} on with factors of at most {@code most}; false if it cannot. */
    private static boolean cut(int rest, int[] divisors, int[] found, int at, int most) {
        if (at == found.length) {
            return rest == 1;
        }
        int least = (int) Math.ceil(Math.pow(rest, 1.0 / (found.length - at)) - 1e-9);
        for (int divisor : divisors) {
            if (divisor >= least && divisor <= most && rest % divisor == 0) {
                found[at] = divisor;
                if (cut(rest / divisor, divisors, found, at + 1, divisor)) {
                    return true;
                }
            }
        }
        return false;
    }
}
