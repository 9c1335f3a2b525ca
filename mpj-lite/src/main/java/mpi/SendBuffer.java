package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.wire.Wire;

/**
 * The room that a program attaches for buffered sends. Messages are copied to memory of their own, and the attached
 * size only bounds them (MPI-1.1, 3.6.1): a message takes room until it has left. Its overhead takes none, as programs
 * exist that attach what their messages need, and not a byte more.
 * Guarded by its own monitor, which is not held while a thread waits for messages to leave.
 */
final class SendBuffer {
    /** Bytes that programs are told to attach for a message beside its own. */
    static final int OVERHEAD_BYTES = 128;

    /** Copies that are no burden, even if all of them have left. */
    private static final int COPIES_MIN = 64;

    private record Copy(Operation operation, long bytes) {}

    private final Endpoint endpoint;
    private final OutstandingOperations outstandingOperations;

    /** Those that had not left when they were asked last, in the order of their calls. */
    private final Deque<Copy> copies = new ArrayDeque<>();

    /** With so many all are asked: twice as many as had not left then. Behind one that waits for its receive all others would pile up, small ones far beyond their bytes. */
    private int copiesMax = COPIES_MIN;

    private Object memory;
    private long capacity;
    private long used;

    /** The value of {@link #attached} at the end of the prologue. */
    private long prologue;

    SendBuffer(Endpoint endpoint, OutstandingOperations outstandingOperations) {
        this.endpoint = endpoint;
        this.outstandingOperations = outstandingOperations;
    }

    /** @param buffer what the program gives, and gets back; only its size matters */
    synchronized void attach(String call, Object buffer, long bytes) {
        if (memory != null) {
            throw new MPIException(MPI.ERR_BUFFER, call + ": there is a buffer already, expected its detach first");
        }
        replace(buffer, bytes);
    }

    /** Attaches, in place of what is attached: messages that have room there leave as before, and take none here. */
    synchronized void replace(Object buffer, long bytes) {
        takeAll().forEach(copy -> copies.add(new Copy(copy.operation, 0)));
        used = 0;
        memory = buffer;
        capacity = bytes;
    }

    /** Waits until all messages have left; null if nothing is attached. */
    Object detach(String call) {
        try {
            takeAll().forEach(copy -> endpoint.await(copy.operation, call));
        } catch (FinalizedException e) {
            throw new MPIException(MPI.ERR_OTHER, call + ": " + Communicator.FINALIZED, e);
        }
        synchronized (this) {
            Object attached = memory;
            memory = null;
            capacity = 0;
            used = 0;
            outstandingOperations.buffered(false);
            return attached;
        }
    }

    private synchronized List<Copy> takeAll() {
        List<Copy> all = List.copyOf(copies);
        copies.clear();
        return all;
    }

    /**
     * Sends a copy of {@code content}.
     *
     * @param send starts the send
     * @param error makes the error for a message for which there is no room
     */
    synchronized void send(
            Content content, Function<Content, Operation> send, Function<String, MPIException> error) {
        long bytes = content.bytes();
        reclaim(bytes);
        if (memory == null || used + bytes > capacity) {
            throw error.apply(
                    memory == null
                            ? "there is no attached buffer, expected an attach first"
                            : "the message takes " + bytes + " bytes, expected at most the "
                                    + (capacity - used) + " free ones of the " + capacity + " attached");
        }
        Operation operation = send.apply(new Kept(content));
        if (endpoint.mayWaitForReceive(bytes, SendMode.STANDARD)) {
            outstandingOperations.buffered(true);
        }
        if (!endpoint.test(operation)) {
            used += bytes;
            copies.add(new Copy(operation, bytes));
        }
    }

    /**
     * Gives the room of messages back that have left: of the oldest ones, which are the first to leave as a rule; of all only if there is none for
     * {@code bytes} else, or when they have doubled, or each send would ask for all before it.
     */
    private void reclaim(long bytes) {
        while (!copies.isEmpty() && hasLeft(copies.peek())) {
            copies.remove();
        }
        if (used + bytes > capacity || copies.size() >= copiesMax) {
            copies.removeIf(this::hasLeft);
            copiesMax = Math.max(COPIES_MIN, 2 * copies.size());
        }
    }

    /** Whether it has left, and so takes no room from here on. */
    private boolean hasLeft(Copy copy) {
        boolean left = endpoint.test(copy.operation);
        if (left) {
            used -= copy.bytes;
        }
        return left;
    }

    /** The bytes of the buffer; -1 if none is attached. */
    private long attached() {
        return memory == null ? -1 : capacity;
    }

    /** The prologue ends: what is attached now, the next process will attach. */
    synchronized void endPrologue() {
        prologue = attached();
    }

    /**
     * The buffer's difference from that of the prologue's end, as the rest of a sentence; null if there is none. Only
     * its size matters.
     */
    synchronized String change() {
        return attached() == prologue ? null : words(attached()) + ", expected " + words(prologue);
    }

    private static String words(long bytes) {
        return bytes < 0 ? "none" : "one of " + bytes + " bytes";
    }

    /** Writes what an image needs: all copies have left when it is made, but who sends next finds that out, which are events. */
    synchronized void write(DataOutputStream image) throws IOException {
        image.writeInt(copiesMax);
        image.writeInt(copies.size());
        for (Copy copy : copies) {
            image.writeLong(copy.bytes);
        }
    }

    /** Goes on from an image. */
    synchronized void read(DataInputStream image) throws IOException {
        copies.clear();
        used = 0;
        copiesMax = image.readInt();
        for (int left = image.readInt(); left > 0; left--) {
            Operation gone = endpoint.begin();
            endpoint.end(gone);
            copies.add(new Copy(gone, image.readLong()));
            used += copies.peekLast().bytes;
        }
    }

    /** A copy of a message. */
    private static final class Kept implements Content {
        private final byte[] bytes;
        private final int elements;
        private final int datatype;

        Kept(Content content) {
            bytes = new byte[Math.toIntExact(content.bytes())];
            elements = content.elements();
            datatype = content.datatype();
            for (int at = 0; at < bytes.length; at += Wire.PAYLOAD_BYTES_MAX) {
                int piece = Math.min(Wire.PAYLOAD_BYTES_MAX, bytes.length - at);
                content.write(at, ByteBuffer.wrap(bytes, at, piece).slice().order(ByteOrder.LITTLE_ENDIAN));
            }
        }

        @Override
        public long bytes() {
            return bytes.length;
        }

        @Override
        public int elements() {
            return elements;
        }

        @Override
        public int datatype() {
            return datatype;
        }

        @Override
        public void write(long from, ByteBuffer out) {
            out.put(bytes, (int) from, out.remaining());
        }
    }
}
