package org.posthouse.mpj.failure;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.determinant.DeterminantWriter;
import org.posthouse.mpj.determinant.FailureEvent;
import org.posthouse.mpj.determinant.ThreadUseGuard;
import org.posthouse.mpj.match.Inbox;
import org.posthouse.mpj.operation.OfferedSend;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.WriteReadiness;
import org.posthouse.mpj.send.Outbox;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Revocation;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * What a rank knows of the failures of others (docs/failures.md). Operations that can no longer take place are taken back at the relay, which alone
 * decides whether a message was there before. Public methods take the endpoint's lock; all others are called with it.
 *
 * <p>In a logged job another process repeats what this one has seen (docs/recovery.md, failures). An operation that fails is an event, named by its
 * number. What the program asks for ({@link #failed}, {@link #isRevoked}), and calls that fail without an operation, are events in the order of its
 * calls. Sends and collectives are refused at once only for what the program has learned in such a call.
 */
public final class RankFailures {
    /** The value of a {@link DeterminantLog#LEARNED} event: that a communicator is revoked. */
    private static final long REVOKED = -1;

    // What a probe has failed of, as it is recorded; the last is that rank 0 is dead, and rank r is so much less. The names of receives are not negative.
    private static final long PROBE_OF_ANY = -1;
    private static final long PROBE_REVOKED = -2;
    private static final long PROBE_OF_FIRST = -3;

    // What has stopped others, as it is recorded.
    private static final long STOPPED_BY_DEATH = 1;
    private static final long STOPPED_BY_REVOCATION = 2;

    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final Inbox inbox;
    private final Outbox outbox;
    private final WriteReadiness writeReadiness;
    private final ThreadUseGuard threadUseGuard;
    private final DeterminantLog determinantLog;
    private final DeterminantRecorder determinantRecorder;
    private final DeterminantWriter determinantWriter;
    private final Function<IOException, IllegalStateException> lost;
    private final long job;
    private final int rank;

    /** The dead in the order in which this rank was told. In a logged job they are here when the relay has that event, and all before it is here. */
    private final List<Integer> deaths = new ArrayList<>();

    /** All of which this rank was told. */
    private final BitSet told = new BitSet();

    /** Those that are not among the deaths yet, whether the relay was asked to say when they may be, and of how many of them. */
    private final List<Integer> unconfirmed = new ArrayList<>();

    private boolean isAsked;
    private int askedOf;

    /** Whether the relay has answered since this rank was live. */
    private boolean isToldAll;

    /** How many deaths the program knows of, and the communicators that it knows to be revoked. Only of a logged job. */
    private int learned;

    private final BitSet learnedRevoked = new BitSet();

    /** What an image says of communicators that the program has not made again yet. */
    private final Map<Integer, CommunicatorFailures.Counts> restored = new HashMap<>();

    /** By communicator number. */
    private final Map<Integer, CommunicatorFailures> memberships = new HashMap<>();

    /** Numbers of revoked communicators, which are never used again. */
    private final BitSet revoked = new BitSet();

    private final PendingAgreements agreements = new PendingAgreements(this::write);

    /** What the program has revoked. Only of a logged job. */
    private final List<Revocation> own = new ArrayList<>();

    /** @param lost ends the process after its connection has broken */
    public RankFailures(
            RelayConnection line,
            ProgressEngine progressEngine,
            Inbox inbox,
            Outbox outbox,
            WriteReadiness writeReadiness,
            ThreadUseGuard threadUseGuard,
            DeterminantLog determinantLog,
            DeterminantRecorder determinantRecorder,
            DeterminantWriter determinantWriter,
            Function<IOException, IllegalStateException> lost,
            long job,
            int rank) {
        this.line = line;
        this.progressEngine = progressEngine;
        this.inbox = inbox;
        this.outbox = outbox;
        this.writeReadiness = writeReadiness;
        this.threadUseGuard = threadUseGuard;
        this.determinantLog = determinantLog;
        this.determinantRecorder = determinantRecorder;
        this.determinantWriter = determinantWriter;
        this.lost = lost;
        this.job = job;
        this.rank = rank;
    }

    // ---- calls of the program

    private interface Call<T> {
        T call() throws IOException;
    }

    /** A call of the program that it observes something by, or that others do. */
    private <T> T called(Call<T> call) {
        threadUseGuard.enter();
        try {
            return call.call();
        } catch (IOException e) {
            throw lost.apply(e);
        } finally {
            threadUseGuard.leave();
        }
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
        locked(() -> memberships.put(communicator, new CommunicatorFailures(members, restored.remove(communicator))));
    }

    /** World ranks of the communicator's dead members, in the order in which this rank was told. */
    public int[] failed(int communicator) {
        return called(() -> membership(communicator).failed(known()).stream().mapToInt(Integer::intValue).toArray());
    }

    /** Acknowledges the first {@code count} of {@link #failed}, or all if there are fewer. Returns how many are acknowledged. */
    public int acknowledge(int communicator, int count) {
        return called(() -> membership(communicator).acknowledge(count, known()));
    }

    /** The deaths that the program knows of after this call. */
    private List<Integer> known() throws IOException {
        if (!determinantLog.isLogged()) {
            progressEngine.poll();
            return deaths;
        }
        if (determinantRecorder.replays()) {
            if (!determinantRecorder.failsAgain()) {
                learned = Math.toIntExact(determinantRecorder.again(DeterminantLog.LEARNED, "getFailed or ackFailed"));
            }
            return deaths.subList(0, learned);
        }
        progressEngine.poll();
        while (!unconfirmed.isEmpty()) {
            progressEngine.await();
        }
        if (learned == deaths.size()) {
            determinantRecorder.count(1);
        } else {
            learned = deaths.size();
            determinantRecorder.record(DeterminantLog.LEARNED, learned);
        }
        return deaths.subList(0, learned); // Another may have come while the event waited for room.
    }

    /** Whether a revocation of this communicator is known. */
    public boolean isRevoked(int communicator) {
        return called(() -> determinantLog.isLogged() ? learnsRevoked(communicator) : polledRevoked(communicator));
    }

    private boolean polledRevoked(int communicator) throws IOException {
        progressEngine.poll();
        return revoked.get(communicator);
    }

    private boolean learnsRevoked(int communicator) throws IOException {
        if (learnedRevoked.get(communicator)) {
            return true;
        }
        boolean is;
        if (determinantRecorder.replays()) {
            is = !determinantRecorder.failsAgain();
            if (is) {
                determinantRecorder.again(DeterminantLog.LEARNED, "isRevoked");
            }
        } else {
            is = polledRevoked(communicator);
            if (is) {
                determinantRecorder.record(DeterminantLog.LEARNED, REVOKED);
            } else {
                determinantRecorder.count(1);
            }
        }
        learnedRevoked.set(communicator, is);
        return is;
    }

    /**
     * Whether collectives of this communicator are refused, since a revocation has come: as {@link #isRevoked}, without looking for frames. In a logged
     * job only if the program has learned of it before, and not of a collective that runs in the background.
     */
    public boolean isKnownRevoked(int communicator, boolean background) {
        return locked(() -> determinantLog.isLogged() ? !background && learnedRevoked.get(communicator) : revoked.get(communicator));
    }

    /** The failure that has stopped others of the communicator, and so a collective here; null if none is known. The answer is recorded. */
    public ReceiveException.Kind stopped(int communicator) {
        long what = called(() -> determinantRecorder.value(
                () -> revoked.get(communicator) ? STOPPED_BY_REVOCATION : told.intersects(membership(communicator).members()) ? STOPPED_BY_DEATH : 0));
        return what == STOPPED_BY_REVOCATION ? ReceiveException.Kind.REVOKED : what == STOPPED_BY_DEATH ? ReceiveException.Kind.PROC_FAILED : null;
    }

    /**
     * Handles the end of a communicator.
     *
     * @return whether its number must not be used again: it is revoked, or a member has died, as far as this rank was told, which is recorded; or the job is
     *     logged and agreements were made in it, which are kept by their number
     */
    public boolean closed(int communicator) {
        return called(() -> {
            CommunicatorFailures membership = membership(communicator);
            membership.close();
            boolean isBroken = determinantRecorder.value(() -> revoked.get(communicator) || !membership.failed(deaths).isEmpty() ? 1 : 0) == 1;
            return isBroken || determinantLog.isLogged() && membership.hasAgreed();
        });
    }

    /**
     * Revokes the communicator for all its members. Operations of this rank end when the relay has passed it on.
     *
     * @param further another number whose contexts belong to it
     * @return whether this rank did not know it to be revoked
     */
    public boolean revoke(int communicator, int further) {
        return called(() -> {
            boolean isNew = determinantLog.isLogged() ? !learnedRevoked.get(communicator) : !revoked.get(communicator);
            if (isNew) {
                writeReadiness.await();
                learnedRevoked.set(communicator);
                revoked.set(communicator);
                revoke(communicator, membership(communicator).members());
                revoke(further, membership(communicator).members());
                line.flush();
            }
            return isNew;
        });
    }

    private void revoke(int communicator, BitSet members) throws IOException {
        Revocation revocation = new Revocation(job, 2 * communicator, members);
        if (determinantLog.isLogged()) {
            own.add(revocation);
        }
        write(revocation.encode());
    }

    /** Writes a frame behind all that the program has observed. */
    private void write(ByteBuffer frame) throws IOException {
        if (determinantLog.isLogged()) {
            determinantRecorder.tellPolls();
        }
        line.write(frame);
    }

    /** The relay may not have got what was sent to it over a connection that has broken. */
    public void again() throws IOException {
        for (Revocation revocation : own) {
            write(revocation.encode());
        }
        agreements.again();
    }

    /** The connection has broken: the relay does not answer what it was asked. */
    public void broken() {
        isAsked = false;
        isToldAll = false;
    }

    /** Takes part in an agreement of the communicator's members; the operation has the result when it is done. */
    public AgreementOperation agree(int communicator, Agree.Kind kind, int flags) {
        return called(() -> {
            writeReadiness.await();
            CommunicatorFailures membership = membership(communicator);
            int number = membership.nextAgreement();
            Agree part = new Agree(job, 2 * communicator, rank, number, kind, flags, membership.members(), membership.acknowledged(deaths));
            AgreementOperation operation = agreements.join(part);
            line.flush();
            return operation;
        });
    }

    /**
     * Takes part in the next rebuild of the job; the operation has the result when it is done.
     *
     * @return null if this process waits for one already
     */
    public AgreementOperation rebuild() {
        return locked(() -> {
            writeReadiness.await();
            AgreementOperation operation = agreements.joinRebuild(job, rank);
            line.flush();
            return operation;
        });
    }

    /** This process has come in the place of another one, which was in the communicators with these numbers: they are revoked for it. */
    public void closeEarlier(int... communicators) {
        locked(() -> {
            for (int communicator : communicators) {
                revoked.set(communicator);
            }
            return null;
        });
    }

    private CommunicatorFailures membership(int communicator) {
        CommunicatorFailures membership = memberships.get(communicator);
        if (membership == null) {
            throw new IllegalStateException("communicator " + communicator + " is not known, expected one of " + memberships.keySet());
        }
        return membership;
    }

    // ---- operations

    /** Why no operation may begin in this context with this rank; null if it may. A receive may take what has come before. */
    public ReceiveException refusal(int context, int peer) {
        if (!revoked.isEmpty() && revoked.get(context >> 1)) {
            return ReceiveException.revoked();
        }
        return peer >= 0 && told.get(peer) ? ReceiveException.died(peer) : null;
    }

    /**
     * Why a point-to-point operation fails by what the program knows itself, so that it fails in each process of the rank; null if it does not. Only of a
     * logged job.
     */
    public ReceiveException refusalAsLearned(int context, int peer) {
        if (isCollective(context) || !determinantLog.isLogged()) {
            return null;
        }
        if (learnedRevoked.get(context >> 1)) {
            return ReceiveException.revoked();
        }
        boolean isDead = peer >= 0 && told.get(peer); // Looked up for each message, the list only for the dead.
        return isDead && deaths.subList(0, learned).contains(peer) ? ReceiveException.died(peer) : null;
    }

    /** Whether operations of this context may be in the background, while the program learns. */
    private static boolean isCollective(int context) {
        return (context & 1) != 0;
    }

    /** Whether this rank was told of no death. */
    public boolean areNone() {
        return deaths.isEmpty();
    }

    /** Throws if a waiting receive of any source may wait for a rank that has died unacknowledged. */
    public void requireAcknowledged(Operation operation) throws IOException {
        if (isUnacknowledged(operation) && !((PostedReceive) operation).isMatched()) {
            PostedReceive receive = (PostedReceive) operation;
            determinantRecorder.record(DeterminantLog.RAISED, raised(receive));
            throw new PendingFailureException(unacknowledged(receive.context));
        }
    }

    /**
     * Throws as {@link #requireAcknowledged} if the earlier process did, at this place of its history.
     *
     * @return whether that is not known yet: the history must be read on
     */
    public boolean requireAcknowledgedAgain(Operation operation) throws IOException {
        if (!(operation instanceof PostedReceive receive) || receive.source != Wire.ANY) {
            return false;
        }
        if (determinantLog.isNext(DeterminantLog.RAISED, raised(receive))) {
            determinantRecorder.again(DeterminantLog.RAISED, "a wait");
            throw new PendingFailureException(unacknowledged(receive.context));
        }
        return isUnacknowledged(operation) && determinantLog.isUndecided();
    }

    private static long raised(PostedReceive receive) {
        return (long) receive.context << Integer.SIZE | (int) receive.ordinal() & 0xffffffffL;
    }

    private boolean isUnacknowledged(Operation operation) {
        return !deaths.isEmpty() && operation instanceof PostedReceive receive && receive.source == Wire.ANY && isUnacknowledged(receive.context);
    }

    /** Why a probe of any source must not wait in this context; null if it may. */
    public ReceiveException pending(int context) {
        return isUnacknowledged(context) ? unacknowledgedFailure(context) : null;
    }

    private ReceiveException unacknowledgedFailure(int context) {
        return new ReceiveException(ReceiveException.Kind.PROC_FAILED, unacknowledged(context));
    }

    /** Records that a probe has failed. */
    public void probeFailed(ReceiveException why) throws IOException {
        determinantRecorder.record(DeterminantLog.RAISED,
                why.kind() == ReceiveException.Kind.REVOKED ? PROBE_REVOKED : why.rank() < 0 ? PROBE_OF_ANY : PROBE_OF_FIRST - why.rank());
    }

    /** The failure of a probe in the earlier process; null if it has not failed. Called in a replay. */
    public ReceiveException probeFailedAgain(int context) throws IOException {
        if (!determinantRecorder.isNext(DeterminantLog.RAISED)) {
            return null;
        }
        long what = determinantRecorder.again(DeterminantLog.RAISED, "a probe");
        if (what >= 0) {
            throw determinantRecorder.diverged("a probe");
        }
        return what == PROBE_REVOKED ? ReceiveException.revoked() : what == PROBE_OF_ANY ? unacknowledgedFailure(context)
                : ReceiveException.died((int) (PROBE_OF_FIRST - what));
    }

    private boolean isUnacknowledged(int context) {
        CommunicatorFailures membership = deaths.isEmpty() ? null : memberships.get(context >> 1);
        return membership != null && membership.isUnacknowledged(deaths);
    }

    private String unacknowledged(int context) {
        return "any source, and of its members world ranks " + membership(context >> 1).failed(deaths) + " have died; ackFailed lets it wait for the others";
    }

    // ---- frames of the relay

    /**
     * Handles RANK_FAILED: all that came from the rank has come or waits at the relay. A relay may repeat it in a logged job. It may be on its way while
     * this rank sends FINALIZE, behind which a rank reports no event.
     */
    public void onFailed(ByteBuffer frame) throws WireException, IOException {
        if (determinantRecorder.isOver()) {
            return;
        }
        int dead = RankFailed.decode(frame).rank();
        boolean isNew = !told.get(dead);
        told.set(dead);
        if (isNew && determinantLog.isLogged()) {
            determinantLog.record(DeterminantLog.FAILED, FailureEvent.death(dead).value());
            unconfirmed.add(dead);
        } else if (isNew) {
            deaths.add(dead);
        }
        ReceiveException died = ReceiveException.died(dead);
        inbox.sourceDied(dead, died);
        inbox.failReceives(receive -> receive.source == dead, died);
        outbox.fail(send -> send.destination == dead, died);
        askWhetherConfirmed();
    }

    /** Asks the relay for an ACK of the deaths, if it was not. What it has given this rank before it had them comes before the ACK. */
    public void askWhetherConfirmed() throws IOException {
        if (!unconfirmed.isEmpty()) {
            ask();
        }
    }

    private void ask() throws IOException {
        if (!isAsked && !determinantLog.isCatchingUp() && line.isOpen()) {
            isAsked = true;
            askedOf = unconfirmed.size();
            determinantWriter.ask();
            line.flush();
        }
    }

    /**
     * Whether a failure may still end a wait for this operation, which was taken back. In a replay that is decided when the next event is known: the failure
     * would stand before it, unless the wait is a collective's, which may be in the background. A live rank asks the relay for an ACK, which comes behind all
     * notices of which an earlier process was told.
     */
    public boolean mayStillFail(Operation operation) throws IOException {
        boolean isCollective = operation instanceof PostedReceive receive && isCollective(receive.context)
                || operation instanceof OfferedSend send && isCollective(send.context);
        if (!isCollective && determinantLog.isReplaying() && !determinantLog.isUndecided()) {
            return false;
        }
        if (!isToldAll) {
            ask();
        }
        return !isToldAll;
    }

    /** Handles an ACK. It confirms the deaths of which the relay was asked, not those that have come since. */
    public void onAck() throws IOException {
        if (isAsked && line.kept().isAnswered()) {
            isAsked = false;
            isToldAll = true;
            List<Integer> confirmed = unconfirmed.subList(0, askedOf);
            deaths.addAll(confirmed);
            confirmed.clear();
            askWhetherConfirmed();
        }
    }

    /** Handles REVOKE of a communicator of this rank. */
    public void onRevoked(ByteBuffer frame) throws WireException, IOException {
        if (determinantRecorder.isOver()) {
            return;
        }
        int communicator = Revocation.decode(frame).context() >> 1;
        revoked.set(communicator);
        inbox.revoked(context -> context >> 1 == communicator, ReceiveException.revoked());
        outbox.fail(send -> send.context >> 1 == communicator, ReceiveException.revoked());
    }

    /** Handles AGREED. In a logged job it may come again, or for an agreement to which the program has not come again yet. */
    public void onAgreed(ByteBuffer frame) throws WireException {
        agreements.onAgreed(Agreed.decode(frame), determinantLog.isLogged());
    }

    /** Handles the failures in the part of the history that has come. */
    public void onHistory() throws IOException {
        for (long value : determinantLog.takeFailed()) {
            FailureEvent event = FailureEvent.of(value);
            ReceiveException why = event.revoked() ? ReceiveException.revoked() : ReceiveException.died(event.rank());
            if (event.isDeath()) {
                told.set(event.rank());
                deaths.add(event.rank());
            } else if (event.isSend()) {
                outbox.failedBefore(event, why);
            } else {
                inbox.failedBefore(event, why);
            }
        }
    }

    // ---- images

    /** Why the state cannot be saved; null if it can. */
    public String busy() {
        return agreements.isEmpty() ? null : "an agreement is under way";
    }

    /** Writes this part of an image. */
    public void write(DataOutputStream image) throws IOException {
        image.writeInt(deaths.size());
        for (int dead : deaths) {
            image.writeInt(dead);
        }
        image.writeInt(learned);
        long[] words = learnedRevoked.toLongArray();
        image.writeInt(words.length);
        for (long word : words) {
            image.writeLong(word);
        }
        Map<Integer, CommunicatorFailures> open = new HashMap<>(memberships);
        open.values().removeIf(CommunicatorFailures::isClosed);
        image.writeInt(open.size());
        for (Map.Entry<Integer, CommunicatorFailures> membership : open.entrySet()) {
            image.writeInt(membership.getKey());
            membership.getValue().counts().write(image);
        }
    }

    /** Restores the state from an image. The program has made some of its communicators again, and makes others later. */
    public void read(DataInputStream image) throws IOException {
        deaths.clear();
        for (int left = image.readInt(); left > 0; left--) {
            deaths.add(image.readInt());
        }
        deaths.forEach(told::set);
        learned = image.readInt();
        long[] words = new long[image.readInt()];
        for (int i = 0; i < words.length; i++) {
            words[i] = image.readLong();
        }
        learnedRevoked.clear();
        learnedRevoked.or(BitSet.valueOf(words));
        restored.clear();
        for (int left = image.readInt(); left > 0; left--) {
            restored.put(image.readInt(), CommunicatorFailures.Counts.read(image));
        }
        for (int communicator : List.copyOf(restored.keySet())) {
            if (memberships.containsKey(communicator)) {
                memberships.get(communicator).goOn(restored.remove(communicator));
            }
        }
    }
}
