package mpi;

import java.util.BitSet;
import org.posthouse.mpj.failure.AgreementOperation;
import org.posthouse.wire.Agreed;

/**
 * One call that makes a communicator of a living process for each rank of the job (ADR 112). The process {@code p} is one of the rank {@code p mod
 * ranks}. For one use.
 */
final class RebuildCall {
    private final String call;
    private final Intracomm parent;

    RebuildCall(String call, Intracomm parent) {
        this.call = call;
        this.parent = parent;
        parent.requireLive(call);
        requireWhole();
    }

    private void requireWhole() {
        int ranks = parent.endpoint.size();
        int[] members = parent.group.worldRanks();
        boolean isWhole = members.length == ranks;
        for (int rank = 0; rank < ranks && isWhole; rank++) {
            isWhole = members[rank] % ranks == rank;
        }
        if (!isWhole) {
            throw parent.check.error(
                    MPI.ERR_COMM, call, "the communicator has other processes than one of each rank of COMM_WORLD in its order: call it on COMM_WORLD");
        }
    }

    Intracomm rebuild() {
        if (parent.endpoint.isAlwaysWhole()) {
            return parent.heir(parent.twin(new CommMaker(call, parent).agree()));
        }
        if (!parent.endpoint.isRebuildable()) {
            throw parent.check.error(MPI.ERR_UNSUPPORTED_OPERATION, call, "no process takes the place of a dead one: run the job with --on-failure rebuild");
        }
        AgreementOperation operation = parent.begun(call, parent.endpoint.failures().orElseThrow()::rebuild);
        if (operation == null) {
            throw parent.check.error(MPI.ERR_PENDING, call, "another thread of this process waits in a rebuild; call it in one thread");
        }
        parent.await(call, operation);
        return made(operation.result());
    }

    private Intracomm made(Agreed agreed) {
        if (agreed.communicator() == 0) {
            throw parent.check.error(
                    MPI.ERR_OTHER, call, "a rank has called Finalize: there is no communicator of all ranks any more");
        }
        BitSet processes = agreed.members();
        int[] members = new int[parent.endpoint.size()];
        processes.stream().forEach(process -> members[process % members.length] = process);
        return parent.agreedOn(call, agreed.communicator(), parent.group.ofSameJob(members));
    }
}
