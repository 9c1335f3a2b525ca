package org.posthouse.conformance;

import java.util.ArrayList;
import java.util.List;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;

/**
 * A job that runs every case at its ranks, one after another, or the one of {@link Endings} that its argument names. It
 * ends with the first error, which names the case; rank 0 prints how many cases held.
 */
public final class ConformanceJob {
    private ConformanceJob() {}

    public static void main(String[] args) throws Exception {
        Environment.beforeInit();
        String[] own = MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        if (own.length == 1) {
            for (Case each : Cases.ending()) {
                if (each.method().getName().equals(own[0])) {
                    run(each, world);
                }
            }
        }
        Environment.afterInit(own);
        List<Case> cases = new ArrayList<>(Cases.inAJob());
        cases.addAll(Cases.anywhere());
        for (Case each : cases) {
            run(each, world);
        }
        if (world.Rank() == 0) {
            System.out.println(cases.size() + " cases hold at " + world.Size() + " ranks");
        }
        Request left = world.Irecv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, Environment.NEVER_SENT);
        MPI.Finalize();
        Environment.afterFinalize(left);
    }

    private static void run(Case each, Intracomm world) throws Exception {
        try {
            each.run(world);
        } catch (Exception | AssertionError e) {
            throw new AssertionError(each + " at rank " + world.Rank() + " of " + world.Size() + ": " + e, e);
        }
        // No rank begins the next case, whose messages a wildcard could take, before this one is over everywhere.
        world.Barrier();
    }
}
