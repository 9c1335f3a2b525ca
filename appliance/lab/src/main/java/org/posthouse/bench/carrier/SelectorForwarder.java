package org.posthouse.bench.carrier;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.posthouse.relay.ResourceUsage;

/**
 * A bare forwarder as one writes it with a selector of the JDK: one thread, direct buffers, nothing else. Bytes are
 * written as soon as they are read. If the other side does not take them they wait, and nothing is read meanwhile.
 *
 * <p>A connection that fails or ends takes its partner with it.
 */
public final class SelectorForwarder implements Forwarder, Runnable {
    private static final int BACKLOG = 1_024;

    private final Selector selector;
    private final ServerSocketChannel server;
    private final Thread thread = new Thread(this, "posthouse-selector-forwarder");

    /** Written by {@link #close}, read by the forwarder's thread. */
    private volatile boolean closed;

    private SelectorForwarder(Selector selector, ServerSocketChannel server) {
        this.selector = selector;
        this.server = server;
    }

    /** One direction of a joined pair. Attached to the key of {@code from}. Confined to the forwarder's thread. */
    private static final class Flow {
        private static final int BUFFER_BYTES = 128 * 1024;

        private final SocketChannel from;
        private final SocketChannel to;
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_BYTES);

        private Flow(SocketChannel from, SocketChannel to) {
            this.from = from;
            this.to = to;
        }

        /** Moves what is there. @return false at the end of the bytes */
        private boolean move() throws IOException {
            if (from.read(bytes) < 0) {
                return false;
            }
            bytes.flip();
            to.write(bytes);
            bytes.compact();
            return true;
        }

        /** Writes what waited. */
        private void drain() throws IOException {
            bytes.flip();
            to.write(bytes);
            bytes.compact();
        }

        private boolean isEmpty() {
            return bytes.position() == 0;
        }

        private void close() throws IOException {
            from.close();
            to.close();
        }
    }

    /** Starts one with a thread of its own. */
    public static SelectorForwarder start() throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        server.configureBlocking(false);
        SelectorForwarder forwarder = new SelectorForwarder(Selector.open(), server);
        server.register(forwarder.selector, SelectionKey.OP_ACCEPT);
        forwarder.thread.setDaemon(true);
        forwarder.thread.start();
        return forwarder;
    }

    @Override
    public int port() {
        return server.socket().getLocalPort();
    }

    @Override
    public ResourceUsage load() {
        return ResourceUsage.ofThread(thread);
    }

    @Override
    public void run() {
        try {
            while (!closed) {
                selector.select(this::onReady);
            }
            for (SelectionKey key : List.copyOf(selector.keys())) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new IllegalStateException("the selector of the bare forwarder failed", e);
        }
    }

    private void onReady(SelectionKey key) {
        if (!key.isValid()) {
            return; // Its partner ended in this turn.
        }
        try {
            if (key.isAcceptable()) {
                accept();
            } else if (key.attachment() == null) {
                join(key);
            } else {
                move(key);
            }
        } catch (IOException e) {
            end(key);
        }
    }

    private void accept() throws IOException {
        SocketChannel channel = server.accept();
        if (channel != null) {
            prepare(channel).register(selector, SelectionKey.OP_READ);
        }
    }

    private static SocketChannel prepare(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
        return channel;
    }

    /** Reads where the connection wants to go, and opens the way there. */
    private void join(SelectionKey key) throws IOException {
        SocketChannel from = (SocketChannel) key.channel();
        ByteBuffer preface = ByteBuffer.allocate(Integer.BYTES);
        if (from.read(preface) < Integer.BYTES) {
            throw new IOException("a connection did not say in its first 4 bytes where to go");
        }
        SocketChannel to =
                prepare(SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), preface.getInt(0))));
        key.attach(new Flow(from, to));
        to.register(selector, SelectionKey.OP_READ, new Flow(to, from));
    }

    /** One direction's bytes have come, or the other direction may continue. */
    private void move(SelectionKey key) throws IOException {
        Flow in = (Flow) key.attachment();
        SelectionKey partner = in.to.keyFor(selector);
        if (key.isWritable()) {
            Flow back = (Flow) partner.attachment();
            back.drain();
            settle(partner, key, back);
        }
        if (key.isReadable()) {
            if (!in.move()) {
                in.close();
                return;
            }
            settle(key, partner, in);
        }
    }

    /** While bytes of {@code flow} wait, its source is not read, and its target is watched for room. */
    private static void settle(SelectionKey source, SelectionKey target, Flow flow) {
        if (flow.isEmpty()) {
            if ((source.interestOps() & SelectionKey.OP_READ) == 0) {
                source.interestOpsOr(SelectionKey.OP_READ);
                target.interestOpsAnd(~SelectionKey.OP_WRITE);
            }
        } else if ((source.interestOps() & SelectionKey.OP_READ) != 0) {
            source.interestOpsAnd(~SelectionKey.OP_READ);
            target.interestOpsOr(SelectionKey.OP_WRITE);
        }
    }

    private static void end(SelectionKey key) {
        try {
            if (key.attachment() instanceof Flow flow) {
                flow.close();
            } else {
                key.channel().close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("a connection of the bare forwarder cannot be closed", e);
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
