package org.posthouse.mpj.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.SiteKeys;
import org.posthouse.wire.ChannelBinding;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Frames over TLS, however records and packets are cut; with a read that sleeps at once, and one that polls first. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@ValueSource(ints = {0, 200})
class TlsChannelTest {
    private static final int MOST = 1 << 20;

    @TempDir
    private static Path folder;

    private static SiteKeys keys;

    private final int busyPollUs;
    private final Random random = new Random(20_261_129);
    private final List<String> seen = new ArrayList<>();
    private final AtomicBoolean changing = new AtomicBoolean();
    private ServerSocketChannel server;
    private FrameChannel line;
    private TlsPeer peer;

    TlsChannelTest(int busyPollUs) {
        this.busyPollUs = busyPollUs;
    }

    @BeforeAll
    static void issue() throws Exception {
        GridAuthority.init(folder.resolve("authority"), 2).issue("a", 2, folder.resolve("a"));
        keys = SiteKeys.load(folder.resolve("a"));
    }

    @BeforeEach
    void listen() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        if (line != null) {
            line.close();
        }
        if (peer != null) {
            peer.close();
        }
        server.close();
    }

    private static RelayTls asked() {
        RelayTls tls = RelayTls.onDemand();
        tls.ask();
        return tls;
    }

    private String address() throws IOException {
        return "127.0.0.1:" + ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private void connect(IntSupplier packetBytes) throws Exception {
        FutureTask<TlsPeer> accepted =
                new FutureTask<>(() -> new TlsPeer(server.accept(), keys.engineForRanks(false, UnpooledByteBufAllocator.DEFAULT)).handshake(packetBytes));
        new Thread(accepted).start();
        line = FrameChannel.connect(Platform.REAL, new RelayAddresses(address()), asked(), busyPollUs);
        peer = accepted.get();
    }

    private IntSupplier upTo(int bytes) {
        return () -> 1 + random.nextInt(bytes);
    }

    private static ByteBuffer send(long sequence, int bytes) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES + bytes);
        new FrameView()
                .wrap(frame, 0)
                .begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 7)
                .length(frame.capacity())
                .sequence(sequence)
                .content(bytes, bytes, 1);
        for (int i = 0; i < bytes; i++) {
            frame.put(Wire.MESSAGE_HEADER_BYTES + i, (byte) (sequence * 31 + i));
        }
        return frame;
    }

    private void onFrame(ByteBuffer frame, FrameView view) {
        ByteBuffer expected = send(view.sequence(), view.length() - Wire.MESSAGE_HEADER_BYTES);
        assertThat(frame.equals(expected)).as("frame %s", view).isTrue();
        seen.add(view.sequence() + ":" + view.messageBytes());
    }

    /** Sends frames of these lengths in such records and packets, and reads them. */
    private void exchange(int frames, int bytesMax, IntSupplier recordBytes, IntSupplier packetBytes) throws Exception {
        ByteBuffer all = ByteBuffer.allocate(frames * (Wire.MESSAGE_HEADER_BYTES + bytesMax));
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= frames; i++) {
            int bytes = random.nextInt(bytesMax + 1);
            all.put(send(i, bytes));
            expected.add(i + ":" + bytes);
        }
        all.flip();
        FutureTask<Void> sent = new FutureTask<>(() -> {
            peer.send(all, recordBytes, packetBytes);
            return null;
        });
        new Thread(sent).start();
        seen.clear();
        while (seen.size() < frames) {
            line.read();
            line.dispatch(this::onFrame);
        }
        sent.get();
        assertThat(seen).isEqualTo(expected);
    }

    @Test
    void handshakeAndFramesComeByteByByte() throws Exception {
        connect(() -> 1);
        exchange(5, 100, () -> 1, () -> 1);
        exchange(5, 100, () -> MOST, () -> 1);
        exchange(5, 100, () -> 1, () -> MOST);
    }

    @Test
    void recordsAndPacketsOfAnyLengthBringTheFramesInOrder() throws Exception {
        connect(upTo(2_000));
        for (int round = 0; round < 30; round++) {
            int recordBytesMax = 1 << (1 + random.nextInt(15));
            int packetBytesMax = 1 << (4 + random.nextInt(16));
            int bytesMax = Math.min(Wire.PAYLOAD_BYTES_MAX, 50 * Math.min(recordBytesMax, packetBytesMax));
            exchange(20, bytesMax, upTo(recordBytesMax), upTo(packetBytesMax));
        }
    }

    /** Both directions at once, each with payload from where it is. */
    @Test
    void framesGoBothWaysAtOnce() throws Exception {
        connect(() -> MOST);
        int rounds = 100;
        ByteBuffer expected = ByteBuffer.allocate(rounds * (2 * Wire.MESSAGE_HEADER_BYTES + 5 + Wire.PAYLOAD_BYTES_MAX));
        for (int i = 0; i < rounds; i++) {
            expected.put(send(2 * i, 5)).put(send(2 * i + 1, Wire.PAYLOAD_BYTES_MAX));
        }
        FutureTask<ByteBuffer> received = new FutureTask<>(() -> {
            ByteBuffer all = ByteBuffer.allocate(expected.capacity());
            peer.receive(all);
            return all.flip();
        });
        new Thread(received).start();
        FutureTask<Void> written = new FutureTask<>(() -> {
            ByteBuffer memory = ByteBuffer.allocateDirect(Wire.PAYLOAD_BYTES_MAX);
            for (int i = 0; i < rounds; i++) {
                begin(2 * i, 5);
                line.payload(Wire.MESSAGE_HEADER_BYTES, 5).put(send(2 * i, 5).position(Wire.MESSAGE_HEADER_BYTES));
                line.end(Wire.MESSAGE_HEADER_BYTES + 5);
                begin(2 * i + 1, memory.capacity());
                memory.clear().put(send(2 * i + 1, memory.capacity()).position(Wire.MESSAGE_HEADER_BYTES)).flip();
                line.end(Wire.MESSAGE_HEADER_BYTES, memory);
            }
            line.flush();
            return null;
        });
        new Thread(written).start();
        exchange(200, Wire.PAYLOAD_BYTES_MAX, () -> MOST, () -> MOST);
        written.get();
        assertThat(received.get()).isEqualTo(expected.flip());
    }

    private void begin(long sequence, int bytes) throws IOException {
        line.begin(Wire.MESSAGE_HEADER_BYTES + bytes)
                .begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 7)
                .sequence(sequence)
                .content(bytes, bytes, 1);
    }

    /** A long frame's payload goes where the handler wants it, although its records end elsewhere. */
    @Test
    void longPayloadIsPlaced() throws Exception {
        connect(() -> MOST);
        ByteBuffer memory = ByteBuffer.allocateDirect(60_000);
        FrameChannel.Handler handler = new FrameChannel.Handler() {
            @Override
            public void onFrame(ByteBuffer frame, FrameView view) {
                TlsChannelTest.this.onFrame(frame, view);
            }

            @Override
            public ByteBuffer place(FrameView view) {
                return view.length() > memory.capacity() ? memory.clear() : null;
            }

            @Override
            public void onPlaced(FrameView view) {
                ByteBuffer expected = send(view.sequence(), memory.capacity()).position(Wire.MESSAGE_HEADER_BYTES);
                assertThat(memory.clear().equals(expected)).as("payload of %s", view).isTrue();
                seen.add("placed " + view.sequence());
            }
        };
        List<String> expected = new ArrayList<>();
        ByteBuffer all = ByteBuffer.allocate(MOST * 4);
        for (int i = 1; i <= 40; i++) {
            all.put(send(i, i % 3 == 0 ? 10 : memory.capacity()));
            expected.add(i % 3 == 0 ? i + ":10" : "placed " + i);
        }
        all.flip();
        FutureTask<Void> sent = new FutureTask<>(() -> {
            peer.send(all, upTo(30_000), upTo(9_000));
            return null;
        });
        new Thread(sent).start();
        while (seen.size() < expected.size()) {
            line.read();
            line.dispatch(handler);
        }
        // The first may have come whole, and then has no place of its own.
        assertThat(seen.stream().map(each -> each.replaceFirst(":60000$", "").replaceFirst("^placed ", ""))).hasSize(expected.size());
        assertThat(seen).filteredOn(each -> each.startsWith("placed")).isNotEmpty();
    }

    @Test
    void isReadableAsLongAsSomethingIsDecrypted() throws Exception {
        connect(() -> MOST);
        assertThat(line.readable()).isFalse();
        peer.send(ByteBuffer.allocate(0), () -> 1, () -> 1);
        peer.send(send(1, 3), () -> MOST, () -> MOST);
        await().until(line::readable);
        line.read();
        line.dispatch(this::onFrame);
        assertThat(seen).containsExactly("1:3");
        assertThat(line.readable()).isFalse();
    }

    @Test
    void aReadThatWaitsIsWoken() throws Exception {
        connect(() -> MOST);
        Thread waker = new Thread(line::wake);
        waker.start();
        line.read(true);
        waker.join();
        line.dispatch(this::onFrame);
        assertThat(seen).isEmpty();
        exchange(3, 10, () -> MOST, () -> MOST);
    }

    @Test
    void bothKindsOfEndAreTheEnd() throws Exception {
        connect(() -> MOST);
        peer.send(send(1, 3), () -> MOST, () -> MOST);
        peer.end();
        line.read();
        line.dispatch(this::onFrame);
        assertThat(seen).containsExactly("1:3");
        assertThatExceptionOfType(EOFException.class).isThrownBy(line::read);
        assertThatExceptionOfType(EOFException.class).isThrownBy(line::read);
        line.close();
        peer.close();
        connect(() -> MOST);
        peer.close();
        assertThatExceptionOfType(EOFException.class).isThrownBy(line::read);
    }

    @Test
    void endOfInputEndsARead() throws Exception {
        connect(() -> MOST);
        line.endInput();
        assertThatExceptionOfType(EOFException.class).isThrownBy(line::read);
    }

    /** Somebody in between changes a bit. */
    @Test
    void aChangedRecordBreaksTheConnection() throws Exception {
        ServerSocketChannel between = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (between) {
            FutureTask<TlsPeer> accepted = new FutureTask<>(
                    () -> new TlsPeer(server.accept(), keys.engineForRanks(false, UnpooledByteBufAllocator.DEFAULT)).handshake(() -> MOST));
            new Thread(accepted).start();
            Thread.ofVirtual().start(() -> pass(between));
            String there = "127.0.0.1:" + ((InetSocketAddress) between.getLocalAddress()).getPort();
            line = FrameChannel.connect(Platform.REAL, new RelayAddresses(there), asked(), busyPollUs);
            peer = accepted.get();
            changing.set(true);
            peer.send(send(1, 3), () -> MOST, () -> MOST);
            assertThatExceptionOfType(SSLException.class).isThrownBy(() -> {
                while (seen.isEmpty()) {
                    line.read();
                    line.dispatch(this::onFrame);
                }
            });
        }
    }

    /** Passes the handshake on, and later changes the last byte of each packet for the client. */
    private void pass(ServerSocketChannel between) {
        try (SocketChannel client = between.accept(); SocketChannel relay = SocketChannel.open(server.getLocalAddress())) {
            Thread.ofVirtual().start(() -> copy(client, relay, new AtomicBoolean()));
            copy(relay, client, changing);
        } catch (IOException e) {
            // The test has ended.
        }
    }

    private static void copy(SocketChannel from, SocketChannel to, AtomicBoolean changing) {
        ByteBuffer bytes = ByteBuffer.allocate(MOST);
        try {
            while (from.read(bytes) >= 0) {
                if (changing.get()) {
                    bytes.put(bytes.position() - 1, (byte) (bytes.get(bytes.position() - 1) ^ 1));
                }
                bytes.flip();
                to.write(bytes);
                bytes.clear();
            }
        } catch (IOException e) {
            // The test has ended.
        }
    }

    @Test
    void bindingIsTheCertificateOfTheOtherEnd() throws Exception {
        connect(() -> MOST);
        assertThat(line.binding()).isEqualTo(keys.binding()).isNotEqualTo(ChannelBinding.PLAIN);
        assertThat(line.binding().isTls()).isTrue();
    }

    /** What the relay says before it has read anything comes plainly. */
    @Test
    void aPlainCloseIsTheRelaysReason() throws Exception {
        answerPlainly(CloseNotice.closing(0, CloseReason.RELAY_STARTING, "later").encode(FrameType.CLOSE));
        line = FrameChannel.connect(Platform.REAL, new RelayAddresses(address()), asked(), busyPollUs);
        assertThat(line.isOver()).isTrue();
        assertThat(line.binding().isTls()).isFalse();
        line.read();
        line.dispatch((frame, view) -> seen.add(CloseNotice.decode(frame).text()));
        assertThat(seen).containsExactly("later");
    }

    @Test
    void aRelayThatSpeaksNoTlsIsToldNothing() throws Exception {
        answerPlainly(CloseNotice.closing(0, CloseReason.FRAME_TOO_LONG, "long").encode(FrameType.CLOSE));
        RelayTls tls = asked();
        assertThatExceptionOfType(UnprovenRelayException.class)
                .isThrownBy(() -> FrameChannel.connect(Platform.REAL, new RelayAddresses(address()), tls, busyPollUs))
                .withMessageContaining("speaks no TLS");
        assertThat(tls.isWanted()).as("the next one is plain").isFalse();
    }

    @Test
    void anotherPlainAnswerIsNoRelays() throws Exception {
        answerPlainly(ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        assertThatExceptionOfType(UnprovenRelayException.class)
                .isThrownBy(() -> FrameChannel.connect(Platform.REAL, new RelayAddresses(address()), asked(), busyPollUs))
                .withMessageContaining("neither TLS nor as a relay");
    }

    private void answerPlainly(ByteBuffer answer) {
        new Thread(() -> {
            try (SocketChannel socket = server.accept()) {
                socket.write(answer);
                while (socket.read(ByteBuffer.allocate(1_000)) >= 0) {
                    // Until the client ends.
                }
            } catch (IOException e) {
                // The test has ended.
            }
        }).start();
    }

    @Test
    void theHostsOwnAddressesAreWithinIt() {
        InetSocketAddress here = new InetSocketAddress("10.0.0.1", 1);
        InetSocketAddress loopback = new InetSocketAddress("127.0.0.1", 1);
        assertThat(RelayTls.isWithinHost(here, new InetSocketAddress("10.0.0.2", 1))).isFalse();
        assertThat(RelayTls.isWithinHost(loopback, new InetSocketAddress("10.0.0.2", 1))).isFalse();
        assertThat(RelayTls.isWithinHost(here, new InetSocketAddress("10.0.0.1", 2))).isTrue();
        assertThat(RelayTls.isWithinHost(loopback, loopback)).isTrue();
    }

    @Test
    void tlsIsWantedOnceItIsAskedFor() throws Exception {
        assertThat(RelayTls.always(javax.net.ssl.SSLContext.getDefault()).isWanted()).isTrue();
        RelayTls onDemand = RelayTls.onDemand();
        assertThat(onDemand.isWanted()).isFalse();
        assertThat(onDemand.ask()).isTrue();
        assertThat(onDemand.isWanted()).isTrue();
        assertThat(onDemand.ask()).as("once").isFalse();
    }

    @Test
    void aFaultOfTheHandlerIsNotHidden() throws Exception {
        connect(() -> MOST);
        peer.send(ByteBuffer.allocate(Wire.HEADER_BYTES), () -> MOST, () -> MOST);
        line.read();
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> line.dispatch(this::onFrame));
    }
}
