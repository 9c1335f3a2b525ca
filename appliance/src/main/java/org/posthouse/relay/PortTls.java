package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.keys.SiteKeys;
import org.posthouse.relay.io.NettyByteSink;
import org.posthouse.relay.io.ReadBuffers;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.socket.LinkTls;

/**
 * TLS at the ranks' port (docs/security.md, TLS). The first byte of a connection tells whether it is TLS: a frame begins
 * with a length, whose first byte is 0. Immutable.
 *
 * @param keys in force when the connection was accepted
 * @param natively whether BoringSSL encrypts
 * @param handshakeMs most milliseconds of a handshake
 */
record PortTls(SiteKeys keys, boolean natively, int handshakeMs) {
    private static final String FIRST_BYTE = "posthouse-first-byte";

    /** The type of the record that begins a handshake (RFC 8446, 5.1). */
    private static final byte HANDSHAKE = 22;

    /** Prepares a connection before its first byte is read. A plain one loses nothing by it but one check. */
    void prepare(Channel channel, Connection connection, NettyByteSink outlet, ReadBuffers buffers) {
        channel.pipeline().addFirst(FIRST_BYTE, new FirstByte(this, connection, outlet, buffers));
    }

    /** Looks at the first byte, then leaves the pipeline. */
    private static final class FirstByte extends ChannelInboundHandlerAdapter {
        private final PortTls tls;
        private final Connection connection;
        private final NettyByteSink outlet;
        private final ReadBuffers buffers;

        FirstByte(PortTls tls, Connection connection, NettyByteSink outlet, ReadBuffers buffers) {
            this.tls = tls;
            this.connection = connection;
            this.outlet = outlet;
            this.buffers = buffers;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf first = (ByteBuf) message;
            ChannelPipeline pipeline = context.pipeline();
            pipeline.remove(this);
            // One that is closed already has got its reason plainly.
            if (first.getByte(first.readerIndex()) == HANDSHAKE && connection.line().closing() == null) {
                outlet.seal();
                buffers.sealed();
                connection.secured(tls.keys.binding());
                LinkTls.secureRank(pipeline, tls.keys.engineForRanks(tls.natively, context.alloc()), tls.handshakeMs, outcome());
            }
            pipeline.fireChannelRead(message);
        }

        private LinkTls.Outcome outcome() {
            return new LinkTls.Outcome() {
                @Override
                public void onSecured(SiteCertificate peer) {
                    connection.certified(peer);
                }

                @Override
                public void onRefused(LinkRefusal kind, String detail) {
                    connection.onTlsRefused(kind + ": " + detail);
                }
            };
        }
    }
}
