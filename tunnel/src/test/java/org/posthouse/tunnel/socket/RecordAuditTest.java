package org.posthouse.tunnel.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits of what TLS records may be that carry nothing, with a "decryption" that takes a record's head and tail away, and drops what is no data. */
class RecordAuditTest {
    private static final int DATA = 23;
    private static final int OTHER = 22;
    private static final int SEALED = 17;

    private final List<String> floods = new ArrayList<>();
    private final Opened opened = new Opened();
    private EmbeddedChannel channel = channel();

    /** In the place of TLS: records come whole; their first byte says here whether they hold data. */
    private static final class Opened extends ChannelInboundHandlerAdapter {
        private final ByteBuf come = Unpooled.buffer();
        private int records;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf in = (ByteBuf) message;
            come.writeBytes(in);
            in.release();
            while (come.readableBytes() >= 5 && come.readableBytes() >= 5 + come.getUnsignedShort(come.readerIndex() + 3)) {
                ByteBuf record = come.readSlice(5 + come.getUnsignedShort(come.readerIndex() + 3));
                records++;
                if (record.getByte(0) == DATA && record.readableBytes() > 5 + SEALED) {
                    context.fireChannelRead(record.retainedSlice(5, record.readableBytes() - 5 - SEALED));
                }
            }
            come.discardReadBytes();
        }
    }

    private EmbeddedChannel channel() {
        RecordAudit audit = new RecordAudit();
        return new EmbeddedChannel(audit, opened, audit.data(), new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ((ByteBuf) message).release();
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof RecordAudit.Flood flood) {
                    floods.add(flood.detail());
                }
            }
        });
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void secured() {
        channel.pipeline().context(opened).fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
    }

    private static ByteBuf records(int type, int count, int contentBytes) {
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            all.writeByte(type).writeShort(0x0303).writeShort(contentBytes + SEALED).writeZero(contentBytes + SEALED);
        }
        return all;
    }

    @Test
    void letsShortFramesPassForEver() {
        secured();
        for (int read = 0; read < 30; read++) {
            channel.writeInbound(records(DATA, 1_000, 16));
        }
        channel.writeInbound(records(DATA, 30, 1 << 14));
        assertThat(floods).isEmpty();
        assertThat(opened.records).isEqualTo(30_030);
    }

    @Test
    void countsRecordsThatComeByteByByte() {
        secured();
        ByteBuf all = records(DATA, RecordAudit.RECORDS_SPARE + 1, 0);
        while (all.readableBytes() > 1) {
            channel.writeInbound(all.readRetainedSlice(1));
        }
        assertThat(floods).isEmpty();
        channel.writeInbound(all);
        assertThat(floods).containsExactly("1025 TLS records with 0 bytes of data in all, expected 16 in each but 1024");
    }

    @Test
    void endsWithinOneReadAndDecryptsNothingMore() {
        secured();
        channel.writeInbound(records(DATA, 100_000, 1));
        channel.writeInbound(records(DATA, 100_000, 1));
        assertThat(floods).singleElement().asString().endsWith(" bytes of data in all, expected 16 in each but 1024");
        assertThat(opened.records).isLessThanOrEqualTo(RecordAudit.RECORDS_SPARE + 512);
    }

    @Test
    void endsAFloodOfKeyUpdatesBetweenData() {
        secured();
        for (int read = 0; read < 10_000 && floods.isEmpty(); read++) {
            channel.writeInbound(records(OTHER, 1, 5), records(DATA, 1, 32));
        }
        assertThat(floods).singleElement().asString().endsWith(" expected 32768 at most beside 211008 bytes of data");
        assertThat(opened.records).isLessThan(2 * 7_000);
    }

    @Test
    void letsTicketsPassAndAKeyUpdateInMuchData() {
        secured();
        channel.writeInbound(records(OTHER, 10, 2_000));
        for (int update = 0; update < 3_000; update++) {
            channel.writeInbound(records(DATA, 1, 1 << 14), records(OTHER, 1, 5));
        }
        assertThat(floods).isEmpty();
    }

    @Test
    void endsAHandshakeThatDoesNotEnd() {
        channel.writeInbound(records(20, 1_000, 1 << 10));
        assertThat(floods).singleElement().asString().contains(" bytes of a TLS handshake that is not over, expected 131072 at most");
    }
}
