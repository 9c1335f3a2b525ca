package org.posthouse.system.jobs;

import mpi.MPI;

/** Says what main got and what Init made of it. Rank 0 gives Init its own array, as programs do; rank 2 gives it null. */
public final class ShowsArguments {
    private ShowsArguments() {}

    public static void main(String[] args) {
        String rank = System.getenv("POSTHOUSE_RANK");
        String[] given = rank.equals("0") ? new String[] {"0", "other"} : args;
        String[] own = MPI.Init(rank.equals("2") ? null : given);
        System.out.println("main " + String.join("|", args) + " own " + String.join("|", own));
        MPI.Finalize();
    }
}
