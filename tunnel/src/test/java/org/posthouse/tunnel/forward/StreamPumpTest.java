package org.posthouse.tunnel.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import org.junit.jupiter.api.Test;

class StreamPumpTest {
    @Test
    void socketCloseReleasesBufferAwaitingToken() {
        NioSocketChannel socket = new NioSocketChannel();
        EmbeddedChannel events = new EmbeddedChannel(new StreamPump(socket));
        ByteBuf read = Unpooled.wrappedBuffer(new byte[1]);
        events.writeInbound(read);
        assertThat(read.refCnt()).as("no stream has asked for it").isEqualTo(1);
        events.close();
        assertThat(read.refCnt()).isZero();
        socket.unsafe().closeForcibly();
    }
}
