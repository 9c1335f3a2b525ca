package org.posthouse.relay.io;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The outlet of a Netty channel. It bypasses Netty's write queue, and writes on the thread that has data. Passing every
 * frame to the channel's event loop would wake that loop each time. Only what the kernel does not accept is left to
 * Netty, which waits for room. Until that is written, nothing else is.
 */
public final class NettyByteSink implements ByteSink {
    /** The system call of one kind of channel. */
    private interface Writer {
        long write(ByteBuffer[] bytes, int count) throws IOException;
    }

    private final Channel channel;

    /** Written by the loop that reads, before it handles the first frame; read by the threads that write. */
    private volatile Writer writer;

    /** Whether handlers encrypt. Written by the loop that reads, before it handles the first frame; read by any. */
    private volatile boolean sealed;

    /** Stored here, because a closed channel may no longer know its addresses. */
    private final ConnectionAddresses ends;

    // Whether no loop owns the channel, because it is new or moving. A loop that has just lost it must not be asked
    // for anything, since it would touch what another loop owns. Guarded by this.
    private boolean homeless;
    private boolean paused;
    private boolean closing;

    public NettyByteSink(Channel channel) {
        this(channel, writer(channel), ConnectionAddresses.of(channel));
    }

    /** For a Netty channel over this socket. */
    public NettyByteSink(Channel channel, SocketChannel socket, ConnectionAddresses ends) {
        this(channel, (bytes, count) -> count == 1 ? socket.write(bytes[0]) : socket.write(bytes, 0, count), ends);
    }

    private NettyByteSink(Channel channel, Writer writer, ConnectionAddresses ends) {
        this.channel = channel;
        this.writer = writer;
        this.ends = ends;
        this.homeless = !channel.isRegistered();
    }

    private static Writer writer(Channel channel) {
        if (channel instanceof RankChannel nio) {
            return nio::write;
        }
        if (channel instanceof UnixChannel unix) {
            return (bytes, count) -> count == 1
                    ? Math.max(0, unix.fd().write(bytes[0], bytes[0].position(), bytes[0].limit()))
                    : Math.max(0, unix.fd().writev(bytes, 0, count, Integer.MAX_VALUE));
        }
        throw new IllegalArgumentException("no way to write to a " + channel.getClass().getName());
    }

    /** From now on the channel's handlers encrypt all bytes, which all go through them. */
    public void seal() {
        sealed = true;
        writer = (bytes, count) -> 0;
    }

    @Override
    public long write(ByteBuffer[] bytes, int count) throws IOException {
        return writer.write(bytes, count);
    }

    @Override
    public void finish(ByteBuf rest, Runnable then) {
        channel.writeAndFlush(rest).addListener(done -> {
            if (!done.isSuccess()) {
                close();
            }
            then.run();
        });
    }

    /**
     * False for io_uring: a channel receives nothing once it is registered with another loop. False with TLS, whose
     * handlers stay with their loop.
     */
    @Override
    public boolean changesLoop() {
        return !sealed && !(channel instanceof IoUringSocketChannel);
    }

    @Override
    public void readBy(EventLoop loop, Runnable ended, Runnable then) {
        if (channel.eventLoop() == loop) {
            then.run();
            return;
        }
        synchronized (this) {
            homeless = true;
        }
        channel.deregister().addListener(left -> loop.register(channel).addListener(there -> {
            if (!there.isSuccess()) {
                // Netty tells a handler of the end only while a loop owns the channel.
                channel.unsafe().closeForcibly();
                ended.run();
            }
            arrive();
            then.run();
        }));
    }

    /** Called when a loop owns the channel; applies the requests made before. */
    public void arrive() {
        boolean close;
        synchronized (this) {
            homeless = false;
            channel.config().setAutoRead(!paused);
            close = closing;
        }
        if (close) {
            channel.close();
        }
    }

    @Override
    public synchronized void pauseReading(boolean pause) {
        paused = pause;
        if (!homeless) {
            channel.config().setAutoRead(!pause);
        }
    }

    /** Bypasses all handlers. Closes outside the lock, because handlers of its end close other connections. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            if (homeless) {
                return;
            }
        }
        ChannelHandlerContext first = sealed ? channel.pipeline().firstContext() : null;
        if (first == null) {
            channel.close();
        } else {
            first.close(); // Past the handlers of TLS, which would wait until their bytes are sent.
        }
    }

    @Override
    public ConnectionAddresses ends() {
        return ends;
    }
}
