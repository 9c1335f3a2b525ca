package org.posthouse.mpj;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.posthouse.mpj.blocked.CollectivePosition;
import org.posthouse.mpj.checkpoint.CheckpointImage;
import org.posthouse.mpj.checkpoint.CheckpointStore;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;

/** One rank's end of a {@link LocalWorld}, which guards its state. */
public final class LocalEndpoint implements Endpoint {
    static final int PIECE_BYTES = Wire.PAYLOAD_BYTES_MAX;

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Message(int context, Envelope envelope, byte[] data, Content content, Local send) {}

    private record Posted(int context, int source, int tag, Sink sink, Local operation) {}

    private static final class Local extends Operation {
        private final String what;

        Local(String what) {
            this.what = what;
        }

        void sent() {
            complete(null, null);
        }

        void failed(Envelope envelope, ReceiveException failure) {
            complete(envelope, failure);
        }

        void received(Envelope envelope, Sink sink) {
            arrived(envelope, sink);
        }

        void takenBack() {
            cancelled();
        }
    }

    private final LocalWorld world;
    private CheckpointImage image;
    /** Whether {@link #close} was called, and {@code finalized} whether all sends have left since. */
    private volatile boolean closed;

    private boolean finalized;
    private final int rank;
    /** Messages that were sent to this rank and have not arrived, by sender. */
    private final List<Deque<Message>> flights = new ArrayList<>();

    private final List<Message> arrived = new ArrayList<>();
    private final List<Posted> posted = new ArrayList<>();
    private final List<Local> unmatchedSends = new ArrayList<>();

    LocalEndpoint(LocalWorld world, int rank) {
        this.world = world;
        this.rank = rank;
    }

    /** Keeps what was saved last, and begins with that. */
    @Override
    public CheckpointStore vault() {
        return new CheckpointStore() {
            @Override
            public DataInputStream restored() {
                requireNothingPosted();
                return image == null ? null : image.input();
            }

            @Override
            public boolean isWanted() {
                return world.isSaving();
            }

            @Override
            public boolean isOpen() {
                return world.isSaving();
            }

            @Override
            public boolean save(Writer state) throws IOException {
                CheckpointImage next = new CheckpointImage();
                state.write(next.output());
                requireNothingPosted();
                image = next;
                return true;
            }
        };
    }

    private void requireNothingPosted() {
        synchronized (world) {
            if (!posted.isEmpty()) {
                throw new IllegalStateException("a receive is under way, which the caller was to rule out");
            }
        }
    }

    /** What was saved last; null if nothing was. */
    CheckpointImage image() {
        return image;
    }

    /** What is restored. */
    void image(CheckpointImage saved) {
        image = saved;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return world.size();
    }

    @Override
    public int siteOf(int rank) {
        return world.siteOf(rank);
    }

    @Override
    public boolean mayWaitForReceive(long bytes, SendMode mode) {
        return mode == SendMode.SYNCHRONOUS || world.mayWaitForReceive(bytes);
    }

    @Override
    public Operation send(int context, int destination, int tag, Content content, SendMode mode) {
        synchronized (world) {
            requireOpen();
            Local send = new Local("send to " + destination + " tag " + tag + " context " + context);
            Envelope envelope =
                    new Envelope(rank, tag, content.bytes(), content.elements(), content.datatype());
            boolean eager = mode == SendMode.STANDARD && world.isEager(content.bytes());
            byte[] data = eager ? LocalWorld.read(content) : null;
            world.endpoint(destination).flightsFrom(rank).add(new Message(context, envelope, data, content, send));
            world.count(rank, destination, content.bytes());
            if (eager) {
                send.sent();
            } else {
                unmatchedSends.add(send);
            }
            world.changed();
            return send;
        }
    }

    private Deque<Message> flightsFrom(int source) {
        while (flights.size() < world.size()) {
            flights.add(new ArrayDeque<>());
        }
        return flights.get(source);
    }

    @Override
    public Operation receive(int context, int source, int tag, Sink sink) {
        synchronized (world) {
            requireOpen();
            Local operation = new Local("receive from " + source + " tag " + tag + " context " + context);
            Posted receive = new Posted(context, source, tag, sink, operation);
            for (Iterator<Message> each = arrived.iterator(); each.hasNext();) {
                Message message = each.next();
                if (matches(receive.context, source, tag, message)) {
                    each.remove();
                    hand(message, receive);
                    return operation;
                }
            }
            posted.add(receive);
            return operation;
        }
    }

    @Override
    public Operation[] exchange(
            int context, int source, int receiveTag, Sink sink, int destination, int sendTag, Content content, SendMode mode) {
        synchronized (world) {
            Operation receive = receive(context, source, receiveTag, sink);
            return new Operation[] {receive, send(context, destination, sendTag, content, mode)};
        }
    }

    @Override
    public boolean cancel(Operation operation) {
        synchronized (world) {
            requireOpen();
            if (world.random().nextBoolean()) {
                step();
            }
            Local local = (Local) operation;
            boolean waits = posted.removeIf(receive -> receive.operation == local) || unmatchedSends.remove(local) && recall(local);
            if (waits) {
                local.takenBack();
                world.changed();
            }
            return local.isCancelled();
        }
    }

    private boolean recall(Local send) {
        for (int rank = 0; rank < world.size(); rank++) {
            LocalEndpoint to = world.endpoint(rank);
            if (to.flightsFrom(this.rank).removeIf(message -> message.send == send)
                    || to.arrived.removeIf(message -> message.send == send)) {
                return true;
            }
        }
        throw new AssertionError("an unmatched send that is nowhere: " + send.what);
    }

    private static boolean matches(int context, int source, int tag, Message message) {
        return context == message.context
                && (source == Wire.ANY || source == message.envelope.source())
                && (tag == Wire.ANY || tag == message.envelope.tag());
    }

    /** Lets one message arrive, if there is any: which sender's, the seed decides. */
    private boolean step() {
        int first = world.random().nextInt(world.size());
        for (int i = 0; i < world.size(); i++) {
            Message message = flightsFrom((first + i) % world.size()).poll();
            if (message != null) {
                arrive(message);
                return true;
            }
        }
        return false;
    }

    private void arrive(Message message) {
        for (Iterator<Posted> each = posted.iterator(); each.hasNext();) {
            Posted receive = each.next();
            if (matches(receive.context, receive.source, receive.tag, message)) {
                each.remove();
                hand(message, receive);
                return;
            }
        }
        arrived.add(message);
    }

    private void hand(Message message, Posted receive) {
        ReceiveException failure = null;
        try {
            receive.sink.begin(message.envelope);
            byte[] data = message.data == null ? LocalWorld.read(message.content) : message.data;
            for (int at = 0; at < data.length; at += PIECE_BYTES) {
                ByteBuffer piece = ByteBuffer.wrap(data, at, Math.min(PIECE_BYTES, data.length - at)).slice();
                receive.sink.read(at, piece.order(ByteOrder.LITTLE_ENDIAN));
                if (piece.hasRemaining()) {
                    throw new AssertionError("sink left " + piece.remaining() + " bytes of a piece at " + at);
                }
            }
        } catch (ReceiveException e) {
            failure = e;
        }
        if (failure == null) {
            receive.operation.received(message.envelope, receive.sink);
        } else {
            receive.operation.failed(message.envelope, failure);
        }
        if (message.data == null) {
            message.send.sent();
            world.endpoint(message.envelope.source()).unmatchedSends.remove(message.send);
        }
        world.changed();
    }

    @Override
    public Operation begin() {
        world.errand(1);
        return new Local("the end of an errand");
    }

    @Override
    public void end(Operation errand) {
        synchronized (world) {
            ((Local) errand).sent();
            world.errand(-1);
        }
    }

    @Override
    public void await(Operation operation, String call) {
        synchronized (world) {
            while (!operation.isDone()) {
                requireOpen();
                if (!step()) {
                    world.waitForChange(((Local) operation).what);
                }
            }
        }
    }

    @Override
    public void awaitAll(Operation[] operations, String call) {
        for (Operation operation : operations) {
            if (operation != null) {
                await(operation, call);
            }
        }
    }

    @Override
    public int awaitAny(Operation[] operations, String call) {
        synchronized (world) {
            while (true) {
                for (int i = 0; i < operations.length; i++) {
                    if (operations[i] != null && operations[i].isDone()) {
                        return i;
                    }
                }
                requireOpen();
                if (!step()) {
                    world.waitForChange("any of " + operations.length);
                }
            }
        }
    }

    @Override
    public boolean test(Operation operation, boolean move) {
        synchronized (world) {
            world.checkAlive();
            if (!operation.isDone()) {
                requireOpen();
            }
            if (!operation.isDone() && move && world.random().nextBoolean()) {
                step();
            }
            return operation.isDone();
        }
    }

    @Override
    public Envelope probe(int context, int source, int tag, String call) {
        synchronized (world) {
            while (true) {
                requireOpen();
                Envelope found = find(context, source, tag);
                if (found != null) {
                    return found;
                }
                if (!step()) {
                    world.waitForChange("probe of " + source + " tag " + tag);
                }
            }
        }
    }

    @Override
    public Envelope tryProbe(int context, int source, int tag) {
        synchronized (world) {
            requireOpen();
            if (world.random().nextBoolean()) {
                step();
            }
            return find(context, source, tag);
        }
    }

    private Envelope find(int context, int source, int tag) {
        for (Message message : arrived) {
            if (matches(context, source, tag, message)) {
                return message.envelope;
            }
        }
        return null;
    }

    @Override
    public long value(LongSupplier source) {
        return source.getAsLong();
    }

    @Override
    public NameAnswer names(NameAsk ask) {
        return world.answer(rank, ask);
    }

    @Override
    public Optional<JobJoiner> joiner() {
        return world.joiner(rank);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void limit(ReplayLimit reason) {
        world.limited(rank, reason);
    }

    @Override
    public CollectivePosition presence(int context, int[] worldRanks, int first) {
        return unwatched();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        synchronized (world) {
            requireOpen();
            while (!unmatchedSends.isEmpty()) {
                await(unmatchedSends.get(0));
            }
            finalized = true;
            world.changed();
        }
    }

    private void requireOpen() {
        world.checkAlive();
        if (finalized) {
            throw new FinalizedException(rank);
        }
    }

    @Override
    public IllegalStateException giveUp(String why) {
        return new IllegalStateException(why);
    }

    @Override
    public void abort(int status, String why) {
        synchronized (world) {
            throw world.abort(status);
        }
    }

    /** A presence that nobody watches. */
    public static CollectivePosition unwatched() {
        return new CollectivePosition(
                new CollectivePosition.Watch() {
                    @Override
                    public void stays(CollectivePosition presence, boolean again) {}

                    @Override
                    public void goesOn(CollectivePosition presence) {}

                    @Override
                    public void fails(CollectivePosition presence) {}
                },
                0,
                new int[0],
                0);
    }
}
