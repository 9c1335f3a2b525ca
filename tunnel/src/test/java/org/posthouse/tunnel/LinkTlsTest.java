package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.keys.RelayKeys;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.socket.LinkTls;
import org.posthouse.tunnel.socket.TlsKind;

/** A connection that has just begun its handshake. */
class LinkTlsTest {
    private static final int HANDSHAKE_MS = 5_000;

    @TempDir
    private Path folder;

    /** What a channel is read with is made at its first read, which is of the handshake, and stays. */
    @Test
    void readsAsMuchAtOnceAsAFullLinkBrings() throws Exception {
        LinkTls tls = new LinkTls(new RelayKeys(null, "a", new TestGrid(folder).keys("a"), list -> {}), TlsKind.AUTO, HANDSHAKE_MS);
        EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
        tls.secure(channel.pipeline().lastContext(), true, new LinkTls.Outcome() {
            @Override
            public void onSecured(SiteCertificate peer) {}

            @Override
            public void onRefused(LinkRefusal kind, String detail) {}
        });
        RecvByteBufAllocator.Handle reading = channel.unsafe().recvBufAllocHandle();
        assertThat(mostAtOnce(channel, reading)).isEqualTo(256 * 1024);
        channel.finishAndReleaseAll();
    }

    /** What is offered at last to one who always fills what he is offered. */
    private static int mostAtOnce(EmbeddedChannel channel, RecvByteBufAllocator.Handle reading) {
        int most = 0;
        for (int read = 0; read < 20; read++) {
            reading.reset(channel.config());
            ByteBuf in = reading.allocate(channel.alloc());
            most = in.writableBytes();
            reading.attemptedBytesRead(most);
            reading.lastBytesRead(most);
            reading.readComplete();
            in.release();
        }
        return most;
    }
}
