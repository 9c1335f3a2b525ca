package org.posthouse.examples;

/**
 * The problem classes of NAS CG: the order of the matrix, how many random entries each of the vectors has that it is
 * made of, how often the eigenvalue estimate is improved, by how much the matrix is shifted, and the published result.
 */
enum CgClass {
    S(1_400, 7, 15, 10, 8.5971775078648),
    W(7_000, 8, 15, 12, 10.362595087124),
    A(14_000, 11, 15, 20, 17.130235054029),
    B(75_000, 13, 75, 60, 22.712745482631);

    /** Conjugate gradient steps in an iteration. */
    static final int STEPS = 25;

    private static final double EPSILON = 1e-10;

    private final int order;
    private final int nonzeros;
    private final int iterations;
    private final double shift;
    private final double zeta;

    CgClass(int order, int nonzeros, int iterations, double shift, double zeta) {
        this.order = order;
        this.nonzeros = nonzeros;
        this.iterations = iterations;
        this.shift = shift;
        this.zeta = zeta;
    }

    /** Rows, and columns, of the matrix. */
    int order() {
        return order;
    }

    /** Random entries of one sparse vector; one more is put on the diagonal. */
    int nonzeros() {
        return nonzeros;
    }

    int iterations() {
        return iterations;
    }

    double shift() {
        return shift;
    }

    /** The benchmark's own count of floating-point operations, of all iterations. */
    double operations() {
        double perRow = nonzeros * (nonzeros + 1);
        return 2.0 * iterations * order * (3 + perRow + STEPS * (5 + perRow) + 3);
    }

    /** How far the result is off, relative to the published one. */
    double error(double actualZeta) {
        return Math.abs(actualZeta - zeta) / zeta;
    }

    /** Whether the result agrees with the published one to 10 digits. */
    boolean verifies(double actualZeta) {
        return error(actualZeta) <= EPSILON;
    }
}
