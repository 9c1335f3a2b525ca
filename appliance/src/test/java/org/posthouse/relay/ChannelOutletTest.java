package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the kernel does not take is finished or given up, and whoever waits for that is told either way. */
@Timeout(60)
final class ChannelOutletTest {
    private static final int BYTES = 64 * 1024 * 1024;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final CompletableFuture<Channel> accepted = new CompletableFuture<>();

    @AfterEach
    void endLoops() throws InterruptedException {
        assertThat(loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS)).isTrue();
    }

    private Socket connect() throws Exception {
        Channel server = new RankChannel.Acceptor(socket -> false);
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object channel) {
                loops.register((Channel) channel).addListener(done -> accepted.complete((Channel) channel));
            }
        });
        loops.register(server).sync();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync();
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        return new Socket(address.getAddress(), address.getPort());
    }

    @Test
    void tellsThatTheReaderIsGone() throws Exception {
        try (Socket reader = connect()) {
            ChannelOutlet outlet = new ChannelOutlet(accepted.get(10, TimeUnit.SECONDS));
            ByteBuf much = ByteBufAllocator.DEFAULT.directBuffer(BYTES).writeZero(BYTES);
            long written = outlet.write(new ByteBuffer[] {much.nioBuffer()}, 1);
            assertThat(written).as("the kernel does not take all").isLessThan(BYTES);
            CountDownLatch told = new CountDownLatch(1);
            outlet.finish(much.skipBytes((int) written), told::countDown);
            reader.setSoLinger(true, 0);
            reader.close();
            assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(much.refCnt()).isZero();
        }
    }
}
