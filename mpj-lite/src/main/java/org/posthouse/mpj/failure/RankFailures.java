package org.posthouse.mpj.failure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.WriteReadiness;
import org.posthouse.mpj.send.Outbox;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Revocation;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * What a rank knows of the failures of others, for a job without a log (docs/failures.md). Operations that can no longer take place are taken back
 * at the relay, which alone decides whether a message was there before. Public methods take the endpoint's lock; all others are called with it.
 */
public final class RankFailures {
    private record Agreement(int context, int number) {}

    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final Inbox inbox;
    private final Outbox outbox;
    private final WriteReadiness writeReadiness;
    private final Function<IOException, IllegalStateException> lost;
    private final long job;
    private final int rank;

    /** The dead in the order in which this rank was told. */
    private final List<Integer> deaths = new ArrayList<>();

    /** By communicator number. */
    private final Map<Integer, Membership> memberships = new HashMap<>();

    /** Numbers of revoked communicators, which are never used again. */
    private final BitSet revoked = new BitSet();

    private final Map<Agreement, AgreementOperation> agreements = new HashMap<>();

    /** @param lost ends the process after its connection has broken */
    public RankFailures(
            RelayConnection line,
            ProgressEngine progressEngine,
            Inbox inbox,
            Outbox outbox,
            WriteReadiness writeReadiness,
            Function<IOException, IllegalStateException> lost,
            long job,
            int rank) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.inbox = inbox;
        this.outbox = outbox;
        this.writeReadiness = writeReadiness;
        this.lost = lost;
        this.job = job;
        this.rank = rank;
    }

    // ---- calls of the program

    private interface Call<T> {
        T call() throws IOException;
    }

    private <T> T locked(Call<T> call) {
        progressEngine.lock();
        try {
            return call.call();
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            progressEngine.unlock();
        }
    }

    /** A communicator with this number has these members, by world rank. */
    public void opened(int communicator, int[] members) {
        locked(() -> memberships.put(communicator, new Membership(members)));
    }

    /** World ranks of the communicator's dead members, in the order in which this rank was told. */
    public int[] failed(int communicator) {
        return locked(() -> {
            progressEngine.poll();
            return membership(communicator).failed(deaths).stream().mapToInt(Integer::intValue).toArray();
        });
    }

    /** Acknowledges the first {@code count} of {@link #failed}, or all if there are fewer. Returns how many are acknowledged. */
    public int acknowledge(int communicator, int count) {
        return locked(() -> membership(communicator).acknowledge(count, deaths));
    }

    /** Whether a revocation of this communicator is known. */
    public boolean isRevoked(int communicator) {
        return locked(() -> {
            progressEngine.poll();
            return revoked.get(communicator);
        });
    }

    /** Whether a revocation has come: as {@link #isRevoked}, without looking for frames. */
    public boolean isKnownRevoked(int communicator) {
        return locked(() -> revoked.get(communicator));
    }

    /**
     * Revokes the communicator for all its members. Operations of this rank end when the relay has passed it on.
     *
     * @param further another number whose contexts belong to it
     */
    public void revoke(int communicator, int further) {
        locked(() -> {
            if (!revoked.get(communicator)) {
                writeReadiness.await();
                revoked.set(communicator);
                line.write(new Revocation(job, 2 * communicator, membership(communicator).members()).encode());
                line.write(new Revocation(job, 2 * further, membership(communicator).members()).encode());
                line.flush();
            }
            return null;
        });
    }

    /** Takes part in an agreement of the communicator's members; the operation has the result when it is done. */
    public AgreementOperation agree(int communicator, Agree.Kind kind, int flags) {
        return locked(() -> {
            writeReadiness.await();
            Membership membership = membership(communicator);
            int number = membership.nextAgreement();
            AgreementOperation operation = new AgreementOperation();
            agreements.put(new Agreement(2 * communicator, number), operation);
            line.write(new Agree(
                    job, 2 * communicator, rank, number, kind, flags, membership.members(), membership.acknowledged(deaths)).encode());
            line.flush();
            return operation;
        });
    }

    private Membership membership(int communicator) {
        Membership membership = memberships.get(communicator);
        if (membership == null) {
            throw new IllegalStateException("communicator " + communicator + " is not known, expected one of " + memberships.keySet());
        }
        return membership;
    }

    // ---- operations

    /** Why no operation may begin in this context with this rank; null if it may. A receive may take what has come before. */
    public ReceiveException refusal(int context, int peer) {
        if (!revoked.isEmpty() && revoked.get(context >> 1)) {
            return revokedFailure();
        }
        return !deaths.isEmpty() && deaths.contains(peer) ? died(peer) : null;
    }

    /** Whether this rank was told of no death. */
    public boolean areNone() {
        return deaths.isEmpty();
    }

    /** Throws if a waiting receive of any source may wait for a rank that has died unacknowledged. */
    public void requireAcknowledged(Operation operation) {
        if (!deaths.isEmpty() && operation instanceof PostedReceive receive && receive.source == Wire.ANY && !receive.isMatched()
                && isUnacknowledged(receive.context)) {
            throw new PendingFailureException(unacknowledged(receive.context));
        }
    }

    /** Why a probe of any source must not wait in this context; null if it may. */
    public ReceiveException pending(int context) {
        return isUnacknowledged(context) ? new ReceiveException(ReceiveException.Kind.PROC_FAILED, unacknowledged(context)) : null;
    }

    private boolean isUnacknowledged(int context) {
        Membership membership = deaths.isEmpty() ? null : memberships.get(context >> 1);
        return membership != null && membership.isUnacknowledged(deaths);
    }

    private String unacknowledged(int context) {
        return "any source, and of its members world ranks " + membership(context >> 1).failed(deaths) + " have died; ackFailed lets it wait for the others";
    }

    private static ReceiveException died(int peer) {
        return new ReceiveException(ReceiveException.Kind.PROC_FAILED, "world rank " + peer + " has died");
    }

    private static ReceiveException revokedFailure() {
        return new ReceiveException(ReceiveException.Kind.REVOKED, "the communicator is revoked");
    }

    // ---- frames of the relay

    /** Handles RANK_FAILED: all that came from the rank has come or waits at the relay. */
    public void onFailed(ByteBuffer frame) throws WireException, IOException {
        int dead = RankFailed.decode(frame).rank();
        deaths.add(dead);
        inbox.sourceDied(dead, died(dead));
        inbox.fail(dead, context -> true, died(dead));
        outbox.fail(send -> send.destination == dead, died(dead));
    }

    /** Handles REVOKE of a communicator of this rank. */
    public void onRevoked(ByteBuffer frame) throws WireException, IOException {
        int communicator = Revocation.decode(frame).context() >> 1;
        revoked.set(communicator);
        inbox.fail(Wire.ANY, context -> context >> 1 == communicator, revokedFailure());
        outbox.fail(send -> send.context >> 1 == communicator, revokedFailure());
    }

    /** Handles AGREED. */
    public void onAgreed(ByteBuffer frame) throws WireException {
        Agreed agreed = Agreed.decode(frame);
        AgreementOperation operation = agreements.remove(new Agreement(agreed.context(), agreed.number()));
        if (operation == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "AGREED " + agreed.number() + " of context " + agreed.context() + ", which was not asked for");
        }
        operation.decided(agreed);
    }
}
