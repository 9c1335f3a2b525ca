package org.posthouse.tunnel.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class ClientHellosTest {
    @Test
    void forgetsTheOldestHandshakesOnly() {
        ClientHellos begun = new ClientHellos();
        for (int drawn = 0; drawn <= ClientHellos.REMEMBERED_MAX; drawn++) {
            assertThat(begun.isReplay(clientHello(drawn))).isFalse();
        }
        assertThat(begun.isReplay(clientHello(1))).isTrue();
        assertThat(begun.isReplay(clientHello(0))).as("the oldest").isFalse();
        assertThat(begun.isReplay(Unpooled.wrappedBuffer(new byte[100]))).as("no handshake at all").isFalse();
    }

    private static ByteBuf clientHello(int drawn) {
        byte[] bytes = new byte[ClientHellos.BYTES];
        bytes[0] = 22;
        bytes[5] = 1;
        return Unpooled.wrappedBuffer(bytes).setInt(ClientHellos.BYTES - 4, drawn);
    }
}
