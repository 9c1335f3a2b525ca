package org.posthouse.mpj;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * What a rank sends: the form of each message, its place in its channel, the credit that it takes, and the offers whose
 * bytes wait for the relay's word (docs/wire.md, forms of a message). Guarded by its endpoint's lock.
 */
final class Outbox {
    private static final int WITHDRAW_BYTES = FrameType.WITHDRAW.bytesMin();

    /** Sends of a logged job that one rank takes back; half of what its relay remembers. Any further Cancel comes too late. */
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

    /** Offers that were cleared, and wait for room on the line. */
    private final ArrayDeque<OfferedSend> held = new ArrayDeque<>();

    /** Whether something was written that somebody may wait for. */
    private boolean urgent;

    /** Whether the relay may say what it has said on an earlier connection. */
    private boolean cameAgain;

    private int size;
    private long creditBytes;
    private int creditMessages;
    private int chunkBytesMax;

    /** @param eagerBytesMax longest message in bytes that is sent without waiting for its receive */
    Outbox(DeterminantWriter line, long job, int rank, DeterminantLog determinantLog, int eagerBytesMax) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        this.determinantLog = determinantLog;
        this.eagerBytesMax = eagerBytesMax;
    }

    /** The relay has admitted the rank to a job, first or again. */
    void open(Welcome answer) {
        size = answer.size();
        creditBytes = answer.creditBytes();
        creditMessages = answer.creditMessages();
        backlog.credit();
        chunkBytesMax = answer.chunkBytesMax();
    }

    void credit(long bytes, int messages) {
        creditBytes += bytes;
        creditMessages += messages;
        backlog.credit();
    }

    /** What the relay has of this rank's messages, told before the first. */
    DeliveredPrefix accepted() {
        return deliveredPrefix;
    }

    /**
     * Writes the message's first frame, and what may follow at once; they leave at the latest with the next flush. Or it waits, while the relay has too many offers of this rank.
     */
    Operation send(int context, int destination, int tag, Content content, SendMode mode) throws IOException {
        OfferedSend offeredSend = new OfferedSend(content, context, destination, tag, mode);
        if (!backlog.holds(context, destination) && mayBegin(offeredSend)) {
            begin(offeredSend);
        } else {
            backlog.add(offeredSend);
        }
        return offeredSend;
    }

    /** Whether it is no offer that the relay has not, or the relay may be given one more. */
    private boolean mayBegin(OfferedSend offeredSend) {
        if (backlog.mayOffer(offeredSend.context, offeredSend.destination) || form(offeredSend.content.bytes(), offeredSend.mode) != FrameType.OFFER) {
            return true;
        }
        return switch (deliveredPrefix.fate(offeredSend.context, offeredSend.destination, lastSequence(offeredSend) + 1)) {
            case NEW, AGAIN -> false;
            case EAGER_AGAIN, OFFER_AGAIN, RESENT, GONE -> true;
        };
    }

    private void begin(OfferedSend offeredSend) throws IOException {
        offeredSend.sequence = nextSequence(offeredSend.context, offeredSend.destination);
        long bytes = offeredSend.content.bytes();
        switch (deliveredPrefix.fate(offeredSend.context, offeredSend.destination, offeredSend.sequence)) {
            case NEW -> send(offeredSend, form(bytes, offeredSend.mode), 0, Wire.cost(bytes));
            case AGAIN -> send(offeredSend, form(bytes, offeredSend.mode), FrameView.AGAIN, Wire.cost(bytes));
            case EAGER_AGAIN -> send(offeredSend, formAgain(bytes), FrameView.AGAIN, 0);
            case OFFER_AGAIN -> send(offeredSend, FrameType.OFFER, FrameView.AGAIN, 0);
            case RESENT -> resend(offeredSend);
            case GONE -> offeredSend.gone();
        }
    }

    /** @param cost what it takes of the credit, unless it is an OFFER; 0 of what took it before */
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

    /** Whether any message was written since the last time that is not where it was to go. */
    boolean takeUrgent() {
        boolean was = urgent;
        urgent = false;
        return was;
    }

    /** A message that is where it was to go: only says what it would have been, and may wait. It takes no credit. */
    private void resend(OfferedSend offeredSend) throws IOException {
        Content content = offeredSend.content;
        int checksum = checksum(content);
        line.begin(Wire.MESSAGE_HEADER_BYTES)
                .begin(FrameType.RESENT, Wire.MESSAGE_HEADER_BYTES, job)
                .address(offeredSend.context, rank, offeredSend.destination, offeredSend.tag)
                .sequence(offeredSend.sequence)
                .content(content.bytes(), content.elements(), content.datatype())
                .checksum(checksum)
                .failedPolls(determinantLog.tellPolls());
        line.end(Wire.MESSAGE_HEADER_BYTES);
        offeredSend.believed();
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

    /** A message that the relay has, or has in part, and that takes no credit: the relay clears at once what is offered for its length alone. */
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

    /** Whether such a message would be offered for want of credit alone. */
    boolean wantsCredit(long bytes, SendMode mode) {
        return mayBeStored(bytes, mode) && !hasCredit(bytes);
    }

    /** Whether it may leave before its receive is there. */
    boolean mayBeStored(long bytes, SendMode mode) {
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

    /** Sends the chunks of [sent, upTo). They leave at the latest with the next flush. */
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
     * The length of chunks: whole pieces, as many as are in so many bytes, and one at least. A quarter of a message, so that some of it is passed on while more comes, and half of
     * what was cleared, so that more is cleared while some is on its way.
     */
    private int chunkBytes(long most) {
        return (int) Math.max(Wire.PAYLOAD_BYTES_MAX, Math.min(most - most % Wire.PAYLOAD_BYTES_MAX, chunkBytesMax));
    }

    void onClear(FrameView view) throws WireException, IOException {
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        OfferedSend offeredSend = offered.get(transfer);
        if (offeredSend == null && cameAgain) {
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

    /** Sends what was cleared, then what has waited to begin, as far as there is room. It leaves at the latest with the next flush. */
    void proceed() throws IOException {
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

    /** Whether there may be more to send than there is room for. */
    boolean isHeld() {
        return !held.isEmpty() || !backlog.isEmpty();
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

    /** Another number if a byte of what was offered has left meanwhile, or an offer has come or gone. */
    long trace() {
        long trace = backlog.trace();
        for (OfferedSend offeredSend : offered.values()) {
            trace += (offeredSend.sequence * 31 + offeredSend.destination) * 0x9E3779B97F4A7C15L + offeredSend.sent;
        }
        return trace;
    }

    /** For each channel that was used, its last sequence number. */
    List<StatePage.Entry> sent() {
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

    // ---- after a break

    /** Adds the offers that are under way, and will not be begun again on the next connection. */
    void offered(ResendFilter resendFilter, List<StatePage.Entry> state) {
        for (OfferedSend offeredSend : offered.values()) {
            resendFilter.goesOn(offeredSend.context, offeredSend.destination, offeredSend.sequence, offeredSend.sent, offeredSend.content.bytes());
        }
        state.addAll(resendFilter.goingOn());
    }

    /** The relay has told what it has, and the rank has said the rest again. */
    void again(ResendFilter resendFilter) throws WireException {
        cameAgain = true;
        held.clear();
        creditBytes -= resendFilter.costBytes();
        creditMessages -= resendFilter.costMessages();
        for (OfferedSend offeredSend : List.copyOf(offered.values())) {
            offeredSend.cleared = offeredSend.sent;
            settle(offeredSend, deliveredPrefix.known(offeredSend.context, offeredSend.destination, offeredSend.sequence));
        }
    }

    /** An offer whose outcome the relay may have told in vain. */
    private void settle(OfferedSend offeredSend, DeliveredPrefix.Fate fate) throws WireException {
        Transfer transfer = transfer(offeredSend);
        if (fate == DeliveredPrefix.Fate.GONE && withdrawing.remove(transfer) != null) {
            forget(offeredSend);
            offeredSend.beingCancelled(false);
            offeredSend.withdrawn();
        } else if (fate == DeliveredPrefix.Fate.RESENT) {
            if (offeredSend.sent < offeredSend.content.bytes() && !deliveredPrefix.isRestarted()) {
                throw new WireException(
                        CloseReason.CANNOT_RESUME,
                        "the relay has all of " + transfer + ", of which only " + offeredSend.sent + " bytes were sent");
            }
            offeredSend.sent = offeredSend.content.bytes(); // What is left a process before this one had sent, and it was on its way.
            endIfSent(offeredSend);
        }
    }

    /** Asks again for what is to be taken back, unless it is known by now to be too late. */
    void withdrawAgain() throws IOException {
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

    /** Whether there are no offers that somebody waits for. */
    boolean isEmpty() {
        return backlog.isEmpty() && offered.values().stream().allMatch(Operation::isDone);
    }

    /** Writes what an image needs: the last sequence number of each channel. */
    void write(DataOutputStream image) throws IOException {
        List<StatePage.Entry> channels = sent();
        image.writeInt(channels.size());
        for (StatePage.Entry channel : channels) {
            image.writeInt(channel.context());
            image.writeInt(channel.peer());
            image.writeLong(channel.a());
        }
    }

    /** Goes on from an image. */
    void read(DataInputStream image) throws IOException {
        sequences.clear();
        for (int left = image.readInt(); left > 0; left--) {
            long[] last = sequences.computeIfAbsent(image.readInt(), none -> new long[size]);
            int destination = image.readInt();
            last[destination] = image.readLong();
        }
    }

    /** Ends all offers in a context with an error. */
    void abandon(int context, ReceiveException why) {
        offered.values().stream().filter(offeredSend -> offeredSend.context == context).forEach(offeredSend -> offeredSend.abandon(why));
        backlog.abandon(context, why);
    }

    /** A send that ends with an error before it has begun. */
    static Operation abandoned(int context, int destination, int tag, Content content, ReceiveException why) {
        OfferedSend offeredSend = new OfferedSend(content, context, destination, tag, SendMode.STANDARD);
        offeredSend.abandon(why);
        return offeredSend;
    }

    /**
     * Asks to take a send back, or whether it was; false if there is nothing to ask. One that has not begun is taken back at once, and leaves no gap; where another process of the rank may
     * have begun it, it is not taken back: that one would count it.
     */
    boolean withdraw(OfferedSend offeredSend) throws IOException {
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
        if (offeredSend.isGone()) {
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

    /** What is taken back is remembered until the job ends, where it is logged. */
    private boolean isTakingBackUsedUp() {
        return determinantLog.isLogged() && deliveredPrefix.takenBack() + withdrawing.size() >= TAKEN_BACK_MAX;
    }

    /** Whether it can be taken back; or may have been by a process before this one, which offered what this one has sent whole. */
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

    void onWithdrawn(FrameView view) throws WireException {
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        OfferedSend offeredSend = withdrawing.remove(transfer);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (offeredSend == null && cameAgain) {
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
        }
    }
}
