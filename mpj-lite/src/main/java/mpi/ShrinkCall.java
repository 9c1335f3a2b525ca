package mpi;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import org.posthouse.mpj.failure.AgreementOperation;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;

/** One call that makes a communicator of the processes that have not died. For one use. */
final class ShrinkCall {
    private final String call;
    private final Intracomm parent;

    ShrinkCall(String call, Intracomm parent) {
        this.call = call;
        this.parent = parent;
        parent.requireLive(call);
        parent.requireNotOfEarlier(call);
    }

    Intracomm shrink() {
        Intracomm[] made = new Intracomm[1];
        start(made).Wait();
        return made[0];
    }

    Request start(Intracomm[] made) {
        if (made == null || made.length == 0) {
            throw parent.check.error(MPI.ERR_ARG, call, "the array for the communicator is null or empty, expected one element");
        }
        made[0] = null;
        Optional<RankFailures> failures = parent.endpoint.failures();
        if (failures.isEmpty()) {
            return new CommMaker(call, parent).start(number -> made[0] = parent.heir(parent.twin(number)));
        }
        AgreementOperation operation = parent.agreement(call, failures.get(), Agree.Kind.SHRINK, -1);
        return Request.of(parent, call, operation, () -> {
            made[0] = made[0] == null ? of(operation.result()) : made[0];
            return new Status();
        });
    }

    private Intracomm of(Agreed agreed) {
        BitSet failed = agreed.failed();
        int[] living = Arrays.stream(parent.group.worldRanks()).filter(rank -> !failed.get(rank)).toArray();
        return make(agreed, parent.group.ofSameJob(living));
    }

    private Intracomm make(Agreed agreed, Group group) {
        return parent.agreedOn(call, agreed.communicator(), group);
    }
}
