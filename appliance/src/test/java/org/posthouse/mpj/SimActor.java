package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.wire.Wire;

/** One rank in one phase of a {@link SimScript}: what it can do, and how it writes that down. */
final class SimActor {
    private static final int HEAD_BYTES = Diary.Letter.HEAD_BYTES;
    private static final int STARTS = 4_093;
    private static final int BYTES_MAX = 400_000;

    private static final int IMAGE_BYTES_MAX = 4 * Wire.PAYLOAD_BYTES_MAX;

    /** A few are too long to be sent as EAGER. */
    private static final int OFFERED_BYTES_MAX = Wire.EAGER_BYTES_MAX + Wire.PAYLOAD_BYTES_MAX;

    private static final byte[] NOISE = new byte[OFFERED_BYTES_MAX + STARTS];

    static {
        new Random(1).nextBytes(NOISE);
    }

    /** Something that was begun; a receive if it has a post. */
    record Act(Operation operation, Letters.Inbound inbound, Diary.Letter letter) {}

    private final SimProcess process;
    private final Endpoint endpoint;
    private final Diary diary;
    private final int ranks;
    private final int context;
    private final int eagerBytesMax;
    private final boolean large;
    private final boolean takesBack;
    private final SplittableRandom shape;
    private final SplittableRandom own;

    /** @param shape the same at all ranks. @param own of this rank alone */
    SimActor(
            SimProcess process,
            int ranks,
            int context,
            int eagerBytesMax,
            boolean large,
            boolean takesBack,
            SplittableRandom shape,
            SplittableRandom own) {
        this.process = process;
        this.endpoint = process.endpoint();
        this.diary = process.diary();
        this.ranks = ranks;
        this.context = context;
        this.eagerBytesMax = eagerBytesMax;
        this.large = large;
        this.takesBack = takesBack;
        this.shape = shape;
        this.own = own;
    }

    /** The same in the context behind this one's. */
    SimActor inNextContext() {
        return behind(2);
    }

    /** The same so many contexts further. */
    SimActor behind(int contexts) {
        return new SimActor(process, ranks, context + contexts, eagerBytesMax, large, takesBack, shape, own);
    }

    /** The same in the context that is no phase's own. */
    SimActor inSharedContext() {
        return behind(-context);
    }

    /** A tag that is this phase's alone. */
    int ownTag() {
        return context / SimScript.CONTEXTS;
    }

    SimProcess process() {
        return process;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Diary diary() {
        return diary;
    }

    int rank() {
        return process.rank();
    }

    int ranks() {
        return ranks;
    }

    int[] world() {
        return IntStream.range(0, ranks).toArray();
    }

    int context() {
        return context;
    }

    /** Whether it takes much of what it sends back. */
    boolean takesBack() {
        return takesBack;
    }

    /** Where it is among the collectives of its context. */
    SimPresence presence() {
        return process.presence(context + 1, world());
    }

    SplittableRandom shape() {
        return shape;
    }

    SplittableRandom own() {
        return own;
    }

    /** A message's length; drawn from what all ranks draw from. */
    int bytes(SplittableRandom from) {
        int most = large ? BYTES_MAX : 2 * Wire.PAYLOAD_BYTES_MAX;
        int eager = large && from.nextInt(8) == 0 ? Wire.EAGER_BYTES_MAX : eagerBytesMax;
        return switch (from.nextInt(large ? 14 : 34)) {
            case 0 -> HEAD_BYTES + from.nextInt(most - HEAD_BYTES);
            case 1 -> Wire.PAYLOAD_BYTES_MAX - 1 + from.nextInt(3);
            case 2 -> large && from.nextInt(8) == 0 ? OFFERED_BYTES_MAX - from.nextInt(Wire.PAYLOAD_BYTES_MAX) : HEAD_BYTES;
            case 3 -> Math.max(0, eager - 1 + from.nextInt(3));
            case 4 -> 0;
            case 5 -> from.nextInt(HEAD_BYTES);
            default -> HEAD_BYTES + from.nextInt(200);
        };
    }

    // ---- acts

    Act send(int destination, int tag, int bytes, SendMode mode) {
        Diary.Letter letter = letter(destination, tag, bytes);
        return new Act(endpoint.send(context, destination, tag, new Letters.Outbound(letter), mode), null, letter);
    }

    private Diary.Letter letter(int destination, int tag, int bytes) {
        long mark = bytes < HEAD_BYTES ? 0 : diary.mark();
        Diary.Letter letter = new Diary.Letter(context, destination, tag, bytes, diary.next(context, destination), mark);
        diary.sent(letter);
        return letter;
    }

    Act receive(int source, int tag) {
        Diary.Post post = diary.post(context, source, tag);
        Letters.Inbound inbound = new Letters.Inbound(post);
        return new Act(endpoint.receive(context, source, tag, inbound), inbound, null);
    }

    /** A receive and a send together. @return the receive, then the send */
    List<Act> exchange(int source, int receiveTag, int destination, int sendTag, int bytes, SendMode mode) {
        Diary.Post post = diary.post(context, source, receiveTag);
        Letters.Inbound inbound = new Letters.Inbound(post);
        Diary.Letter letter = letter(destination, sendTag, bytes);
        Operation[] both =
                endpoint.exchange(context, source, receiveTag, inbound, destination, sendTag, new Letters.Outbound(letter), mode);
        return List.of(new Act(both[0], inbound, null), new Act(both[1], null, letter));
    }

    /** Waits for it. */
    void await(Act act) throws ReceiveException {
        endpoint.await(act.operation(), "Wait");
        finished(act);
    }

    /** Looks whether it is done. */
    boolean test(Act act) throws ReceiveException {
        boolean done = endpoint.test(act.operation());
        diary.saw(done ? 1 : 2);
        if (done) {
            finished(act);
        }
        return done;
    }

    /** Takes it back if it can. If not, it is still to be waited for. */
    boolean cancel(Act act) throws ReceiveException {
        boolean gone = endpoint.cancel(act.operation());
        diary.saw(gone ? 3 : 4);
        if (gone && act.letter() != null) {
            diary.unsent(act.letter());
        }
        return gone;
    }

    /** Writes down what came of what is done. */
    void finished(Act act) throws ReceiveException {
        ReceiveException failure = act.operation().failure();
        if (failure != null && failure.kind() != ReceiveException.Kind.TRUNCATE) {
            throw failure;
        }
        if (act.inbound() != null) {
            Envelope envelope = act.operation().envelope();
            if ((failure != null) != act.inbound().isTooShortFor(envelope)) {
                throw new AssertionError(act.inbound().post() + " with room for " + act.inbound().post().room() + " has got " + envelope, failure);
            }
            diary.received(act.inbound().post(), act.inbound().letter(envelope));
        }
    }

    /** Waits for all of them, in one of many ways. */
    void complete(List<Act> acts, boolean deterministic) throws ReceiveException {
        switch (deterministic ? 0 : own.nextInt(4)) {
            case 0 -> {
                for (Act act : acts) {
                    await(act);
                }
            }
            case 1 -> completeAny(new ArrayList<>(acts));
            case 2 -> completeTesting(new ArrayList<>(acts), own.nextInt(30));
            default -> completeSome(new ArrayList<>(acts));
        }
    }

    private void completeAny(List<Act> open) throws ReceiveException {
        while (!open.isEmpty()) {
            Operation[] operations = open.stream().map(Act::operation).toArray(Operation[]::new);
            if (own.nextInt(3) == 0) {
                operations = Arrays.copyOf(operations, operations.length + 1); // A null is skipped.
            }
            int index = endpoint.awaitAny(operations, "Waitany");
            diary.saw(index);
            finished(open.remove(index));
        }
    }

    private void completeTesting(List<Act> open, int failuresMax) throws ReceiveException {
        int failures = 0;
        while (!open.isEmpty() && failures < failuresMax) {
            int index = (failures + open.size()) % open.size();
            if (test(open.get(index))) {
                open.remove(index);
            } else {
                failures++;
            }
        }
        for (Act act : open) {
            await(act);
        }
    }

    private void completeSome(List<Act> open) throws ReceiveException {
        while (!open.isEmpty()) {
            boolean some = false;
            for (int i = 0; i < open.size();) {
                if (test(open.get(i))) {
                    some = true;
                    open.remove(i);
                } else {
                    i++;
                }
            }
            if (!some) {
                int index = endpoint.awaitAny(open.stream().map(Act::operation).toArray(Operation[]::new), "Waitany");
                diary.saw(index);
                finished(open.remove(index));
            }
        }
    }

    /**
     * Takes a checkpoint if one may be taken: whether it was, the program does not see.
     *
     * @param isLong whether it has more than the diary, now and then more than may be on its way at once
     */
    void save(boolean isLong) throws IOException {
        int more = isLong ? Math.floorMod(diary.mark(), diary.mark() % 8 == 0 ? 2 * Wire.IMAGE_WINDOW_BYTES : IMAGE_BYTES_MAX) : 0;
        if (endpoint.vault().isOpen()) {
            endpoint.vault().save(out -> {
                diary.save(out);
                out.write(new byte[more]);
            });
        }
    }

    /** What letters are made of. */
    static final class Letters {
        private Letters() {}

        private static int noise(Diary.Letter letter) {
            return letter.isShort() ? 0 : (int) Math.floorMod(letter.mark() ^ letter.number() * 61, STARTS);
        }

        private static byte[] bytes(Diary.Letter letter) {
            byte[] bytes = new byte[letter.bytes()];
            System.arraycopy(NOISE, noise(letter), bytes, 0, bytes.length);
            if (!letter.isShort()) {
                ByteBuffer.wrap(bytes).putLong(letter.number()).putLong(letter.mark());
            }
            return bytes;
        }

        /** On its way out. */
        static final class Outbound implements Content {
            private final byte[] bytes;

            Outbound(Diary.Letter letter) {
                bytes = Letters.bytes(letter);
            }

            @Override
            public long bytes() {
                return bytes.length;
            }

            @Override
            public int elements() {
                return bytes.length;
            }

            @Override
            public int datatype() {
                return 1;
            }

            @Override
            public void write(long from, ByteBuffer out) {
                out.put(bytes, (int) from, out.remaining());
            }
        }

        /** On its way in. */
        static final class Inbound implements Sink {
            private final Diary.Post post;
            private byte[] bytes;

            Inbound(Diary.Post post) {
                this.post = post;
            }

            Diary.Post post() {
                return post;
            }

            boolean isTooShortFor(Envelope envelope) {
                return envelope.bytes() > post.room();
            }

            @Override
            public void begin(Envelope envelope) throws ReceiveException {
                if (isTooShortFor(envelope)) {
                    throw new ReceiveException(ReceiveException.Kind.TRUNCATE, envelope.bytes() + " bytes for " + post.room());
                }
                bytes = new byte[(int) envelope.bytes()];
            }

            @Override
            public void read(long at, ByteBuffer in) {
                in.get(bytes, (int) at, in.remaining());
            }

            @Override
            public void end() {}

            /** What came, checked; of what does not fit only that it came. */
            Diary.Letter letter(Envelope envelope) {
                if (bytes == null) {
                    return new Diary.Letter(post.context(), envelope.source(), envelope.tag(), (int) envelope.bytes(), 0, 0);
                }
                ByteBuffer head = ByteBuffer.wrap(bytes.length < HEAD_BYTES ? new byte[HEAD_BYTES] : bytes).order(ByteOrder.BIG_ENDIAN);
                Diary.Letter letter = new Diary.Letter(
                        post.context(), envelope.source(), envelope.tag(), bytes.length, head.getLong(), head.getLong());
                int wrong = Arrays.mismatch(bytes, bytes(letter));
                if (wrong >= 0) {
                    throw new AssertionError("byte " + wrong + " of " + letter + " is wrong");
                }
                return letter;
            }

            private static byte[] bytes(Diary.Letter letter) {
                return Letters.bytes(letter);
            }
        }
    }
}
