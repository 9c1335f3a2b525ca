package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import org.posthouse.causes.Causes;
import org.posthouse.relay.threads.FatalErrorExit;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes bytes that an event loop reads to their connection. Confined to that loop. */
final class ConnectionReader extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionReader.class);

    private final Connection connection;

    ConnectionReader(Connection connection) {
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            connection.onBytes(in);
        } finally {
            in.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connection.onEnded();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof VirtualMachineError) {
            FatalErrorExit.report(cause);
        }
        boolean environment = cause instanceof IOException;
        if (!environment) {
            LOG.error("the connection from {} failed", connection.line().remote(), cause);
        }
        connection.line().cut(CloseNotice.closing(0, environment ? CloseReason.NORMAL : CloseReason.INTERNAL, Causes.text(cause)));
    }
}
