package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The outlet of a Netty channel. It writes past Netty's own queue, from whatever thread has something to write: handing
 * every frame to the channel's event loop would cost a wake-up of that loop each. Only what the kernel does not take is
 * left to Netty, which waits for room; until that is written nothing else is.
 */
final class ChannelOutlet implements Outlet {
    /** The system call of one kind of channel. */
    private interface Writer {
        long write(ByteBuffer[] bytes, int count) throws IOException;
    }

    private final Channel channel;
    private final Writer writer;

    /** A channel that has been closed may not know them any more. */
    private final ConnectionEnds ends;

    // No loop has the channel, as it is new or moving: one that has just lost it must not be asked for anything, it would touch what is another's. Guarded by this.
    private boolean homeless;
    private boolean paused;
    private boolean closing;

    ChannelOutlet(Channel channel) {
        this(channel, writer(channel), ConnectionEnds.of(channel));
    }

    /** Over Netty's channel of that socket's. */
    ChannelOutlet(Channel channel, SocketChannel socket, ConnectionEnds ends) {
        this(channel, (bytes, count) -> count == 1 ? socket.write(bytes[0]) : socket.write(bytes, 0, count), ends);
    }

    private ChannelOutlet(Channel channel, Writer writer, ConnectionEnds ends) {
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

    /** Not over io_uring: nothing comes any more from a channel that was registered with another loop. */
    @Override
    public boolean changesLoop() {
        return !(channel instanceof IoUringSocketChannel);
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
                // Netty tells a handler of the end only while a loop has the channel.
                channel.unsafe().closeForcibly();
                ended.run();
            }
            arrive();
            then.run();
        }));
    }

    /** A loop has the channel: what was asked for before is done. */
    void arrive() {
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

    /** Past all handlers, at once: without the lock, since handlers of its end close other connections. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            if (homeless) {
                return;
            }
        }
        channel.close();
    }

    @Override
    public ConnectionEnds ends() {
        return ends;
    }
}
