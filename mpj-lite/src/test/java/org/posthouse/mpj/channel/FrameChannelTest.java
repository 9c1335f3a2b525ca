package org.posthouse.mpj.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.LocalMachine;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Frames over a real loopback connection, however the stream is cut and however a read waits. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@MethodSource("waits")
final class FrameChannelTest {
    /** How a read waits. */
    enum Wait {
        SYSTEM_CALL(0, true),
        LOCAL_SYSTEM_CALL(0, true),
        LOCAL_SELECTOR(0, false),
        SELECTOR(0, false),
        BUSY_POLL(200, false),
        BUSY_POLL_FOR_LONG(1_000_000, false);

        private final int busyPollUs;
        private final boolean waits;

        Wait(int busyPollUs, boolean waits) {
            this.busyPollUs = busyPollUs;
            this.waits = waits;
        }

        boolean isLocal() {
            return this == LOCAL_SYSTEM_CALL || this == LOCAL_SELECTOR;
        }
    }

    private final Wait wait;

    static Stream<Wait> waits() {
        return Stream.of(Wait.values()).filter(wait -> Boolean.getBoolean("posthouse.long") || wait != Wait.LOCAL_SELECTOR && wait != Wait.BUSY_POLL_FOR_LONG);
    }

    @TempDir
    private Path folder;

    private ServerSocketChannel server;
    private SocketChannel peer;
    private FrameChannel line;
    private final List<String> seen = new ArrayList<>();

    FrameChannelTest(Wait wait) {
        this.wait = wait;
    }

    @BeforeEach
    void connect() throws IOException {
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        InetSocketAddress port = (InetSocketAddress) server.getLocalAddress();
        if (wait.isLocal()) {
            LocalSockets sockets = new LocalSockets(folder.resolve("local"));
            try (ServerSocketChannel local = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    .bind(UnixDomainSocketAddress.of(sockets.prepare(port)))) {
                connect(new LocalMachine(sockets::connect), port);
                peer = local.accept();
            }
        } else {
            connect(new LocalMachine(new LocalSockets(folder.resolve("none"))::connect), port);
            peer = server.accept();
        }
    }

    private void connect(Platform machine, InetSocketAddress port) throws IOException {
        line = FrameChannel.connect(machine, new RelayAddresses("127.0.0.1:" + port.getPort()), wait.busyPollUs, wait.waits);
    }

    @AfterEach
    void close() throws IOException {
        line.close();
        peer.close();
        server.close();
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
            frame.put(Wire.MESSAGE_HEADER_BYTES + i, (byte) (sequence + i));
        }
        return frame;
    }

    private static ByteBuffer concatenate(List<ByteBuffer> frames) {
        ByteBuffer all = ByteBuffer.allocate(frames.stream().mapToInt(ByteBuffer::remaining).sum());
        frames.forEach(frame -> all.put(frame.duplicate()));
        return all.flip();
    }

    private void onFrame(ByteBuffer frame, FrameView view) {
        assertThat(frame.order()).isSameAs(ByteOrder.BIG_ENDIAN);
        assertThat(frame.remaining()).isEqualTo(view.length());
        if (view.type() != FrameType.SEND) {
            seen.add(view.type().name());
            return;
        }
        frame.position(frame.position() + Wire.MESSAGE_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; frame.hasRemaining(); at++) {
            byte expected = (byte) (view.sequence() + at);
            if (frame.get() != expected) {
                throw new AssertionError("byte " + at + " of frame " + view.sequence());
            }
        }
        seen.add(view.sequence() + ":" + view.messageBytes());
    }

    private void writeFully(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            peer.write(bytes);
        }
    }

    /** Reads until the peer's {@code bytes} are all in; a slice that completes no frame brings none. */
    private void readBytes(int bytes) throws IOException, WireException {
        line.read();
        line.dispatch(this::onFrame);
        assertThat(bytes).isPositive();
    }

    @Test
    void putsFramesTogetherThatAreSplitAtAnyByte() throws Exception {
        ByteBuffer stream = concatenate(List.of(send(1, 5), CloseNotice.closing(7, CloseReason.NORMAL, "x").encode(FrameType.CLOSE), send(2, 0)));
        List<String> whole = List.of("1:5", "CLOSE", "2:0");
        for (int cut = 1; cut < stream.limit(); cut++) {
            seen.clear();
            writeFully(stream.slice(0, cut));
            readBytes(cut);
            assertThat(seen).as("cut at %s", cut).isEqualTo(whole.subList(0, seen.size())).hasSizeLessThan(3);
            writeFully(stream.slice(cut, stream.limit() - cut));
            while (seen.size() < whole.size()) {
                readBytes(stream.limit() - cut);
            }
            assertThat(seen).isEqualTo(whole);
        }
    }

    @Test
    void putsFramesTogetherThatComeByteByByte() throws Exception {
        ByteBuffer stream = concatenate(List.of(send(1, 3), send(2, 3)));
        for (int at = 0; at < stream.limit(); at++) {
            writeFully(stream.slice(at, 1));
            readBytes(1);
        }
        assertThat(seen).containsExactly("1:3", "2:3");
    }

    @Test
    void writesPayloadFromWhereItIsInItsPlace() throws Exception {
        int rounds = 200;
        ByteBuffer memory = ByteBuffer.allocateDirect(Wire.PAYLOAD_BYTES_MAX);
        ByteBuffer expected = ByteBuffer.allocate(rounds * (2 * Wire.MESSAGE_HEADER_BYTES + 5 + memory.capacity()));
        for (int i = 0; i < rounds; i++) {
            expected.put(send(2 * i, 5)).put(send(2 * i + 1, memory.capacity()));
        }
        FutureTask<ByteBuffer> reader = new FutureTask<>(() -> {
            ByteBuffer all = ByteBuffer.allocate(expected.capacity());
            while (all.hasRemaining() && peer.read(all) >= 0) {
                // The next read.
            }
            return all.flip();
        });
        new Thread(reader).start();
        for (int i = 0; i < rounds; i++) {
            begin(2 * i, 5);
            line.payload(Wire.MESSAGE_HEADER_BYTES, 5).put(send(2 * i, 5).position(Wire.MESSAGE_HEADER_BYTES));
            line.end(Wire.MESSAGE_HEADER_BYTES + 5);
            begin(2 * i + 1, memory.capacity());
            memory.clear().put(send(2 * i + 1, memory.capacity()).position(Wire.MESSAGE_HEADER_BYTES)).flip();
            line.end(Wire.MESSAGE_HEADER_BYTES, memory);
        }
        line.flush();
        assertThat(reader.get()).isEqualTo(expected.flip());
    }

    private void begin(long sequence, int bytes) throws IOException {
        line.begin(Wire.MESSAGE_HEADER_BYTES + bytes)
                .begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 7)
                .sequence(sequence)
                .content(bytes, bytes, 1);
    }

    /** As a watch does whose relay is silent. */
    @Test
    void closeEndsAWriteToAPeerThatDoesNotRead() throws Exception {
        ByteBuffer frame = send(1, Wire.PAYLOAD_BYTES_MAX);
        AtomicLong written = new AtomicLong();
        FutureTask<Void> writer = new FutureTask<>(() -> {
            while (true) {
                line.write(frame.duplicate());
                written.incrementAndGet();
            }
        });
        Thread thread = new Thread(writer);
        thread.setDaemon(true);
        thread.start();
        AtomicLong before = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(200)).until(() -> before.getAndSet(written.get()) == written.get());
        line.close();
        assertThatThrownBy(writer::get).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void handsOverManyFramesOfOneRead() throws Exception {
        List<ByteBuffer> frames = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= 500; i++) {
            frames.add(send(i, i % 7));
            expected.add(i + ":" + i % 7);
        }
        writeFully(concatenate(frames));
        int reads = 0;
        while (seen.size() < expected.size()) {
            readBytes(1);
            reads++;
        }
        assertThat(seen).isEqualTo(expected);
        assertThat(reads).as("far fewer reads than frames").isLessThan(100);
    }

    @Test
    void readsFramesOfEveryLengthBehindEachOther() throws Exception {
        Random random = new Random(5);
        List<ByteBuffer> frames = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= 60; i++) {
            int bytes = i % 6 == 0 ? Wire.PAYLOAD_BYTES_MAX : random.nextInt(Wire.PAYLOAD_BYTES_MAX);
            frames.add(send(i, bytes));
            expected.add(i + ":" + bytes);
        }
        ByteBuffer stream = concatenate(frames);
        while (stream.hasRemaining()) {
            int bytes = Math.min(stream.remaining(), 1 + random.nextInt(100_000));
            writeFully(stream.slice(stream.position(), bytes));
            stream.position(stream.position() + bytes);
            readBytes(bytes);
        }
        while (seen.size() < expected.size()) {
            readBytes(1);
        }
        assertThat(seen).isEqualTo(expected);
    }

    /** Every second message has a place, and this says what came there. */
    private final class Placing implements FrameChannel.Handler {
        private ByteBuffer place;
        private int placed;

        @Override
        public void onFrame(ByteBuffer frame, FrameView view) {
            FrameChannelTest.this.onFrame(frame, view);
        }

        @Override
        public ByteBuffer place(FrameView view) {
            assertThat(view.messageBytes()).as("a short one is not asked for").isGreaterThan(10_000);
            place = view.sequence() % 2 == 0 ? ByteBuffer.allocateDirect((int) view.messageBytes()) : null;
            return place;
        }

        @Override
        public void onPlaced(FrameView view) {
            ByteBuffer frame = send(view.sequence(), (int) view.messageBytes());
            assertThat(place.flip()).isEqualTo(frame.position(Wire.MESSAGE_HEADER_BYTES));
            seen.add(view.sequence() + ":" + view.messageBytes());
            placed++;
        }
    }

    @Test
    void bringsPayloadToItsPlaceHoweverTheStreamIsCut() throws Exception {
        Random random = new Random(7);
        List<ByteBuffer> frames = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= 300; i++) {
            int bytes = i % 3 == 0 ? random.nextInt(200) : random.nextInt(Wire.PAYLOAD_BYTES_MAX + 1);
            frames.add(send(i, bytes));
            expected.add(i + ":" + bytes);
        }
        Placing handler = new Placing();
        ByteBuffer stream = concatenate(frames);
        while (stream.hasRemaining()) {
            int bytes = Math.min(stream.remaining(), 1 + random.nextInt(random.nextBoolean() ? 100 : 100_000));
            writeFully(stream.slice(stream.position(), bytes));
            stream.position(stream.position() + bytes);
            line.read();
            line.dispatch(handler);
        }
        while (seen.size() < expected.size()) {
            line.read();
            line.dispatch(handler);
        }
        assertThat(seen).isEqualTo(expected);
        assertThat(handler.placed).as("not only now and then").isGreaterThan(20);
        assertThat(line.readable()).isFalse();
    }

    @Test
    void nothingComesToAPlaceOfAFrameThatIsRefused() throws Exception {
        ByteBuffer frame = send(2, Wire.PAYLOAD_BYTES_MAX);
        frame.put(Wire.MESSAGE_HEADER_BYTES - 9, (byte) 1); // Behind the datatype: reserved.
        writeFully(frame.slice(0, 30_000));
        Placing handler = new Placing();
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> {
                    line.read();
                    line.dispatch(handler);
                })
                .withMessageContaining("reserved");
        assertThat(handler.place).isNull();
    }

    @Test
    void writtenFramesArriveUnchanged() throws Exception {
        for (int i = 1; i <= 3; i++) {
            FrameView view = line.begin(Wire.MESSAGE_HEADER_BYTES + i);
            view.begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 7).sequence(i).content(i, i, 1);
            ByteBuffer payload = line.payload(Wire.MESSAGE_HEADER_BYTES, i);
            for (int at = 0; at < i; at++) {
                payload.put((byte) (i + at));
            }
            line.end(Wire.MESSAGE_HEADER_BYTES + i);
        }
        line.write(CloseNotice.closing(7, CloseReason.NORMAL, "x").encode(FrameType.CLOSE));
        ByteBuffer expected = concatenate(List.of(
                send(1, 1), send(2, 2), send(3, 3), CloseNotice.closing(7, CloseReason.NORMAL, "x").encode(FrameType.CLOSE)));
        ByteBuffer got = ByteBuffer.allocate(expected.limit());
        while (got.hasRemaining()) {
            assertThat(peer.read(got)).isPositive();
        }
        assertThat(got.flip()).isEqualTo(expected);
        assertThat(line.readable()).isFalse();
    }

    @Test
    void flushesByItselfWhenTheFramesFillItsBuffer() throws Exception {
        int frames = 6;
        for (int i = 1; i <= frames; i++) {
            line.begin(Wire.FRAME_BYTES_MAX).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 7).sequence(i);
            line.payload(Wire.MESSAGE_HEADER_BYTES, Wire.PAYLOAD_BYTES_MAX).put(new byte[Wire.PAYLOAD_BYTES_MAX]);
            line.end(Wire.FRAME_BYTES_MAX);
            if (i == 5) {
                readExactly(4 * Wire.FRAME_BYTES_MAX);
            }
        }
        line.flush();
        readExactly(2 * Wire.FRAME_BYTES_MAX);
    }

    private void readExactly(int bytes) throws IOException {
        ByteBuffer got = ByteBuffer.allocate(bytes);
        while (got.hasRemaining()) {
            assertThat(peer.read(got)).isPositive();
        }
    }

    @Test
    void refusesStreamThatIsNoFrames() throws Exception {
        writeFully(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        line.read();
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> line.dispatch(this::onFrame))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(CloseReason.FRAME_TOO_LONG));
    }

    @Test
    void goesOnBehindAFrameWhoseHandlerFails() throws Exception {
        writeFully(concatenate(List.of(send(1, 5), send(2, 5), send(3, 5))));
        while (seen.size() < 2) {
            line.read();
            try {
                line.dispatch((frame, view) -> {
                    if (view.sequence() == 2 && !seen.contains("failed")) {
                        seen.add("failed");
                        throw new IllegalStateException("not today");
                    }
                    onFrame(frame, view);
                });
            } catch (IllegalStateException e) {
                line.dispatch(this::onFrame);
            }
        }
        assertThat(seen).containsExactly("1:5", "failed", "3:5");
    }

    @Test
    void readingEndsWhenItIsWoken() throws Exception {
        line.wake();
        line.read(true);
        Thread waker = new Thread(line::wake);
        waker.start();
        line.read(true);
        waker.join();
        line.dispatch(this::onFrame);
        assertThat(seen).isEmpty();
        writeFully(send(1, 5));
        readBytes(1);
        assertThat(seen).containsExactly("1:5");
    }

    @Test
    void closingEndsTheReadThatWaits() throws Exception {
        List<IOException> thrown = new ArrayList<>();
        Thread reader = new Thread(() -> {
            try {
                line.read();
            } catch (IOException e) {
                thrown.add(e);
            }
        });
        reader.start();
        String where = wait == Wait.SYSTEM_CALL ? "read0" : wait == Wait.SELECTOR ? "select" : "read";
        while (Arrays.stream(reader.getStackTrace()).noneMatch(call -> call.getMethodName().equals(where))) {
            Thread.onSpinWait();
        }
        line.close();
        reader.join();
        assertThat(thrown).hasSize(1);
    }

    @Test
    void pollsForSoLongOnlyBeforeItSleeps() throws Exception {
        assumeThat(wait).isSameAs(Wait.BUSY_POLL);
        long[] cpuMs = new long[1];
        Thread reader = new Thread(() -> {
            try {
                line.read();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            cpuMs[0] = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000;
        });
        reader.start();
        TimeUnit.MILLISECONDS.sleep(1_000);
        writeFully(send(1, 5));
        reader.join();
        assertThat(cpuMs[0]).isLessThan(500);
    }

    @Test
    void saysThatTheOtherEndHasClosed() throws Exception {
        peer.close();
        assertThatExceptionOfType(EOFException.class)
                .isThrownBy(() -> line.read())
                .withMessageContaining(line.remote());
    }

    @Test
    void pollingNoticesThatTheOtherEndHasClosed() throws Exception {
        assertThat(line.readable()).isFalse();
        peer.close();
        while (!line.readable()) {
            Thread.onSpinWait();
        }
        assertThatExceptionOfType(EOFException.class).isThrownBy(() -> line.read());
    }

    @Test
    void pollingLosesNoBytes() throws Exception {
        for (int i = 1; i <= 200; i++) {
            ByteBuffer frame = send(i, 3);
            Thread writer = new Thread(() -> {
                try {
                    writeFully(frame);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            writer.start();
            while (seen.size() < i) {
                if (line.readable()) {
                    readBytes(1);
                }
            }
            writer.join();
        }
        assertThat(seen).hasSize(200).last().isEqualTo("200:3");
    }

    @Test
    void namesTheRelayThatCannotBeReached() throws Exception {
        try (SocketChannel nobody = deaf("127.0.0.1", 0)) {
            int port = nobody.socket().getLocalPort();
            assertThatIOException()
                    .isThrownBy(() -> FrameChannel.connect("127.0.0.1:" + port).close())
                    .withMessage("cannot reach the relay at 127.0.0.1:" + port + ": Connection refused");
        }
        for (String address : List.of("no-port", ":7411", "127.0.0.1:x", "127.0.0.1:99999")) {
            assertThatIOException()
                    .isThrownBy(() -> FrameChannel.connect(address).close())
                    .withMessage("cannot reach the relay at " + address + ": expected host:port, a port of at most 65535");
        }
        assertThatIOException()
                .isThrownBy(() -> FrameChannel.connect("no.such.host.invalid:1").close())
                .withMessage("cannot reach the relay at no.such.host.invalid:1: unknown host no.such.host.invalid");
    }

    /** As a host is that has several, and whose relay is not, or not any more, at the first. */
    @Test
    void goesToTheNextAddressOfAHostIfNobodyIsAtTheFirst() throws Exception {
        int port = server.socket().getLocalPort();
        RelayAddresses relay = ofTwo(port);
        try (FrameChannel line = FrameChannel.connect(Platform.REAL, relay, 0, true);
                SocketChannel accepted = server.accept()) {
            assertThat(accepted.isConnected()).isTrue();
            assertThat(line.remote()).isEqualTo("relay:" + port);
        }
        try (ServerSocketChannel first = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.9", port));
                FrameChannel line = FrameChannel.connect(Platform.REAL, relay, 0, true);
                SocketChannel accepted = server.accept()) {
            first.configureBlocking(false);
            assertThat(first.accept()).as("it does not wait again for who did not answer").isNull();
        }
    }

    @Test
    void connectErrorNamesCauseForEachAddress() throws Exception {
        try (SocketChannel nobody = deaf("127.0.0.1", 0);
                SocketChannel norThere = deaf("127.0.0.9", nobody.socket().getLocalPort())) {
            RelayAddresses relay = ofTwo(norThere.socket().getLocalPort());
            assertThatIOException()
                    .isThrownBy(() -> FrameChannel.connect(Platform.REAL, relay, 0, true).close())
                    .withMessage("cannot reach the relay at " + relay + ": Connection refused at 127.0.0.9, Connection refused at 127.0.0.1")
                    .withCauseInstanceOf(ConnectException.class);
        }
    }

    private static RelayAddresses ofTwo(int port) {
        return new RelayAddresses("relay:" + port, host -> new InetAddress[] {InetAddress.getByName("127.0.0.9"), InetAddress.getByName("127.0.0.1")});
    }

    /** Keeps a port that nobody listens at: one that is closed may be another test's at once. */
    private static SocketChannel deaf(String host, int port) throws IOException {
        return SocketChannel.open().bind(new InetSocketAddress(host, port));
    }
}
