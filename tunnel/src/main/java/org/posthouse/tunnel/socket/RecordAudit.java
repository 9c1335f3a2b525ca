package org.posthouse.tunnel.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/**
 * Bounds the useless data that a peer can make a relay decrypt: key updates, tickets, padding, and empty or tiny
 * records (RFC 8446, 4.6.1, 4.6.3, 5.1, 5.4). Confined to the connection's event loop.
 *
 * <p>It is in front of TLS and sees records only; {@link #data} is behind TLS and counts their content. A record's
 * length bounds its content. The difference is overhead, whichever engine decrypts.
 *
 * <p>Past a limit it fires one {@link Flood} and drops all further input. It passes on so few records at once that the
 * limit also holds within one read.
 */
final class RecordAudit extends ChannelInboundHandlerAdapter {
    /** Limit for the handshake: more than both ends' certificates and everything else in it. */
    static final int HANDSHAKE_BYTES_MAX = 128 * 1024;

    /** Records that may be empty: far more than the tickets around the pings of an idle link. */
    static final int RECORDS_SPARE = 1_024;

    /** Minimum data per record beyond {@link #RECORDS_SPARE}. A relay writes frames, and no frame is shorter. */
    static final int RECORD_DATA_BYTES_MIN = 16;

    /**
     * Bytes in records that need not be data: a dozen tickets with the peer's certificate in each, or 6,500 key
     * updates.
     */
    static final int OTHER_BYTES_SPARE = 32 * 1024;

    /**
     * Data bytes that permit one more byte of overhead. An engine updates its keys after 2^24 records at the earliest.
     */
    static final int DATA_PER_OTHER_BYTE = 1_024;

    private static final int HEADER_BYTES = 5;

    /** The content's type and the cipher's tag. */
    private static final int SEALED_BYTES = 1 + 16;

    private static final int RECORDS_AT_ONCE = 256;

    private boolean secured;
    private boolean flooded;
    private long records;
    private long contentBytes;
    private long dataBytes;
    private long handshakeBytes;

    /** State of the current record: received bytes of its header, the header, and missing bytes of its body. */
    private int headerBytes;

    private int length;
    private int bodyBytes;

    /** The reason for which a connection must be closed. */
    record Flood(String detail) {}

    /** The handler behind TLS. */
    ChannelInboundHandler data() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                dataBytes += ((ByteBuf) message).readableBytes();
                context.fireChannelRead(message);
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof SslHandshakeCompletionEvent done && done.isSuccess()) {
                    secured = true;
                    records = 0;
                    contentBytes = 0;
                }
                context.fireUserEventTriggered(event);
            }
        };
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            while (in.isReadable() && !flooded) {
                int bytes = count(in);
                context.fireChannelRead(in.readRetainedSlice(bytes));
                check(context);
            }
        } finally {
            in.release();
        }
    }

    /**
     * Counts up to {@link #RECORDS_AT_ONCE} records.
     *
     * @return their bytes
     */
    private int count(ByteBuf in) {
        int at = in.readerIndex();
        int end = in.writerIndex();
        for (int whole = 0; whole < RECORDS_AT_ONCE && at < end;) {
            if (headerBytes < HEADER_BYTES) {
                length = length << 8 & 0xFFFF | in.getUnsignedByte(at++);
                bodyBytes = ++headerBytes == HEADER_BYTES ? length : 0;
            } else {
                int here = Math.min(bodyBytes, end - at);
                at += here;
                bodyBytes -= here;
            }
            if (headerBytes == HEADER_BYTES && bodyBytes == 0) {
                whole++;
                records++;
                contentBytes += Math.max(0, length - SEALED_BYTES);
                headerBytes = 0;
            }
        }
        int bytes = at - in.readerIndex();
        handshakeBytes += secured ? 0 : bytes;
        return bytes;
    }

    private void check(ChannelHandlerContext context) {
        long otherBytes = contentBytes - dataBytes;
        if (!secured) {
            if (handshakeBytes > HANDSHAKE_BYTES_MAX) {
                end(context, handshakeBytes + " bytes of a TLS handshake that is not over, expected " + HANDSHAKE_BYTES_MAX + " at most");
            }
        } else if (records > RECORDS_SPARE + dataBytes / RECORD_DATA_BYTES_MIN) {
            end(context, records + " TLS records with " + dataBytes + " bytes of data in all, expected " + RECORD_DATA_BYTES_MIN + " in each but "
                    + RECORDS_SPARE);
        } else if (otherBytes > OTHER_BYTES_SPARE + dataBytes / DATA_PER_OTHER_BYTE) {
            end(context, otherBytes + " bytes in TLS records that are key updates, tickets or padding, expected " + OTHER_BYTES_SPARE + " at most beside "
                    + dataBytes + " bytes of data");
        }
    }

    private void end(ChannelHandlerContext context, String detail) {
        flooded = true;
        context.fireUserEventTriggered(new Flood(detail));
    }
}
