package org.posthouse.conformance;

import mpi.Intracomm;
import mpi.MPI;

/** What ends a job: each case is the last one of its job, whose status it tells in {@link #STATUS}. */
final class Endings {
    /** The job's status after each case. */
    static final int STATUS = 7;

    /** An error that nobody catches. */
    static final int FATAL = 1;

    private Endings() {}

    /** The status that the case of a name ends with. */
    static int status(String name) {
        return name.equals("fatalError") ? FATAL : STATUS;
    }

    /** The last rank ends the job, all others wait for it for ever. */
    static void abort(Intracomm world) {
        if (world.Rank() == world.Size() - 1) {
            world.Abort(STATUS);
        }
        world.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 0);
    }

    static void openMpiAbort(Intracomm world) {
        if (world.Rank() == world.Size() - 1) {
            world.abort(STATUS);
        }
        world.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 0);
    }

    static void fatalError(Intracomm world) {
        if (world.Rank() == world.Size() - 1) {
            world.Errhandler_set(MPI.ERRORS_ARE_FATAL);
            world.Send(new int[1], 0, 1, MPI.INT, -9, 0);
        }
        world.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 0);
    }
}
