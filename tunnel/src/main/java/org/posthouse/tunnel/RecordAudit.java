package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/**
 * Bounds what a peer makes a relay decrypt for nothing: key updates, tickets, padding, and records that are empty or tiny (RFC 8446, 4.6.1, 4.6.3, 5.1, 5.4).
 * It stands in front of TLS and sees records only; {@link #data} stands behind it and counts what they carried. A record's length tells how much it may have
 * carried, so what was no data is the difference, whichever engine decrypts. Confined to the connection's event loop.
 *
 * <p>Past a limit it fires a {@link Flood}, once, and drops what comes. It hands over so few records at once that the limit holds within one read, too.
 */
final class RecordAudit extends ChannelInboundHandlerAdapter {
    /** More than both ends' certificates and all else that a handshake takes. */
    static final int HANDSHAKE_BYTES_MAX = 128 * 1024;

    /** Records that need not carry anything: far more than the pings of a link that is at rest have of tickets around them. */
    static final int RECORDS_SPARE = 1_024;

    /** A relay writes frames, and no frame is shorter: of each record beyond {@link #RECORDS_SPARE} so much is data. */
    static final int RECORD_DATA_BYTES_MIN = 16;

    /** Bytes in records that need not be data: a dozen tickets with the peer's certificate in each, or 6,500 key updates. */
    static final int OTHER_BYTES_SPARE = 32 * 1024;

    /** Of so much data one byte more may be none. An engine updates its keys after 2^24 records at the earliest. */
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

    /** Of the record that is coming: what has come of its header, those bytes, and what is to come of its body. */
    private int headerBytes;

    private int length;
    private int bodyBytes;

    /** What a connection is to be closed for. */
    record Flood(String detail) {}

    /** Stands behind TLS. */
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

    /** Counts {@link #RECORDS_AT_ONCE} records or what there is. @return their bytes */
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
