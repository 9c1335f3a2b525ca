package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The outlet of a connection in blocking style: a write waits until the peer has room for all of it. */
public final class BlockingByteSink implements ByteSink {
    private static final Logger LOG = LoggerFactory.getLogger(BlockingByteSink.class);

    private final SocketChannel socket;
    private final ConnectionAddresses ends;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition resumed = lock.newCondition();

    /** Guarded by the lock. */
    private boolean paused;

    public BlockingByteSink(SocketChannel socket, ConnectionAddresses ends) {
        this.socket = socket;
        this.ends = ends;
    }

    @Override
    public long write(ByteBuffer[] bytes, int count) throws IOException {
        long written = 0;
        while (bytes[count - 1].hasRemaining()) {
            written += socket.write(bytes, 0, count);
        }
        return written;
    }

    @Override
    public void finish(ByteBuf rest, Runnable then) {
        throw new IllegalStateException("a write that blocks leaves nothing");
    }

    @Override
    public boolean changesLoop() {
        return false;
    }

    @Override
    public void readBy(EventLoop loop, Runnable ended, Runnable then) {
        throw new IllegalStateException("a thread of its own reads the connection from " + ends);
    }

    @Override
    public void pauseReading(boolean pause) {
        lock.lock();
        try {
            paused = pause;
            resumed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until reading is no longer paused, or the connection ends. */
    public void awaitReading() {
        lock.lock();
        try {
            while (paused && socket.isOpen()) {
                resumed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing the connection from {}: {}", ends, e.toString());
        }
        pauseReading(false); // Last, so that a later pause does not make the reader wait again.
    }

    @Override
    public ConnectionAddresses ends() {
        return ends;
    }
}
