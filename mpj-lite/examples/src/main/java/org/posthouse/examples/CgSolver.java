package org.posthouse.examples;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;

/**
 * One rank's part of the power iteration of NAS CG: every iteration solves A·z = x by conjugate gradients and makes
 * z, at length 1, the next x.
 *
 * <p>Confined to its rank; all ranks of the communicator must call the same methods in the same order. Each rank has
 * some rows of the matrix and the same places of every vector. A product with the matrix needs the whole vector, which
 * is gathered at every rank before.
 */
final class CgSolver {

    private final CgClass problem;
    private final Intracomm comm;
    private final CgMatrix matrix;
    private final int[] counts;
    private final int[] displacements;

    private final double[] x;
    private final double[] z;
    private final double[] r;
    private final double[] p;
    private final double[] q;
    private final double[] whole;

    private double zeta;
    private double residual;

    CgSolver(CgClass problem, Intracomm comm) {
        this.problem = problem;
        this.comm = comm;
        Partition shares = new Partition(problem.order(), comm.Size());
        int rows = shares.count(comm.Rank());
        matrix = new CgMatrix(problem, new CgVectors(problem), shares.first(comm.Rank()), rows);
        counts = shares.counts(1);
        displacements = shares.displacements(1);
        x = new double[rows];
        z = new double[rows];
        r = new double[rows];
        p = new double[rows];
        q = new double[rows];
        whole = new double[problem.order()];
        reset();
    }

    /** Starts over, from the vector of ones. */
    void reset() {
        Arrays.fill(x, 1);
        zeta = 0;
    }

    /** One iteration: a better estimate. */
    void iterate() {
        solve();
        double[] products = AllSum.of(comm, dot(x, z), dot(z, z));
        zeta = problem.shift() + 1 / products[0];
        double scale = 1 / Math.sqrt(products[1]);
        for (int i = 0; i < x.length; i++) {
            x[i] = scale * z[i];
        }
    }

    /** The estimate of the eigenvalue, the same at every rank. */
    double zeta() {
        return zeta;
    }

    /** How far A·z was from x in the last iteration, the same at every rank. */
    double residual() {
        return residual;
    }

    /** Comes as near to A·z = x as {@link CgClass#STEPS} steps do, and measures what is missing. */
    private void solve() {
        Arrays.fill(z, 0);
        System.arraycopy(x, 0, r, 0, x.length);
        System.arraycopy(x, 0, p, 0, x.length);
        double rho = sum(dot(r, r));
        for (int step = 0; step < CgClass.STEPS; step++) {
            multiply(p, q);
            double alpha = rho / sum(dot(p, q));
            for (int i = 0; i < z.length; i++) {
                z[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            double before = rho;
            rho = sum(dot(r, r));
            double beta = rho / before;
            for (int i = 0; i < p.length; i++) {
                p[i] = r[i] + beta * p[i];
            }
        }
        multiply(z, q);
        for (int i = 0; i < r.length; i++) {
            r[i] = x[i] - q[i];
        }
        residual = Math.sqrt(sum(dot(r, r)));
    }

    private void multiply(double[] vector, double[] product) {
        comm.Allgatherv(vector, 0, vector.length, MPI.DOUBLE, whole, 0, counts, displacements, MPI.DOUBLE);
        matrix.multiply(whole, product);
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }

    private double sum(double share) {
        return AllSum.of(comm, share)[0];
    }
}
