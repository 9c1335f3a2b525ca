package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A connection between a rank's process and its relay: bytes that arrive late, in order and in pieces, until one of both dies
 * or it is cut; then some of what is on its way arrives, or nothing.
 */
public final class Cable {
    /** The relay's end. */
    public interface Relay {
        void onBytes(byte[] bytes);

        /** Nothing more comes. */
        void onEnded();

        /** The rank has read something. */
        void onRead();
    }

    /** One of both ways. */
    private final class Way {
        private final Consumer<byte[]> arrive;
        private final int delayMax = random.nextInt(20);
        private long last;
        private int underWay;
        private boolean cut;

        private Way(Consumer<byte[]> arrive) {
            this.arrive = arrive;
        }

        private void send(byte[] bytes) {
            int split = bytes.length > 1 && random.nextInt(6) == 0 ? 1 + random.nextInt(bytes.length - 1) : bytes.length;
            pass(split == bytes.length ? bytes : Arrays.copyOf(bytes, split));
            if (split < bytes.length) {
                pass(Arrays.copyOfRange(bytes, split, bytes.length));
            }
        }

        private void pass(byte[] bytes) {
            underWay += bytes.length;
            inOrder(() -> {
                underWay -= bytes.length;
                arrive.accept(bytes);
            });
        }

        /** Does it behind all that was sent, unless it is cut before. */
        private void inOrder(Runnable action) {
            last = Math.max(last, stage.now() + random.nextInt(delayMax + 1));
            stage.after(last - stage.now(), () -> {
                if (!cut) {
                    action.run();
                }
            });
        }
    }

    private final Stage stage;
    private final Random random;
    private final Way toRelay;
    private final Way toRank;

    /** What the kernel takes of a side's bytes before it has to wait. */
    private final int windowBytes;

    private final ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
    private int unread;
    private IOException broken;
    private boolean ended;
    private Runnable wakeRank = () -> {};
    private Relay relay;

    Cable(Stage stage) {
        this.stage = stage;
        random = stage.random();
        windowBytes = random.nextInt(3) == 0 ? 2_000 + random.nextInt(70_000) : 1 << 20;
        toRelay = new Way(bytes -> {
            relay.onBytes(bytes);
            wakeRank.run();
        });
        toRank = new Way(bytes -> {
            arrived.add(ByteBuffer.wrap(bytes));
            unread += bytes.length;
            wakeRank.run();
        });
    }

    /** Called once, by the relay that accepts it. */
    public void accepted(Relay end) {
        relay = end;
    }

    // ---- the relay's end

    public void send(byte[] bytes) {
        toRank.send(bytes);
    }

    /** Bytes that the rank has not read. */
    public int unread() {
        return toRank.underWay + unread;
    }

    /** The relay hangs up behind what it has said. */
    public void closeByRelay() {
        toRank.inOrder(this::endForRank);
        toRelay.cut = true;
        wakeRank.run();
    }

    /** The relay's process has died. */
    public void relayDied() {
        toRelay.cut = true;
        if (random.nextBoolean()) {
            toRank.cut = true;
            breakForRank("connection reset by peer");
        } else {
            toRank.inOrder(this::endForRank);
            wakeRank.run();
        }
    }

    /** The network loses what is on its way; each end notices in its time. */
    public void cut() {
        toRank.cut = true;
        toRelay.cut = true;
        stage.after(random.nextInt(40), () -> breakForRank("the network was cut"));
        stage.after(random.nextInt(80), relay::onEnded);
    }

    private void endForRank() {
        ended = true;
        wakeRank.run();
    }

    private void breakForRank(String how) {
        broken = new IOException(how);
        arrived.clear();
        wakeRank.run();
    }

    // ---- the rank's end

    void onReady(Runnable wake) {
        wakeRank = wake;
    }

    /** What was not read is lost; nothing more comes. */
    void endInput() {
        ended = true;
        wakeRank.run();
    }

    boolean isReadable() {
        return broken != null || ended || !arrived.isEmpty();
    }

    boolean isWritable() {
        return broken != null || toRelay.cut || toRelay.underWay < windowBytes;
    }

    /** As a channel that does not block. */
    int read(ByteBuffer into) throws IOException {
        requireWhole();
        int count = 0;
        while (!arrived.isEmpty() && into.hasRemaining() && (count == 0 || random.nextInt(4) > 0)) {
            ByteBuffer from = arrived.peek();
            int step = Math.min(from.remaining(), into.remaining());
            into.put(from.slice(from.position(), step));
            from.position(from.position() + step);
            count += step;
            if (!from.hasRemaining()) {
                arrived.remove();
            }
        }
        unread -= count;
        if (count > 0) {
            relay.onRead();
        }
        return count == 0 && ended && arrived.isEmpty() ? -1 : count;
    }

    int write(ByteBuffer from) throws IOException {
        requireWhole();
        if (toRelay.cut) {
            return writeToNobody(from);
        }
        int room = Math.min(from.remaining(), windowBytes - toRelay.underWay);
        if (room <= 0) {
            return 0;
        }
        int count = random.nextInt(10) == 0 ? 1 + random.nextInt(room) : room;
        byte[] bytes = new byte[count];
        from.get(bytes);
        toRelay.send(bytes);
        return count;
    }

    /** The kernel may not know yet that nobody reads any more. */
    private int writeToNobody(ByteBuffer from) throws IOException {
        if (random.nextBoolean()) {
            throw new IOException("broken pipe");
        }
        int count = from.remaining();
        from.position(from.limit());
        return count;
    }

    private void requireWhole() throws IOException {
        if (broken != null) {
            throw new IOException(broken.getMessage());
        }
    }

    /** The rank's process has closed it, or died: what it has written arrives, or is lost with it. */
    void closeByRank(boolean gently) {
        toRank.cut = true;
        if (gently || random.nextBoolean()) {
            toRelay.inOrder(relay::onEnded);
        } else {
            toRelay.cut = true;
            stage.after(random.nextInt(40), relay::onEnded);
        }
        wakeRank.run();
    }
}
