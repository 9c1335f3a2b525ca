package mpi;

import java.util.Optional;
import java.util.function.Supplier;
import org.posthouse.mpj.failure.AgreementOperation;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.wire.Agree;

/**
 * What a program does about processes that have died (User Level Failure Mitigation, docs/failures.md). Of the calls on a communicator that is
 * revoked, only these and {@code free} work. A job without deaths, or one that starts its dead processes again, has these calls too: nobody has
 * failed there.
 */
abstract class FailureCalls extends OpenMpiNeighbours {
    FailureCalls(OwnProcess self, Group group, Group addressed, int id, String name) {
        super(self, group, addressed, id, name);
    }

    // ---- revocation

    /**
     * Ends the use of the communicator for all its processes: what they have under way on it, and what they call on it later, fails with class {@link
     * MPI#ERR_REVOKED}. Not collective; waits for nobody.
     *
     * @throws MPIException of class ERR_UNSUPPORTED_OPERATION in a job with replicas, in a joint job with a log, and without a relay
     */
    public void revoke() throws MPIException {
        revoke("revoke");
    }

    /** As {@link #revoke}. */
    public void Revoke() throws MPIException {
        revoke("Revoke");
    }

    private void revoke(String call) {
        requireLive(call);
        RankFailures failures = endpoint.failures().orElseThrow(() -> check.error(
                MPI.ERR_UNSUPPORTED_OPERATION, call,
                "nobody can be told: each rank runs more than once (posthouse run -r), or this is a joint job with a log, or there is no relay"));
        begun(call, () -> failures.revoke(id, Contexts.ofGroups(id)));
        self.contexts().spoil(id);
    }

    /** Whether this process knows that the communicator is revoked. */
    public boolean isRevoked() throws MPIException {
        return isRevoked("isRevoked");
    }

    /** As {@link #isRevoked}. */
    public boolean Is_revoked() throws MPIException {
        return isRevoked("Is_revoked");
    }

    private boolean isRevoked(String call) {
        requireLive(call);
        return endpoint.failures().map(failures -> failures.isRevoked(id)).orElse(false);
    }

    // ---- who has failed

    /** The members that this process knows to have died, in the order in which it was told. Not collective. */
    public Group getFailed() throws MPIException {
        return failedGroup("getFailed");
    }

    /** As {@link #getFailed}. */
    public Group Get_failed() throws MPIException {
        return failedGroup("Get_failed");
    }

    private Group failedGroup(String call) {
        requireLive(call);
        return group.ofSameJob(endpoint.failures().map(failures -> failures.failed(id)).orElse(new int[0]));
    }

    /**
     * Acknowledges failures: receives of any source may wait again, and {@link #agree} does not fail for them.
     *
     * @param numToAck how many of {@link #getFailed}, from the first; all if there are fewer
     * @return how many are acknowledged by now
     */
    public int ackFailed(int numToAck) throws MPIException {
        return acknowledge("ackFailed", numToAck);
    }

    /** As {@link #ackFailed}. */
    public int Ack_failed(int numToAck) throws MPIException {
        return acknowledge("Ack_failed", numToAck);
    }

    private int acknowledge(String call, int count) {
        requireLive(call);
        if (count < 0) {
            throw check.error(MPI.ERR_ARG, call, "the number of failures is " + count + ", expected 0 or more");
        }
        return endpoint.failures().map(failures -> failures.acknowledge(id, count)).orElse(0);
    }

    // ---- agreement

    /**
     * The bitwise AND of the flags of all processes that have not died before. Collective among the living, and works on a revoked communicator.
     *
     * @throws MPIException of class {@link MPI#ERR_PROC_FAILED}, in all processes alike, if a member has died and some living one had not
     *     acknowledged that
     */
    public int agree(int flags) throws MPIException {
        return agree("agree", flags);
    }

    /** As {@link #agree}. */
    public int Agree(int flags) throws MPIException {
        return agree("Agree", flags);
    }

    private int agree(String call, int flags) {
        int[] agreed = {flags};
        iAgree(call, agreed).Wait();
        return agreed[0];
    }

    /** Starts {@link #agree}. The result is in {@code flags[0]} when the request is complete, also if it fails. */
    public Request iAgree(int[] flags) throws MPIException {
        return iAgree("iAgree", flags);
    }

    /** As {@link #iAgree}. */
    public Request Iagree(int[] flags) throws MPIException {
        return iAgree("Iagree", flags);
    }

    /** @throws MPIException if this process has taken a dead one's place, and the communicator is of before */
    final void requireNotOfEarlier(String call) {
        if (id == Contexts.WORLD && endpoint.isRebuilt()) {
            throw check.error(
                    MPI.ERR_REVOKED, call,
                    "this process has taken the place of one that has died: it is in the communicators that rebuild returns, and COMM_WORLD is revoked");
        }
    }

    private Request iAgree(String call, int[] flags) {
        requireLive(call);
        requireNotOfEarlier(call);
        if (flags == null || flags.length == 0) {
            throw check.error(MPI.ERR_ARG, call, "the array of flags is null or empty, expected one element");
        }
        Optional<RankFailures> failures = endpoint.failures();
        if (failures.isEmpty()) {
            return everybody().allreduce(call, new Elements(flags.clone(), 0, 1, MPI.INT), new Elements(flags, 0, 1, MPI.INT), MPI.BAND).start();
        }
        AgreementOperation operation = agreement(call, failures.get(), Agree.Kind.AGREE, flags[0]);
        return Request.of(this, call, operation, () -> {
            flags[0] = operation.result().flags();
            if (operation.result().unacknowledged()) {
                throw check.error(
                        MPI.ERR_PROC_FAILED, call, "world ranks " + operation.result().failed() + " have died, and some process has not acknowledged that");
            }
            return new Status();
        });
    }

    /** Takes part in an agreement of the communicator's processes. */
    final AgreementOperation agreement(String call, RankFailures failures, Agree.Kind kind, int flags) {
        AgreementOperation operation = begun(call, () -> failures.agree(id, kind, flags));
        self.underWay().agreement(operation);
        return operation;
    }

    /** Begins a call that writes to the relay. @throws MPIException if the connection has come to its end */
    final <T> T begun(String call, Supplier<T> begin) {
        try {
            return begin.get();
        } catch (FinalizedException e) {
            throw finalized(call, e);
        }
    }

    /** The collectives of all its processes. */
    abstract Collectives everybody();

    /** The members that have died, as all living ones agree. Collective among the living, and works on a revoked communicator. */
    public Group agreeFailed() throws MPIException {
        return agreeFailed("agreeFailed");
    }

    /** As {@link #agreeFailed}. */
    public Group Agree_failed() throws MPIException {
        return agreeFailed("Agree_failed");
    }

    private Group agreeFailed(String call) {
        requireLive(call);
        requireNotOfEarlier(call);
        Optional<RankFailures> failures = endpoint.failures();
        if (failures.isEmpty()) {
            agree(call, -1);
            return group.ofSameJob(new int[0]);
        }
        AgreementOperation operation = agreement(call, failures.get(), Agree.Kind.AGREE, -1);
        await(call, operation);
        return group.ofSameJob(operation.result().failed().stream().toArray());
    }
}
