package org.posthouse.conformance;

import mpi.Comm;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import org.posthouse.mpj.Endpoints;

/** The calls about processes that have died, where none has. Deaths are in the appliance's {@code ProgramSurvivesTest}. */
final class Failures {
    private Failures() {}

    static void nobodyHasFailed(Intracomm world) {
        Check.equal("failed", world.getFailed().Size() + world.Get_failed().Size(), 0);
        Check.equal("acknowledged", world.ackFailed(3) + world.Ack_failed(0), 0);
        Check.error(MPI.ERR_ARG, "ackFailed", () -> world.ackFailed(-1));
        Group agreed = world.agreeFailed();
        Check.equal("agreed to have failed", agreed.Size() + world.Agree_failed().Size(), 0);
    }

    static void agreementIsBitwiseAnd(Intracomm world) {
        int rank = world.Rank();
        int size = world.Size();
        int all = (1 << size) - 1;
        Check.equal("each leaves out its own bit", world.agree(~(1 << rank) & all), 0);
        Check.equal("the first leaves out one", world.Agree(rank == 0 ? -3 : -1), -3);
        int[] first = {7 | rank << 3};
        int[] second = {rank == size - 1 ? 4 : 5};
        Request one = world.iAgree(first);
        Request other = world.Iagree(second);
        Request.waitAll(new Request[] {other, one});
        Check.equal("first of two", first[0], 7);
        Check.equal("second of two", second[0], 4);
        Check.error(MPI.ERR_ARG, "iAgree", () -> world.iAgree(new int[0]));
    }

    static void shrinkCopiesWithoutTheDead(Intracomm world) {
        Intracomm copy = world.shrink();
        Intracomm other = world.Shrink();
        Intracomm[] third = new Intracomm[1];
        Intracomm[] fourth = new Intracomm[1];
        world.iShrink(third).Wait();
        world.Ishrink(fourth).Wait();
        for (Intracomm made : new Intracomm[] {copy, other, third[0], fourth[0]}) {
            Check.equal("compared", Comm.Compare(world, made), MPI.CONGRUENT);
            int[] sum = new int[1];
            made.Allreduce(new int[] {made.Rank()}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            Check.equal("sum of ranks", sum[0], made.Size() * (made.Size() - 1) / 2);
            made.free();
        }
        Check.error(MPI.ERR_ARG, "iShrink", () -> world.iShrink(null));
        Check.error(MPI.ERR_COMM, "shrink", copy::shrink);
    }

    static void rebuildCopiesWhereNobodyIsReplaced(Intracomm world) {
        Check.that(!MPI.isRebuilt() && !MPI.Is_rebuilt(), "a process of the start");
        Intracomm part = world.Split(0, -world.Rank());
        if (part.Size() > 1) {
            Check.error(MPI.ERR_COMM, "rebuild", part::rebuild);
        }
        part.free();
        if (System.getenv(Endpoints.RELAY) != null && System.getenv(Endpoints.RESTARTABLE) == null) {
            Check.error(MPI.ERR_UNSUPPORTED_OPERATION, "rebuild", world::rebuild); // The dead stay dead.
            Check.error(MPI.ERR_UNSUPPORTED_OPERATION, "Rebuild", world::Rebuild);
            return;
        }
        for (Intracomm each : new Intracomm[] {world.rebuild(), world.Rebuild()}) {
            Check.equal("compared", Comm.Compare(world, each), MPI.CONGRUENT);
            each.Barrier();
            each.free();
        }
    }

    static void revokedCommunicatorTakesOnlyAFewCalls(Intracomm world) {
        Intracomm copy = world.Dup();
        Intracomm another = world.Dup();
        Check.that(!copy.isRevoked() && !another.Is_revoked(), "not revoked");
        if (!revokes(copy)) {
            return;
        }
        another.Revoke();
        Check.that(copy.isRevoked() && another.Is_revoked(), "revoked");
        Check.error(MPI.ERR_REVOKED, "Send", () -> copy.Send(new int[1], 0, 1, MPI.INT, 0, 1));
        Check.error(MPI.ERR_REVOKED, "Recv", () -> copy.Recv(new int[1], 0, 1, MPI.INT, 0, 1));
        Check.error(MPI.ERR_REVOKED, "Probe", () -> copy.Probe(MPI.ANY_SOURCE, 1));
        Check.error(MPI.ERR_REVOKED, "Barrier", copy::Barrier);
        Check.error(MPI.ERR_REVOKED, "dup", copy::dup);
        Check.equal("agreement", copy.agree(3), 3);
        Intracomm shrunk = copy.shrink();
        shrunk.Barrier();
        shrunk.free();
        copy.free();
        another.free();
        world.Barrier();
    }

    /** False where no communicator can be revoked: in a logged job, and without a relay. */
    private static boolean revokes(Intracomm comm) {
        try {
            comm.revoke();
            return true;
        } catch (MPIException e) {
            Check.equal("class", e.getErrorClass(), MPI.ERR_UNSUPPORTED_OPERATION);
            return false;
        }
    }
}
