package org.posthouse.tunnel;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.WireException;

/**
 * The dialling end of a link, with a certificate of the grid, that decides which TLS records it writes: the JDK's engine over a blocking socket. One
 * thread writes, another may wait for the end.
 */
final class FloodingPeer implements Closeable {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int PATIENCE_MS = 25_000;

    private final SSLEngine engine;
    private final Socket socket;
    private final ByteBuffer out;
    private final ByteBuffer in;
    private final ByteBuffer plain;

    private FloodingPeer(SSLEngine engine, Socket socket) {
        this.engine = engine;
        this.socket = socket;
        int recordBytes = engine.getSession().getPacketBufferSize();
        out = ByteBuffer.allocate(2 * recordBytes);
        in = ByteBuffer.allocate(4 * recordBytes).flip();
        plain = ByteBuffer.allocate(8 * recordBytes);
    }

    /** Connects and shakes hands. */
    static FloodingPeer dial(int port, Path keys) throws IOException, GeneralSecurityException {
        SSLEngine engine = RawPeer.context(keys).createSSLEngine();
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {"TLSv1.3"});
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MS);
        FloodingPeer peer = new FloodingPeer(engine, socket);
        peer.shakeHands();
        return peer;
    }

    /** Says that it is {@code relay} and wants {@code expected}. */
    FloodingPeer hello(String relay, String expected) throws IOException {
        ByteBuffer hello = new LinkHello(relay, relay, expected, 1, 0, 0, 1, 0, 0, false, false).encode();
        wrap(hello);
        flush();
        return this;
    }

    /** Writes so many messages KeyUpdate(update_requested), a record each, and as many bytes of {@code data} behind each. */
    void updateKeys(int count, byte[] data) throws IOException {
        for (int i = 0; i < count; i++) {
            engine.beginHandshake();
            wrap(NOTHING);
            if (data.length > 0) {
                wrap(ByteBuffer.wrap(data));
            }
        }
        flush();
    }

    /** Writes {@code data} again and again, cut into records of so many bytes each. */
    void data(byte[] data, int times, int recordBytes) throws IOException {
        for (int time = 0; time < times; time++) {
            for (int at = 0; at < data.length; at += recordBytes) {
                wrap(ByteBuffer.wrap(data, at, Math.min(recordBytes, data.length - at)));
            }
        }
        flush();
    }

    private void shakeHands() throws IOException {
        engine.beginHandshake();
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_WRAP -> {
                    wrap(NOTHING);
                    flush();
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap();
                case NEED_TASK -> runTasks();
                case FINISHED, NOT_HANDSHAKING -> {
                    return;
                }
            }
        }
    }

    private void wrap(ByteBuffer data) throws IOException {
        if (out.remaining() < engine.getSession().getPacketBufferSize()) {
            flush();
        }
        SSLEngineResult result = engine.wrap(data, out);
        while (result.bytesProduced() == 0) {
            if (result.getStatus() != SSLEngineResult.Status.OK) {
                throw new IOException("nothing was written: " + result);
            }
            runTasks(); // Of a ticket that has come meanwhile.
            result = engine.wrap(data, out);
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    private void flush() throws IOException {
        socket.getOutputStream().write(out.array(), 0, out.position());
        out.clear();
    }

    /** @return whether there was something yet */
    private boolean unwrap() throws IOException {
        SSLEngineResult result = engine.unwrap(in, plain);
        while (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
            in.compact();
            InputStream stream = socket.getInputStream();
            int count = stream.read(in.array(), in.position(), in.remaining());
            in.position(in.position() + Math.max(0, count)).flip();
            if (count < 0) {
                return false;
            }
            result = engine.unwrap(in, plain);
        }
        runTasks();
        return result.getStatus() != SSLEngineResult.Status.CLOSED;
    }

    /** Why the other end closes the connection; null if it says an alert only, or nothing. */
    CloseNotice awaitClose() throws IOException, WireException {
        try {
            return awaitNotice();
        } catch (SSLException e) {
            return null;
        }
    }

    private CloseNotice awaitNotice() throws IOException, WireException {
        while (true) {
            plain.flip();
            while (plain.remaining() >= Integer.BYTES && plain.remaining() >= plain.getInt(plain.position())) {
                ByteBuffer frame = plain.slice(plain.position(), plain.getInt(plain.position()));
                plain.position(plain.position() + frame.remaining());
                if (FrameType.of(frame.get(4)) == FrameType.CLOSE) {
                    return CloseNotice.decode(frame);
                }
            }
            plain.compact();
            if (!unwrap()) {
                return null;
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
