package org.posthouse.relay.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the kernel does not take is finished or given up, and a connection is read by one loop and then by another; whoever waits for that is
 * told either way.
 */
@Timeout(120)
final class NettyByteSinkTest {
    private static final int BYTES = 64 * 1024 * 1024;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final EventLoop others = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()).next();
    private final CompletableFuture<Channel> accepted = new CompletableFuture<>();
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    /** Says what comes, and in whose thread. */
    private final class Hearing extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            ByteBuf in = (ByteBuf) bytes;
            heard.add(in.toString(StandardCharsets.UTF_8) + where());
            in.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            heard.add("ended" + where());
        }

        private String where() {
            return others.inEventLoop() ? " there" : " here";
        }
    }

    @AfterEach
    void endLoops() throws InterruptedException {
        assertThat(loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(others.parent().shutdownGracefully(0, 5, TimeUnit.SECONDS).await(60, TimeUnit.SECONDS)).isTrue();
    }

    private String next() throws InterruptedException {
        return heard.poll(60, TimeUnit.SECONDS);
    }

    private static void say(Socket socket, String word) throws IOException {
        socket.getOutputStream().write(word.getBytes(StandardCharsets.UTF_8));
    }

    private Socket connect() throws Exception {
        return connect(channel -> loops.register(channel).addListener(done -> accepted.complete(channel)));
    }

    private Socket connect(Consumer<Channel> onAccepted) throws Exception {
        Channel server = new RankChannel.Acceptor(socket -> false);
        server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object channel) {
                ((Channel) channel).pipeline().addLast(new Hearing());
                onAccepted.accept((Channel) channel);
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
            NettyByteSink outlet = new NettyByteSink(accepted.get(60, TimeUnit.SECONDS));
            ByteBuf much = UnpooledByteBufAllocator.DEFAULT.directBuffer(BYTES).writeZero(BYTES);
            long written = outlet.write(new ByteBuffer[] {much.nioBuffer()}, 1);
            assertThat(written).as("the kernel does not take all").isLessThan(BYTES);
            CountDownLatch told = new CountDownLatch(1);
            outlet.finish(much.skipBytes((int) written), told::countDown);
            reader.setSoLinger(true, 0);
            reader.close();
            assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(much.refCnt()).isZero();
        }
    }

    @Test
    void isReadByOneLoopAndThenByAnother() throws Exception {
        try (Socket peer = connect()) {
            Channel channel = accepted.get(60, TimeUnit.SECONDS);
            NettyByteSink outlet = new NettyByteSink(channel);
            say(peer, "one");
            assertThat(next()).isEqualTo("one here");
            outlet.readBy(others, () -> heard.add("ended unheard"), () -> heard.add("moved"));
            assertThat(next()).isEqualTo("moved");
            say(peer, "two");
            assertThat(next()).isEqualTo("two there");
            outlet.readBy(others, () -> heard.add("ended unheard"), () -> heard.add("is there"));
            assertThat(next()).isEqualTo("is there");
            outlet.close();
            assertThat(next()).isEqualTo("ended there");
        }
    }

    /** What is asked of it while no loop has it is done by the one that then has it. */
    @Test
    void isClosedAndPausedBetweenTwoLoops() throws Exception {
        try (Socket peer = connect()) {
            Channel channel = accepted.get(60, TimeUnit.SECONDS);
            NettyByteSink outlet = new NettyByteSink(channel);
            CountDownLatch free = new CountDownLatch(1);
            channel.eventLoop().execute(() -> awaitQuietly(free));
            outlet.readBy(others, () -> heard.add("ended unheard"), () -> heard.add("moved"));
            outlet.pauseReading(true);
            outlet.close();
            free.countDown();
            assertThat(List.of(next(), next())).containsExactlyInAnyOrder("moved", "ended there");
            assertThat(channel.config().isAutoRead()).isFalse();
        }
    }

    /** Who is refused as he comes, and has gone already. */
    @Test
    void isClosedBeforeALoopHasIt() throws Exception {
        try (Socket peer = connect(accepted::complete)) {
            Channel channel = accepted.get(60, TimeUnit.SECONDS);
            NettyByteSink outlet = new NettyByteSink(channel);
            outlet.close();
            loops.register(channel).addListener(done -> outlet.arrive());
            assertThat(next()).isEqualTo("ended here");
        }
    }

    /** The loop that it leaves finds its end. */
    @Test
    void endsBetweenTwoLoops() throws Exception {
        try (Socket peer = connect()) {
            Channel channel = accepted.get(60, TimeUnit.SECONDS);
            NettyByteSink outlet = new NettyByteSink(channel);
            channel.eventLoop().execute(() -> {
                outlet.readBy(others, () -> heard.add("ended unheard"), () -> heard.add("moved"));
                channel.close();
            });
            assertThat(List.of(next(), next())).containsExactly("ended unheard", "moved");
        }
    }

    /** Netty does not read on there: two ranks in mode pooled would wait for ever. */
    @Test
    void staysWithItsLoopOverIoUring() {
        assumeTrue(IoUring.isAvailable());
        Channel channel = new IoUringSocketChannel();
        assertThat(new NettyByteSink(channel).changesLoop()).isFalse();
        channel.unsafe().closeForcibly();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
