package org.posthouse.relay.io;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.Predicate;

/** A connection over Java's own channels that any thread may write to without Netty, one at a time. */
public final class RankChannel extends NioSocketChannel {
    private RankChannel(Channel parent, SocketChannel socket) {
        super(parent, socket);
    }

    long write(ByteBuffer[] bytes, int count) throws IOException {
        return count == 1 ? javaChannel().write(bytes[0]) : javaChannel().write(bytes, 0, count);
    }

    /** Accepts such connections. */
    public static final class Acceptor extends NioServerSocketChannel {
        private final Predicate<SocketChannel> taken;

        /** @param taken receives each new connection first; Netty does not handle those for which it returns true */
        public Acceptor(Predicate<SocketChannel> taken) {
            this.taken = taken;
        }

        @Override
        protected int doReadMessages(List<Object> accepted) throws Exception {
            SocketChannel socket = javaChannel().accept();
            if (socket == null) {
                return 0;
            }
            if (!taken.test(socket)) {
                accepted.add(new RankChannel(this, socket));
            }
            return 1;
        }
    }
}
