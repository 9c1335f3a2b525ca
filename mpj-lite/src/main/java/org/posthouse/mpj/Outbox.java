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
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Reason;
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

    private final Told line;
    private final long job;
    private final int rank;
    private final History history;
    private final Accepted accepted = new Accepted();
    private final int eagerBytesMax;
    private final Map<Transfer, Sending> offered = new HashMap<>();
    private final SendBacklog backlog = new SendBacklog();
    private final Map<Transfer, Sending> withdrawing = new HashMap<>();
    private final Map<Integer, long[]> sequences = new HashMap<>();

    /** Offers that were cleared, and wait for room on the line. */
    private final ArrayDeque<Sending> held = new ArrayDeque<>();

    /** Whether something was written that somebody may wait for. */
    private boolean urgent;

    /** Whether the relay may say what it has said on an earlier connection. */
    private boolean cameAgain;

    private int size;
    private long creditBytes;
    private int creditMessages;
    private int chunkBytesMax;

    /** @param eagerBytesMax longest message in bytes that is sent without waiting for its receive */
    Outbox(Told line, long job, int rank, History history, int eagerBytesMax) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        this.history = history;
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
    Accepted accepted() {
        return accepted;
    }

    /**
     * Writes the message's first frame, and what may follow at once; they leave at the latest with the next flush. Or it waits, while the relay has too many offers of this rank.
     */
    Operation send(int context, int destination, int tag, Content content, Mode mode) throws IOException {
        Sending sending = new Sending(content, context, destination, tag, mode);
        if (!backlog.holds(context, destination) && mayBegin(sending)) {
            begin(sending);
        } else {
            backlog.add(sending);
        }
        return sending;
    }

    /** Whether it is no offer that the relay has not, or the relay may be given one more. */
    private boolean mayBegin(Sending sending) {
        if (backlog.mayOffer(sending.context, sending.destination) || form(sending.content.bytes(), sending.mode) != FrameType.OFFER) {
            return true;
        }
        return switch (accepted.fate(sending.context, sending.destination, lastSequence(sending) + 1)) {
            case NEW, AGAIN -> false;
            case EAGER_AGAIN, OFFER_AGAIN, RESENT, GONE -> true;
        };
    }

    private void begin(Sending sending) throws IOException {
        sending.sequence = nextSequence(sending.context, sending.destination);
        long bytes = sending.content.bytes();
        switch (accepted.fate(sending.context, sending.destination, sending.sequence)) {
            case NEW -> send(sending, form(bytes, sending.mode), 0, Wire.cost(bytes));
            case AGAIN -> send(sending, form(bytes, sending.mode), FrameView.AGAIN, Wire.cost(bytes));
            case EAGER_AGAIN -> send(sending, formAgain(bytes), FrameView.AGAIN, 0);
            case OFFER_AGAIN -> send(sending, FrameType.OFFER, FrameView.AGAIN, 0);
            case RESENT -> resend(sending);
            case GONE -> sending.gone();
        }
    }

    /** @param cost what it takes of the credit, unless it is an OFFER; 0 of what took it before */
    private void send(Sending sending, FrameType form, int flags, long cost) throws IOException {
        urgent = true;
        Content content = sending.content;
        long bytes = content.bytes();
        int rides = form == FrameType.SEND ? (int) bytes : 0;
        line.begin(Wire.MESSAGE_HEADER_BYTES + rides)
                .begin(form, Wire.MESSAGE_HEADER_BYTES, job)
                .flags(flags | (form == FrameType.OFFER && mayBeStored(bytes, sending.mode) ? FrameView.STORABLE : 0))
                .address(sending.context, rank, sending.destination, sending.tag)
                .sequence(sending.sequence)
                .content(bytes, content.elements(), content.datatype())
                .failedPolls(history.tellPolls());
        if (rides > 0) {
            line.end(Wire.MESSAGE_HEADER_BYTES, content, 0, rides);
        } else {
            line.end(Wire.MESSAGE_HEADER_BYTES);
        }
        if (form == FrameType.OFFER) {
            offered.put(transfer(sending), sending);
            backlog.offered(sending);
            return;
        }
        if (cost > 0) {
            creditBytes -= cost;
            creditMessages--;
        }
        sending.sent = rides;
        sendChunks(sending, bytes, chunkBytes(bytes / 4));
        sending.believed();
    }

    /** Whether any message was written since the last time that is not where it was to go. */
    boolean takeUrgent() {
        boolean was = urgent;
        urgent = false;
        return was;
    }

    /** A message that is where it was to go: only says what it would have been, and may wait. It takes no credit. */
    private void resend(Sending sending) throws IOException {
        Content content = sending.content;
        int checksum = checksum(content);
        line.begin(Wire.MESSAGE_HEADER_BYTES)
                .begin(FrameType.RESENT, Wire.MESSAGE_HEADER_BYTES, job)
                .address(sending.context, rank, sending.destination, sending.tag)
                .sequence(sending.sequence)
                .content(content.bytes(), content.elements(), content.datatype())
                .checksum(checksum)
                .failedPolls(history.tellPolls());
        line.end(Wire.MESSAGE_HEADER_BYTES);
        sending.believed();
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

    private FrameType form(long bytes, Mode mode) {
        boolean credit = Wire.cost(bytes) <= creditBytes && creditMessages > 0;
        if (!credit || !mayBeStored(bytes, mode)) {
            return FrameType.OFFER;
        }
        return bytes > Wire.PAYLOAD_BYTES_MAX ? FrameType.EAGER : FrameType.SEND;
    }

    /** Whether it may leave before its receive is there. */
    boolean mayBeStored(long bytes, Mode mode) {
        return mode != Mode.SYNCHRONOUS && bytes <= eagerBytesMax;
    }

    private long nextSequence(int context, int destination) {
        long[] last = sequences.get(context);
        if (last == null) {
            last = new long[size];
            sequences.put(context, last);
        }
        return ++last[destination];
    }

    private long lastSequence(Sending sending) {
        long[] last = sequences.get(sending.context);
        return last == null ? 0 : last[sending.destination];
    }

    private static Transfer transfer(Sending sending) {
        return new Transfer(sending.context, sending.destination, sending.sequence);
    }

    /** Sends the chunks of [sent, upTo). They leave at the latest with the next flush. */
    private void sendChunks(Sending sending, long upTo, int most) throws IOException {
        while (sending.sent < upTo) {
            int bytes = (int) Math.min(upTo - sending.sent, most);
            line.begin(Wire.CHUNK_HEADER_BYTES + bytes)
                    .begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, job)
                    .address(sending.context, rank, sending.destination, 0)
                    .sequence(sending.sequence)
                    .offset(sending.sent);
            line.end(Wire.CHUNK_HEADER_BYTES, sending.content, sending.sent, bytes);
            sending.sent += bytes;
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
        Sending sending = offered.get(transfer);
        if (sending == null && cameAgain) {
            return;
        }
        if (sending == null || view.offset() > sending.content.bytes()) {
            throw new WireException(Reason.NOT_EXPECTED, "CLEAR up to " + view.offset() + " of " + transfer);
        }
        sending.cleared = Math.max(sending.cleared, view.offset());
        backlog.cleared(sending);
        if (sending.cleared == sending.sent) {
            endIfSent(sending);
            proceed();
        } else {
            sending.chunkBytes = chunkBytes(Math.min(sending.content.bytes() / 4, (sending.cleared - sending.sent) / 2));
            held.add(sending);
            proceed();
        }
    }

    /** Sends what was cleared, then what has waited to begin, as far as there is room. It leaves at the latest with the next flush. */
    void proceed() throws IOException {
        while (!held.isEmpty() && line.hasRoom()) {
            Sending sending = held.peek();
            sendChunks(sending, Math.min(sending.cleared, sending.sent + sending.chunkBytes), sending.chunkBytes);
            if (sending.sent == sending.cleared) {
                held.remove();
                endIfSent(sending);
            }
        }
        if (!backlog.isEmpty()) {
            beginWaiting();
        }
    }

    private void beginWaiting() throws IOException {
        while (line.hasRoom()) {
            Sending next = backlog.next(this::mayBegin);
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

    private void endIfSent(Sending sending) {
        if (sending.sent == sending.content.bytes()) {
            forget(sending);
            sending.done();
        }
    }

    private void forget(Sending sending) {
        offered.remove(transfer(sending));
        backlog.cleared(sending);
    }

    /** Another number if a byte of what was offered has left meanwhile, or an offer has come or gone. */
    long trace() {
        long trace = backlog.trace();
        for (Sending sending : offered.values()) {
            trace += (sending.sequence * 31 + sending.destination) * 0x9E3779B97F4A7C15L + sending.sent;
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
    void offered(Said said, List<StatePage.Entry> state) {
        for (Sending sending : offered.values()) {
            said.goesOn(sending.context, sending.destination, sending.sequence, sending.sent, sending.content.bytes());
        }
        state.addAll(said.goingOn());
    }

    /** The relay has told what it has, and the rank has said the rest again. */
    void again(Said said) throws WireException {
        cameAgain = true;
        held.clear();
        creditBytes -= said.costBytes();
        creditMessages -= said.costMessages();
        for (Sending sending : List.copyOf(offered.values())) {
            sending.cleared = sending.sent;
            settle(sending, accepted.known(sending.context, sending.destination, sending.sequence));
        }
    }

    /** An offer whose outcome the relay may have told in vain. */
    private void settle(Sending sending, Accepted.Fate fate) throws WireException {
        Transfer transfer = transfer(sending);
        if (fate == Accepted.Fate.GONE && withdrawing.remove(transfer) != null) {
            forget(sending);
            sending.beingCancelled(false);
            sending.withdrawn();
        } else if (fate == Accepted.Fate.RESENT) {
            if (sending.sent < sending.content.bytes() && !accepted.isRestarted()) {
                throw new WireException(
                        Reason.CANNOT_RESUME,
                        "the relay has all of " + transfer + ", of which only " + sending.sent + " bytes were sent");
            }
            sending.sent = sending.content.bytes(); // What is left a process before this one had sent, and it was on its way.
            endIfSent(sending);
        }
    }

    /** Asks again for what is to be taken back, unless it is known by now to be too late. */
    void withdrawAgain() throws IOException {
        withdrawing.values().removeIf(this::isTooLate);
        for (Sending sending : withdrawing.values()) {
            sayWithdraw(sending);
        }
    }

    private boolean isTooLate(Sending sending) {
        boolean late = !mayBeGone(sending);
        sending.beingCancelled(!late);
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
        offered.values().stream().filter(sending -> sending.context == context).forEach(sending -> sending.abandon(why));
        backlog.abandon(context, why);
    }

    /** A send that ends with an error before it has begun. */
    static Operation abandoned(int context, int destination, int tag, Content content, ReceiveException why) {
        Sending sending = new Sending(content, context, destination, tag, Mode.STANDARD);
        sending.abandon(why);
        return sending;
    }

    /**
     * Asks to take a send back, or whether it was; false if there is nothing to ask. One that has not begun is taken back at once, and leaves no gap; where another process of the rank may
     * have begun it, it is not taken back: that one would count it.
     */
    boolean withdraw(Sending sending) throws IOException {
        if (sending.isWaiting) {
            if (!history.isLogged()) {
                backlog.remove(sending);
                sending.withdrawn();
            }
            return false;
        }
        if (isTakingBackUsedUp()) {
            return false;
        }
        if (sending.isGone()) {
            sending.withdrawn();
        }
        if (!mayBeGone(sending)) {
            return false;
        }
        sayWithdraw(sending);
        withdrawing.put(transfer(sending), sending);
        sending.beingCancelled(true);
        return true;
    }

    /** What is taken back is remembered until the job ends, where it is logged. */
    private boolean isTakingBackUsedUp() {
        return history.isLogged() && accepted.takenBack() + withdrawing.size() >= TAKEN_BACK_MAX;
    }

    /** Whether it can be taken back; or may have been by a process before this one, which offered what this one has sent whole. */
    private boolean mayBeGone(Sending sending) {
        return sending.isBelieved() ? accepted.isRestarted() && !sending.isCancelled() : !sending.isDone() && sending.sent == 0;
    }

    private void sayWithdraw(Sending sending) throws IOException {
        line.begin(WITHDRAW_BYTES)
                .begin(FrameType.WITHDRAW, WITHDRAW_BYTES, job)
                .address(sending.context, rank, sending.destination, 0)
                .sequence(sending.sequence)
                .post(0, history.tellPolls());
        line.end(WITHDRAW_BYTES);
    }

    void onWithdrawn(FrameView view) throws WireException {
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        Sending sending = withdrawing.remove(transfer);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (sending == null && cameAgain) {
            return;
        }
        if (sending == null || gone && !mayBeGone(sending)) {
            throw new WireException(Reason.NOT_EXPECTED, view + " of " + transfer + ", which was not to be withdrawn");
        }
        sending.beingCancelled(false);
        if (gone) {
            forget(sending);
            if (history.isLogged()) {
                accepted.tookBack(transfer.context, transfer.destination, transfer.sequence);
            }
            sending.withdrawn();
        }
    }
}
