package org.posthouse.examples;

import mpi.MPI;

/**
 * NAS CG, the conjugate gradient benchmark: the smallest eigenvalue of a large sparse matrix without any structure.
 * Many small reductions, and in every step all ranks need what all others computed.
 *
 * <p>The ranks share the rows of the matrix evenly. NPB's own program cuts columns as well, which needs less traffic
 * in all, but a power of two of ranks, and a transposition of the vector in every step. Rows alone take any number of
 * ranks, one collective call gathers the vector, and its bytes enter each site once, however many ranks are there.
 *
 * <p>Arguments: {@code [class]}, S (order 1400, the default), W (7000), A (14000) or B (75000).
 */
public final class NasCg {

    private static final int ROOT = 0;

    private NasCg() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        CgClass problem = Arguments.sharedProblemClass("nas-cg", MPI.Init(args), CgClass.S);

        CgSolver solver = new CgSolver(problem, MPI.COMM_WORLD);
        solver.iterate(); // not timed: warms up code and connections
        solver.reset();

        Stopwatch watch = Stopwatch.start(MPI.COMM_WORLD);
        for (int iteration = 0; iteration < problem.iterations(); iteration++) {
            solver.iterate();
        }
        double seconds = watch.slowest();

        if (MPI.COMM_WORLD.Rank() == ROOT) {
            Report.nas("CG", problem, problem.order(), MPI.COMM_WORLD.Size(), seconds, problem.operations());
            Report.line("Zeta: %.13f", solver.zeta());
            Report.line("Error: %.3e", problem.error(solver.zeta()));
            Report.line("Residual: %.3e", solver.residual());
            Report.verdict(problem.verifies(solver.zeta()));
        }
        MPI.Finalize();
    }
}
