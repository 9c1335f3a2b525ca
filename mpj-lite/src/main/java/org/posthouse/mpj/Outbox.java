package org.posthouse.mpj;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Reason;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * What a rank sends: the form of each message, its place in its channel, the credit that it takes, and the offers whose
 * bytes wait for the relay's word (docs/wire.md, forms of a message). Guarded by its endpoint's lock.
 */
final class Outbox {
    private static final int WITHDRAW_BYTES = FrameType.WITHDRAW.bytesMin();

    private record Transfer(int context, int destination, long sequence) {}

    private final HomeLine line;
    private final long job;
    private final int rank;
    private final FailedPolls polls;
    private final int eagerBytesMax;
    private final Map<Transfer, Sending> offered = new HashMap<>();
    private final Map<Transfer, Sending> withdrawing = new HashMap<>();
    private final Map<Integer, long[]> sequences = new HashMap<>();

    /** Offers that were cleared while the line was not open. */
    private final ArrayDeque<Sending> held = new ArrayDeque<>();

    private int size;
    private long creditBytes;
    private int creditMessages;

    /** @param eagerBytesMax longest message in bytes that is sent without waiting for its receive */
    Outbox(HomeLine line, long job, int rank, FailedPolls polls, int eagerBytesMax) {
        this.line = line;
        this.job = job;
        this.rank = rank;
        this.polls = polls;
        this.eagerBytesMax = eagerBytesMax;
    }

    /** The relay has admitted the rank to a job of {@code size} ranks. */
    void open(int size, long creditBytes, int creditMessages) {
        this.size = size;
        this.creditBytes = creditBytes;
        this.creditMessages = creditMessages;
    }

    void credit(long bytes, int messages) {
        creditBytes += bytes;
        creditMessages += messages;
    }

    /** Writes the message's first frame, and what may follow at once. They leave at the latest with the next flush. */
    Operation send(int context, int destination, int tag, Content content, Mode mode) throws IOException {
        long bytes = content.bytes();
        FrameType form = form(bytes, mode);
        Sending sending = new Sending(content, context, destination, nextSequence(context, destination));
        int rides = form == FrameType.SEND ? (int) bytes : 0;
        line.begin(Wire.MESSAGE_HEADER_BYTES + rides)
                .begin(form, Wire.MESSAGE_HEADER_BYTES, job)
                .flags(form == FrameType.OFFER && mayBeStored(bytes, mode) ? FrameView.STORABLE : 0)
                .address(context, rank, destination, tag)
                .sequence(sending.sequence)
                .content(bytes, content.elements(), content.datatype())
                .failedPolls(polls.tell());
        if (rides > 0) {
            content.write(0, line.payload(Wire.MESSAGE_HEADER_BYTES, rides));
        }
        line.end(Wire.MESSAGE_HEADER_BYTES + rides);
        if (form == FrameType.OFFER) {
            offered.put(transfer(sending), sending);
            return sending;
        }
        creditBytes -= Wire.cost(bytes);
        creditMessages--;
        sending.sent = rides;
        sendChunks(sending, bytes);
        sending.done();
        return sending;
    }

    private FrameType form(long bytes, Mode mode) {
        boolean credit = Wire.cost(bytes) <= creditBytes && creditMessages > 0;
        if (!credit || !mayBeStored(bytes, mode)) {
            return FrameType.OFFER;
        }
        return bytes > Wire.PAYLOAD_BYTES_MAX ? FrameType.EAGER : FrameType.SEND;
    }

    /** Whether it may leave before its receive is there. */
    private boolean mayBeStored(long bytes, Mode mode) {
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

    private static Transfer transfer(Sending sending) {
        return new Transfer(sending.context, sending.destination, sending.sequence);
    }

    /** Sends the chunks of [sent, upTo). They leave at the latest with the next flush. */
    private void sendChunks(Sending sending, long upTo) throws IOException {
        while (sending.sent < upTo) {
            int bytes = (int) Math.min(upTo - sending.sent, Wire.PAYLOAD_BYTES_MAX);
            line.begin(Wire.CHUNK_HEADER_BYTES + bytes)
                    .begin(FrameType.CHUNK, Wire.CHUNK_HEADER_BYTES, job)
                    .address(sending.context, rank, sending.destination, 0)
                    .sequence(sending.sequence)
                    .offset(sending.sent);
            sending.content.write(sending.sent, line.payload(Wire.CHUNK_HEADER_BYTES, bytes));
            line.end(Wire.CHUNK_HEADER_BYTES + bytes);
            sending.sent += bytes;
        }
    }

    void onClear(FrameView view) throws WireException, IOException {
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        Sending sending = offered.get(transfer);
        if (sending == null || view.offset() > sending.content.bytes()) {
            throw new WireException(Reason.NOT_EXPECTED, "CLEAR up to " + view.offset() + " of " + transfer);
        }
        sending.cleared = view.offset();
        if (line.isOpen() || sending.cleared == sending.sent) {
            proceed(sending);
        } else {
            held.add(sending);
        }
    }

    /** The line is open again: sends what was cleared meanwhile. It leaves at the latest with the next flush. */
    void proceed() throws IOException {
        while (!held.isEmpty()) {
            proceed(held.remove());
        }
    }

    private void proceed(Sending sending) throws IOException {
        sendChunks(sending, sending.cleared);
        if (sending.sent == sending.content.bytes()) {
            offered.remove(transfer(sending));
            sending.done();
        }
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

    /** Whether there are no offers that somebody waits for. */
    boolean isEmpty() {
        return offered.values().stream().allMatch(Operation::isDone);
    }

    /** Ends all offers in a context with an error. */
    void abandon(int context, ReceiveException why) {
        offered.values().stream().filter(sending -> sending.context == context).forEach(sending -> sending.abandon(why));
    }

    /** A send that ends with an error before it has begun. */
    static Operation abandoned(int context, int destination, Content content, ReceiveException why) {
        Sending sending = new Sending(content, context, destination, 0);
        sending.abandon(why);
        return sending;
    }

    /** Asks to take a send back; false if it is too late already. */
    boolean withdraw(Sending sending) throws IOException {
        if (sending.isDone() || sending.sent > 0) {
            return false;
        }
        line.begin(WITHDRAW_BYTES)
                .begin(FrameType.WITHDRAW, WITHDRAW_BYTES, job)
                .address(sending.context, rank, sending.destination, 0)
                .sequence(sending.sequence)
                .post(0, polls.tell());
        line.end(WITHDRAW_BYTES);
        withdrawing.put(transfer(sending), sending);
        sending.beingCancelled(true);
        return true;
    }

    void onWithdrawn(FrameView view) throws WireException {
        Transfer transfer = new Transfer(view.context(), view.destination(), view.sequence());
        Sending sending = withdrawing.remove(transfer);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (sending == null || gone && (sending.isDone() || sending.sent > 0)) {
            throw new WireException(Reason.NOT_EXPECTED, view + " of " + transfer + ", which was not to be withdrawn");
        }
        sending.beingCancelled(false);
        if (gone) {
            offered.remove(transfer);
            sending.withdrawn();
        }
    }
}
