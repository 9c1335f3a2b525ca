package org.posthouse.mpj.send;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.DeterminantWriter;
import org.posthouse.mpj.determinant.FailureEvent;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.ContentCopy;
import org.posthouse.mpj.operation.OfferedSend;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Confirmed;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Promoted;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The send side of a rank: the form of each message, its sequence number, its credit, and the offers that wait for
 * CLEAR (docs/wire.md, forms of a message). Guarded by its endpoint's lock.
 */
public final class Outbox {
    private static final int WITHDRAW_BYTES = FrameType.WITHDRAW.bytesMin();

    /**
     * Most sends that one rank of a logged job may cancel. This is half of what its relay remembers; any further Cancel
     * fails as too late.
     */
    static final int TAKEN_BACK_MAX = 256 * 1024;

    private record Transfer(int context, int destination, long sequence) {}

    private final DeterminantWriter line;
    private final long job;
    private final int rank;
    private final DeterminantLog determinantLog;
    private final DeliveredPrefix deliveredPrefix = new DeliveredPrefix();
    private final int eagerBytesMax;
    private final Map<Transfer, OfferedSend> offered = new HashMap<>();
    private final SendBacklog backlog = new SendBacklog();
    private final Map<Transfer, OfferedSend> withdrawing = new HashMap<>();
    private final Map<Integer, long[]> sequences = new HashMap<>();

    /** Cleared offers that wait for room on the connection. */
    private final ArrayDeque<OfferedSend> held = new ArrayDeque<>();

    /** Offers to be taken back as soon as the connection has room. */
    private final ArrayDeque<OfferedSend> failing = new ArrayDeque<>();

    /** Sends that have ended, whose offers the relay may forget and was not told. */
    private final ArrayDeque<OfferedSend> givenUp = new ArrayDeque<>();

    /** The sends that have failed in the earlier process and have not begun here. */
    private final Map<FailureEvent, ReceiveException> failedBefore = new HashMap<>();

    /** Sends that an earlier process has taken back, and that wait for what the history says of them. */
    private final Set<OfferedSend> gone = new LinkedHashSet<>();

    /** Whether offers were dropped, of which the relay may still tell. */
    private boolean hasDropped;

    /** What this process would have sent, if it is a follower; null if it leads. */
    private UnconfirmedSends unconfirmed;

    /** Whether a frame was written that another process may be waiting for. */
    private boolean urgent;

    /** Whether the relay may repeat frames that it has sent on an earlier connection. */
    private boolean cameAgain;

    private int size;
    private long creditBytes;
    private int creditMessages;
    private int chunkBytesMax;

    /** @param eagerBytesMax longest message in bytes that is sent without waiting for its receive */
    public Outbox(DeterminantWriter line, long job, int rank, DeterminantLog determinantLog, int eagerBytesMax) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        this.determinantLog = determinantLog;
        this.eagerBytesMax = eagerBytesMax;
    }

    /** Handles the relay's WELCOME, on the first connection or a later one. */
    public void open(Welcome answer) {
        size = answer.size();
        creditBytes = answer.creditBytes();
        creditMessages = answer.creditMessages();
        backlog.credit();
        chunkBytesMax = answer.chunkBytesMax();
    }

    /** Adds credit from the relay: bytes and messages. */
    public void credit(long bytes, int messages) {
        creditBytes += bytes;
        creditMessages += messages;
        backlog.credit();
    }

    /** The part of this rank's messages that the relay has; valid before the first send. */
    public DeliveredPrefix accepted() {
        return deliveredPrefix;
    }

    /**
     * Writes the message's first frame, and the chunks that may follow at once. They are sent with the next flush at
     * the latest. If the relay has too many offers of this rank, the message waits instead.
     */
    public Operation send(int context, int destination, int tag, Content content, SendMode mode) throws IOException {
        return send(context, destination, tag, content, mode, null);
    }

    /**
     * As above.
     *
     * @param why how the send fails if it would wait for its receive; null if it does not
     */
    public Operation send(int context, int destination, int tag, Content content, SendMode mode, ReceiveException why) throws IOException {
        OfferedSend offeredSend = new OfferedSend(content, context, destination, tag, mode);
        if (why != null && waits(offeredSend)) {
            offeredSend.fails(why);
        }
        if (!backlog.holds(context, destination) && mayBegin(offeredSend)) {
            begin(offeredSend);
        } else {
            backlog.add(offeredSend);
        }
        return offeredSend;
    }

    /** Whether the message may start: it is no new offer for the relay, or the relay accepts one more. */
    private boolean mayBegin(OfferedSend offeredSend) {
        if (unconfirmed != null) {
            return !unconfirmed.isFull();
        }
        if (isToTheDead(offeredSend) || backlog.mayOffer(offeredSend.context, offeredSend.destination)
                || form(offeredSend.content.bytes(), offeredSend.mode) != FrameType.OFFER) {
            return true;
        }
        long sequence = offeredSend.sequence > 0 ? offeredSend.sequence : lastSequence(offeredSend) + 1;
        return switch (deliveredPrefix.fate(offeredSend.context, offeredSend.destination, sequence)) {
            case NEW, AGAIN -> false;
            case EAGER_AGAIN, OFFER_AGAIN, RESENT, GONE -> true;
        };
    }

    private void begin(OfferedSend offeredSend) throws IOException {
        if (offeredSend.sequence == 0) {
            offeredSend.sequence = nextSequence(offeredSend.context, offeredSend.destination);
        }
        if (unconfirmed != null) {
            claim(offeredSend);
            return;
        }
        if (!failedBefore.isEmpty()) {
            failAgain(offeredSend, failedBefore.remove(failed(offeredSend, false)));
            failAgain(offeredSend, failedBefore.remove(failed(offeredSend, true)));
        }
        if (isToTheDead(offeredSend) && (offeredSend.isFailingAgain() || isFirst(offeredSend))) {
            end(offeredSend);
            return;
        }
        start(offeredSend);
        if (offeredSend.failing() != null) {
            takeBack(offeredSend);
        }
    }

    private void start(OfferedSend offeredSend) throws IOException {
        long bytes = offeredSend.content.bytes();
        switch (deliveredPrefix.fate(offeredSend.context, offeredSend.destination, offeredSend.sequence)) {
            case NEW -> send(offeredSend, form(bytes, offeredSend.mode), 0, Wire.cost(bytes));
            case AGAIN -> send(offeredSend, form(bytes, offeredSend.mode), FrameView.AGAIN, Wire.cost(bytes));
            case EAGER_AGAIN -> send(offeredSend, formAgain(bytes), FrameView.AGAIN, 0);
            case OFFER_AGAIN -> send(offeredSend, FrameType.OFFER, FrameView.AGAIN, 0);
            case RESENT -> resend(offeredSend);
            case GONE -> {
                offeredSend.gone();
                gone.add(offeredSend);
            }
        }
    }

    /** @param cost credit that the message takes, unless it is an OFFER; 0 if it took its credit before */
    private void send(OfferedSend offeredSend, FrameType form, int flags, long cost) throws IOException {
        urgent = true;
        Content content = offeredSend.content;
        long bytes = content.bytes();
        int rides = form == FrameType.SEND ? (int) bytes : 0;
        line.begin(Wire.MESSAGE_HEADER_BYTES + rides)
                .begin(form, Wire.MESSAGE_HEADER_BYTES, job)
                .flags(flags | (form == FrameType.OFFER && mayBeStored(bytes, offeredSend.mode) ? FrameView.STORABLE : 0))
                .address(offeredSend.context, rank, offeredSend.destination, offeredSend.tag)
                .sequence(offeredSend.sequence)
                .content(bytes, content.elements(), content.datatype())
                .failedPolls(determinantLog.tellPolls());
        if (rides > 0) {
            line.end(Wire.MESSAGE_HEADER_BYTES, content, 0, rides);
        } else {
            line.end(Wire.MESSAGE_HEADER_BYTES);
        }
        if (form == FrameType.OFFER) {
            offered.put(transfer(offeredSend), offeredSend);
            backlog.offered(offeredSend);
            return;
        }
        if (cost > 0) {
            creditBytes -= cost;
            creditMessages--;
        }
        offeredSend.sent = rides;
        sendChunks(offeredSend, bytes, chunkBytes(bytes / 4));
        offeredSend.believed();
    }

    /** Whether any message was written since the last call that has not arrived already. */
    public boolean takeUrgent() {
        boolean was = urgent;
        urgent = false;
        return was;
    }

    /** Sends RESENT for a message that already arrived: only its checksum. The frame may wait, and takes no credit. */
    private void resend(OfferedSend offeredSend) throws IOException {
        sayChecksum(offeredSend, checksum(offeredSend.content), 0);
        offeredSend.believed();
    }

    private void sayChecksum(OfferedSend offeredSend, int checksum, int flags) throws IOException {
        Content content = offeredSend.content;
        line.begin(Wire.MESSAGE_HEADER_BYTES)
                .begin(FrameType.RESENT, Wire.MESSAGE_HEADER_BYTES, job)
                .flags(flags)
                .address(offeredSend.context, rank, offeredSend.destination, offeredSend.tag)
                .sequence(offeredSend.sequence)
                .content(content.bytes(), content.elements(), content.datatype())
                .checksum(checksum)
                .failedPolls(determinantLog.tellPolls());
        line.end(Wire.MESSAGE_HEADER_BYTES);
    }

    private static int checksum(Content content) {
        MessageChecksum checksum = new MessageChecksum();
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(content.bytes(), Wire.PAYLOAD_BYTES_MAX));
        for (long at = 0; at < content.bytes(); at += Wire.PAYLOAD_BYTES_MAX) {
            piece.clear().limit((int) Math.min(content.bytes() - at, Wire.PAYLOAD_BYTES_MAX));
            content.write(at, piece.slice().order(ByteOrder.LITTLE_ENDIAN));
            checksum.add(MessageChecksum.piece(piece));
        }
        return checksum.value();
    }

    /**
     * The form of a message that the relay has, wholly or in part. It takes no credit. The relay clears it at once if
     * it was offered only for its length.
     */
    private static FrameType formAgain(long bytes) {
        if (bytes > Wire.EAGER_BYTES_MAX) {
            return FrameType.OFFER;
        }
        return bytes > 0 ? FrameType.EAGER : FrameType.SEND;
    }

    private FrameType form(long bytes, SendMode mode) {
        if (!hasCredit(bytes) || !mayBeStored(bytes, mode)) {
            return FrameType.OFFER;
        }
        return bytes > Wire.PAYLOAD_BYTES_MAX ? FrameType.EAGER : FrameType.SEND;
    }

    private boolean hasCredit(long bytes) {
        return Wire.cost(bytes) <= creditBytes && creditMessages > 0;
    }

    /** Whether such a message would be offered only for want of credit. */
    public boolean wantsCredit(long bytes, SendMode mode) {
        return mayBeStored(bytes, mode) && !hasCredit(bytes);
    }

    /** Whether the message may be sent before its receive is posted. */
    public boolean mayBeStored(long bytes, SendMode mode) {
        return mode != SendMode.SYNCHRONOUS && bytes <= eagerBytesMax;
    }

    private long nextSequence(int context, int destination) {
        long[] last = sequences.get(context);
        if (last == null) {
            last = new long[size];
            sequences.put(context, last);
        }
        return ++last[destination];
    }

    private long lastSequence(OfferedSend offeredSend) {
        long[] last = sequences.get(offeredSend.context);
        return last == null ? 0 : last[offeredSend.destination];
    }

    private static Transfer transfer(OfferedSend offeredSend) {
        return new Transfer(offeredSend.context, offeredSend.destination, offeredSend.sequence);
    }

    /** Writes the chunks of [sent, upTo). They are sent with the next flush at the latest. */
    private void sendChunks(OfferedSend offeredSend, long upTo, int most) throws IOException {
        while (offeredSend.sent < upTo) {
            int bytes = (int) Math.min(upTo - offeredSend.sent, most);
            line.begin(Wire.CHUNK_HEADER_BYTES + bytes)
                    .begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, job)
                    .address(offeredSend.context, rank, offeredSend.destination, 0)
                    .sequence(offeredSend.sequence)
                    .offset(offeredSend.sent);
            line.end(Wire.CHUNK_HEADER_BYTES, offeredSend.content, offeredSend.sent, bytes);
            offeredSend.sent += bytes;
        }
    }

    /**
     * The length of chunks in bytes: as many whole pieces as fit, and at least one. A chunk is at most a quarter of a
     * message, so that the relay forwards one part while the next comes. It is at most half of the cleared bytes, so
     * that the relay clears more while some are on their way.
     */
    private int chunkBytes(long most) {
        return (int) Math.max(Wire.PAYLOAD_BYTES_MAX, Math.min(most - most % Wire.PAYLOAD_BYTES_MAX, chunkBytesMax));
    }

    /** Handles the relay's CLEAR of an offer. */
    public void onClear(FrameView view) throws WireException, IOException {
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        OfferedSend offeredSend = offered.get(transfer);
        if (offeredSend == null && (cameAgain || hasDropped)) {
            return;
        }
        if (offeredSend == null || view.offset() > offeredSend.content.bytes()) {
            throw new WireException(CloseReason.NOT_EXPECTED, "CLEAR up to " + view.offset() + " of " + transfer);
        }
        offeredSend.cleared = Math.max(offeredSend.cleared, view.offset());
        backlog.cleared(offeredSend);
        if (offeredSend.cleared == offeredSend.sent) {
            endIfSent(offeredSend);
            proceed();
        } else {
            offeredSend.chunkBytes = chunkBytes(Math.min(offeredSend.content.bytes() / 4, (offeredSend.cleared - offeredSend.sent) / 2));
            held.add(offeredSend);
            proceed();
        }
    }

    /**
     * Sends cleared bytes, then starts the messages that have waited, as far as there is room. The frames are sent with
     * the next flush at the latest.
     */
    public void proceed() throws IOException {
        while (!failing.isEmpty() && line.hasRoom()) {
            OfferedSend offeredSend = failing.remove();
            if (!offeredSend.isDone() && !offeredSend.isBeingCancelled()) {
                withdraw(offeredSend);
            }
        }
        while (!givenUp.isEmpty() && line.hasRoom()) {
            sayWithdraw(givenUp.remove());
        }
        while (!held.isEmpty() && line.hasRoom()) {
            OfferedSend offeredSend = held.peek();
            sendChunks(offeredSend, Math.min(offeredSend.cleared, offeredSend.sent + offeredSend.chunkBytes), offeredSend.chunkBytes);
            if (offeredSend.sent == offeredSend.cleared) {
                held.remove();
                endIfSent(offeredSend);
            }
        }
        if (!backlog.isEmpty()) {
            beginWaiting();
        }
    }

    private void beginWaiting() throws IOException {
        while (line.hasRoom()) {
            OfferedSend next = backlog.next(this::mayBegin);
            if (next == null) {
                return;
            }
            begin(next);
        }
    }

    /** Whether frames may be waiting for room on the connection. */
    public boolean isHeld() {
        return !givenUp.isEmpty() || !held.isEmpty() || !backlog.isEmpty();
    }

    private void endIfSent(OfferedSend offeredSend) {
        if (offeredSend.sent == offeredSend.content.bytes()) {
            forget(offeredSend);
            offeredSend.done();
        }
    }

    private void forget(OfferedSend offeredSend) {
        offered.remove(transfer(offeredSend));
        backlog.cleared(offeredSend);
    }

    /** A value that changes when a byte of an offer is sent, or when an offer begins or ends. */
    public long trace() {
        long trace = backlog.trace();
        for (OfferedSend offeredSend : offered.values()) {
            trace += (offeredSend.sequence * 31 + offeredSend.destination) * 0x9E3779B97F4A7C15L + offeredSend.sent;
        }
        return trace;
    }

    /** For each used channel, its last sequence number. */
    public List<StatePage.Entry> sent() {
        List<StatePage.Entry> sent = new ArrayList<>();
        sequences.forEach((context, last) -> {
            for (int destination = 0; destination < last.length; destination++) {
                if (last[destination] > 0) {
                    sent.add(new StatePage.Entry(StatePage.SENT, context, destination, last[destination]));
                }
            }
        });
        return sent;
    }

    // ---- a follower's messages

    /**
     * From here to {@link #lead} nothing is sent but the checksums of messages, and these are kept.
     *
     * @param bytesMax most bytes of kept messages; one message may exceed the limit
     */
    public void follow(long bytesMax) {
        unconfirmed = new UnconfirmedSends(bytesMax);
    }

    /** A synchronous send stays open until its leader's is stable, and so has been received. */
    private void claim(OfferedSend offeredSend) throws IOException {
        ContentCopy copy = new ContentCopy(offeredSend.content);
        offeredSend.content = copy;
        unconfirmed.add(offeredSend);
        claim(offeredSend, copy);
        if (offeredSend.mode != SendMode.SYNCHRONOUS) {
            offeredSend.believed();
        }
    }

    private void claim(OfferedSend offeredSend, ContentCopy copy) throws IOException {
        sayChecksum(offeredSend, copy.checksum(), offeredSend.mode == SendMode.SYNCHRONOUS ? FrameView.ACK_NOW : 0);
    }

    /** Says the checksums of all kept messages again, because the connection has broken. */
    public void claimAgain() throws IOException {
        for (OfferedSend offeredSend : unconfirmed.all()) {
            claim(offeredSend, (ContentCopy) offeredSend.content);
        }
    }

    /** Handles CONFIRMED. A message that was taken back is not here any more. */
    public void onConfirmed(Confirmed confirmed) throws WireException, IOException {
        if (unconfirmed == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "CONFIRMED to a process that does not follow");
        }
        for (Confirmed.Message message : confirmed.messages()) {
            OfferedSend offeredSend = unconfirmed.remove(message.context(), message.destination(), message.sequence());
            if (offeredSend != null) {
                offeredSend.believed();
            }
        }
        backlog.credit();
        proceed();
    }

    /** Whether the relay has the checksums of all sends that were called. */
    public boolean hasClaimedAll() {
        return backlog.isEmpty();
    }

    /** The leader has taken back this send, which is in the history. */
    private void takeBackAsLeader(OfferedSend offeredSend) {
        unconfirmed.remove(offeredSend.context, offeredSend.destination, offeredSend.sequence);
        deliveredPrefix.tookBack(offeredSend.context, offeredSend.destination, offeredSend.sequence);
        offeredSend.withdrawn();
    }

    /** The process leads from here on, and the relay has told what it has: sends the kept messages that it lacks. */
    public void lead(Promoted promoted) throws IOException {
        List<OfferedSend> kept = unconfirmed.takeAll();
        unconfirmed = null;
        creditBytes = promoted.creditBytes();
        creditMessages = promoted.creditMessages();
        deliveredPrefix.restarted();
        for (int last = kept.size() - 1; last >= 0; last--) {
            OfferedSend offeredSend = kept.get(last);
            switch (deliveredPrefix.known(offeredSend.context, offeredSend.destination, offeredSend.sequence)) {
                case RESENT -> offeredSend.believed();
                case GONE -> offeredSend.gone();
                case NEW, AGAIN, EAGER_AGAIN, OFFER_AGAIN -> {
                    offeredSend.isOwed = true;
                    backlog.addFirst(offeredSend);
                }
            }
        }
        backlog.credit();
        proceed();
    }

    // ---- after a break

    /** Adds the pending offers that are not started again on the next connection. */
    public void offered(ResendFilter resendFilter, List<StatePage.Entry> state) {
        for (OfferedSend offeredSend : offered.values()) {
            resendFilter.goesOn(offeredSend.context, offeredSend.destination, offeredSend.sequence, offeredSend.sent, offeredSend.content.bytes());
        }
        state.addAll(resendFilter.goingOn());
    }

    /** Completes the reconnection: the relay has told what it has, and the rank has sent the rest again. */
    public void again(ResendFilter resendFilter) throws WireException {
        cameAgain = true;
        held.clear();
        creditBytes -= resendFilter.costBytes();
        creditMessages -= resendFilter.costMessages();
        for (OfferedSend offeredSend : List.copyOf(offered.values())) {
            offeredSend.cleared = offeredSend.sent;
            settle(offeredSend, deliveredPrefix.known(offeredSend.context, offeredSend.destination, offeredSend.sequence));
        }
    }

    /** Settles an offer whose outcome the relay may have sent over the broken connection. */
    private void settle(OfferedSend offeredSend, DeliveredPrefix.Fate fate) throws WireException {
        Transfer transfer = transfer(offeredSend);
        if (fate == DeliveredPrefix.Fate.GONE && withdrawing.remove(transfer) != null) {
            forget(offeredSend);
            offeredSend.beingCancelled(false);
            offeredSend.withdrawn();
            record(offeredSend);
        } else if (fate == DeliveredPrefix.Fate.RESENT) {
            if (offeredSend.sent < offeredSend.content.bytes() && !deliveredPrefix.isRestarted()) {
                throw new WireException(
                        CloseReason.CANNOT_RESUME,
                        "the relay has all of " + transfer + ", of which only " + offeredSend.sent + " bytes were sent");
            }
            offeredSend.sent = offeredSend.content.bytes(); // An earlier process had sent the rest.
            endIfSent(offeredSend);
        }
    }

    /** Repeats the pending WITHDRAW requests, except those that are known to be too late. */
    public void withdrawAgain() throws IOException {
        withdrawing.values().removeIf(this::isTooLate);
        for (OfferedSend offeredSend : withdrawing.values()) {
            sayWithdraw(offeredSend);
        }
    }

    private boolean isTooLate(OfferedSend offeredSend) {
        boolean late = !mayBeGone(offeredSend);
        offeredSend.beingCancelled(!late);
        return late;
    }

    /** Whether no offer is pending that a caller waits for, or that the relay is to forget. */
    public boolean isEmpty() {
        return givenUp.isEmpty() && backlog.isEmpty() && offered.values().stream().allMatch(offeredSend -> offeredSend.isDone() && !offeredSend.isOwed);
    }

    /** Writes the outbox's part of an image: the last sequence number of each channel. */
    public void write(DataOutputStream image) throws IOException {
        List<StatePage.Entry> channels = sent();
        image.writeInt(channels.size());
        for (StatePage.Entry channel : channels) {
            image.writeInt(channel.context());
            image.writeInt(channel.peer());
            image.writeLong(channel.a());
        }
    }

    /** Restores the state from an image. */
    public void read(DataInputStream image) throws IOException {
        sequences.clear();
        for (int left = image.readInt(); left > 0; left--) {
            long[] last = sequences.computeIfAbsent(image.readInt(), none -> new long[size]);
            int destination = image.readInt();
            last[destination] = image.readLong();
        }
    }

    /**
     * Ends the sends that {@code which} selects and that nobody has matched: offers are taken back first. In a logged job only those that wait for their
     * receives; the others complete, since another process could not know before that they fail. So do those that are cleared.
     */
    public void fail(Predicate<OfferedSend> which, ReceiveException why) throws IOException {
        if (determinantLog.isLogged()) {
            failLogged(which, why);
            return;
        }
        backlog.fail(which, why);
        for (OfferedSend send : offered.values()) {
            if (!send.isDone() && which.test(send)) {
                send.fails(why);
                failing.add(send);
            }
        }
        proceed();
    }

    private void failLogged(Predicate<OfferedSend> which, ReceiveException why) throws IOException {
        backlog.forEach(send -> {
            if (which.test(send) && waits(send)) {
                send.fails(why); // It ends when it begins, so that the numbers of its channel are in order.
            }
        });
        for (OfferedSend send : List.copyOf(offered.values())) {
            if (send.isUncleared && !send.isDone() && !send.isFailingAgain() && which.test(send) && waits(send)) {
                send.fails(why);
                takeBack(send);
            }
        }
        for (OfferedSend send : List.copyOf(gone)) {
            if (!send.isFailingAgain() && which.test(send)) {
                send.fails(why);
                end(send); // The earlier process had taken it back for this reason, and had not said so.
            }
        }
        backlog.credit();
        proceed();
    }

    /** Whether no earlier process can have sent it, and have seen it succeed. */
    private boolean isFirst(OfferedSend send) {
        return deliveredPrefix.fate(send.context, send.destination, send.sequence) == DeliveredPrefix.Fate.NEW;
    }

    /**
     * Ends a send that fails: at once if its receiver is dead and no earlier process may have seen that it was received, else when the receiver's relay has
     * answered that nothing has matched it.
     */
    private void takeBack(OfferedSend send) throws IOException {
        if (isToTheDead(send) && (send.isFailingAgain() || isFirst(send))) {
            if (!send.isBeingCancelled() && send.sent == 0 && offered.containsKey(transfer(send))) {
                sayGivenUp(send);
            }
            hasDropped = true;
            offered.remove(transfer(send));
            withdrawing.remove(transfer(send));
            held.remove(send);
            backlog.cleared(send);
            send.beingCancelled(false);
            end(send);
        } else if (send.isGone()) {
            end(send);
        } else if (send.isDone() || send.isBeingCancelled() || send.sent > 0) {
            return; // Its outcome is known, or asked for; or it was matched, and goes on.
        } else if (line.hasRoom()) {
            withdraw(send);
        } else {
            failing.add(send);
        }
    }

    /** Says WITHDRAW now, or on the next connection if this one is being left. The relay forgets the offer, and its answer is ignored. */
    private void sayGivenUp(OfferedSend send) throws IOException {
        if (line.isOpen()) {
            sayWithdraw(send);
        } else {
            givenUp.add(send);
        }
    }

    private void end(OfferedSend send) {
        gone.remove(send);
        send.abandon(send.failing());
        record(send);
    }

    /** Records that a send has failed, if this process is the first in which it has. */
    private void record(OfferedSend send) {
        if (send.failing() != null && !send.isFailingAgain()) {
            determinantLog.record(DeterminantLog.FAILED, failed(send, send.failing().kind() == ReceiveException.Kind.REVOKED).value());
        }
    }

    private static FailureEvent failed(OfferedSend send, boolean revoked) {
        return new FailureEvent(true, revoked, send.destination, send.context, (int) send.sequence);
    }

    private static boolean isToTheDead(OfferedSend send) {
        return send.failing() != null && send.failing().kind() == ReceiveException.Kind.PROC_FAILED;
    }

    /** Whether the send waits for its receive, whatever the credit. */
    private boolean waits(OfferedSend send) {
        return !mayBeStored(send.content.bytes(), send.mode);
    }

    /** Handles an event of the history: this send had failed. */
    public void failedBefore(FailureEvent event, ReceiveException why) throws IOException {
        for (OfferedSend send : gone) {
            if (failed(send, event.revoked()).equals(event)) {
                failAgain(send, why);
                takeBack(send);
                return;
            }
        }
        for (OfferedSend send : List.copyOf(offered.values())) {
            if (failed(send, event.revoked()).equals(event)) {
                failAgain(send, why);
                takeBack(send);
                proceed();
                return;
            }
        }
        failedBefore.put(event, why);
    }

    private static void failAgain(OfferedSend send, ReceiveException why) {
        if (why != null) {
            send.failsAgain(why);
        }
    }

    /** Ends all offers in a context with an error. */
    public void abandon(int context, ReceiveException why) {
        offered.values().stream().filter(offeredSend -> offeredSend.context == context).forEach(offeredSend -> offeredSend.abandon(why));
        backlog.abandon(context, why);
    }

    /** A send that has failed before its start. */
    public static Operation abandoned(int context, int destination, int tag, Content content, ReceiveException why) {
        OfferedSend offeredSend = new OfferedSend(content, context, destination, tag, SendMode.STANDARD);
        offeredSend.abandon(why);
        return offeredSend;
    }

    /**
     * Asks to cancel a send, or tells whether it is cancelled already; false if there is nothing to ask. A send that
     * has not started is cancelled at once and leaves no gap in its channel. It is not cancelled if another process of
     * the rank may have started it: that process would have counted it.
     */
    public boolean withdraw(OfferedSend offeredSend) throws IOException {
        if (offeredSend.isWaiting) {
            if (!determinantLog.isLogged()) {
                backlog.remove(offeredSend);
                offeredSend.withdrawn();
            }
            return false;
        }
        if (isTakingBackUsedUp()) {
            return false;
        }
        if (unconfirmed != null) {
            takeBackAsLeader(offeredSend);
            return false;
        }
        if (offeredSend.isGone()) {
            gone.remove(offeredSend);
            offeredSend.withdrawn();
        }
        if (!mayBeGone(offeredSend)) {
            return false;
        }
        sayWithdraw(offeredSend);
        withdrawing.put(transfer(offeredSend), offeredSend);
        offeredSend.beingCancelled(true);
        return true;
    }

    /** Whether the limit of cancelled sends is reached. A logged job remembers each until it ends. */
    private boolean isTakingBackUsedUp() {
        return determinantLog.isLogged() && deliveredPrefix.takenBack() + withdrawing.size() >= TAKEN_BACK_MAX;
    }

    /**
     * Whether the send can be cancelled. An earlier process may also have cancelled it, having offered what this one
     * has sent whole.
     */
    private boolean mayBeGone(OfferedSend offeredSend) {
        return offeredSend.isBelieved() ? deliveredPrefix.isRestarted() && !offeredSend.isCancelled() : !offeredSend.isDone() && offeredSend.sent == 0;
    }

    private void sayWithdraw(OfferedSend offeredSend) throws IOException {
        line.begin(WITHDRAW_BYTES)
                .begin(FrameType.WITHDRAW, WITHDRAW_BYTES, job)
                .address(offeredSend.context, rank, offeredSend.destination, 0)
                .sequence(offeredSend.sequence)
                .post(0, determinantLog.tellPolls());
        line.end(WITHDRAW_BYTES);
    }

    /** Handles the relay's answer to the cancel of a send. */
    public void onWithdrawn(FrameView view) throws WireException {
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        OfferedSend offeredSend = withdrawing.remove(transfer);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (offeredSend == null && (cameAgain || hasDropped)) {
            return;
        }
        if (offeredSend == null || gone && !mayBeGone(offeredSend)) {
            throw new WireException(CloseReason.NOT_EXPECTED, view + " of " + transfer + ", which was not to be withdrawn");
        }
        offeredSend.beingCancelled(false);
        if (gone) {
            forget(offeredSend);
            if (determinantLog.isLogged()) {
                deliveredPrefix.tookBack(transfer.context, transfer.destination, transfer.sequence);
            }
            offeredSend.withdrawn();
            record(offeredSend);
        }
    }
}
