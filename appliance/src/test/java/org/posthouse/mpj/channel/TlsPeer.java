package org.posthouse.mpj.channel;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.IntSupplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

/** The relay's end of a TLS connection, which cuts what it sends into records and packets as a test wants. One thread at a time in each direction. */
public final class TlsPeer implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel socket;
    private final SSLEngine engine;
    private final ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private final ByteBuffer plain = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private final ByteBuffer out = ByteBuffer.allocate(BUFFER_BYTES);

    /** @param socket blocks */
    public TlsPeer(SocketChannel socket, SSLEngine engine) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.socket = socket;
        this.engine = engine;
    }

    /** @param packetBytes length of the next packet that is written */
    public TlsPeer handshake(IntSupplier packetBytes) throws IOException {
        engine.beginHandshake();
        for (HandshakeStatus status = engine.getHandshakeStatus(); status != HandshakeStatus.NOT_HANDSHAKING; status = engine.getHandshakeStatus()) {
            if (status == HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
            } else if (status == HandshakeStatus.NEED_WRAP) {
                seal(NOTHING);
                write(packetBytes);
            } else if (!unseal()) {
                receive();
            }
        }
        return this;
    }

    /** Sends these bytes in records and packets of such lengths. */
    public void send(ByteBuffer bytes, IntSupplier recordBytes, IntSupplier packetBytes) throws IOException {
        while (bytes.hasRemaining()) {
            ByteBuffer record = bytes.slice(bytes.position(), Math.min(bytes.remaining(), recordBytes.getAsInt()));
            bytes.position(bytes.position() + record.remaining());
            while (record.hasRemaining()) {
                seal(record);
                write(packetBytes);
            }
        }
    }

    /** Seals these bytes, as much as one record holds. */
    private void seal(ByteBuffer bytes) throws IOException {
        engine.wrap(bytes, out);
    }

    private void write(IntSupplier packetBytes) throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            ByteBuffer packet = out.slice(out.position(), Math.min(out.remaining(), packetBytes.getAsInt()));
            out.position(out.position() + packet.remaining());
            while (packet.hasRemaining()) {
                socket.write(packet);
            }
        }
        out.clear();
    }

    /** Receives until the buffer is full. */
    public void receive(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (plain.hasRemaining()) {
                ByteBuffer fitting = plain.slice(plain.position(), Math.min(plain.remaining(), bytes.remaining()));
                plain.position(plain.position() + fitting.remaining());
                bytes.put(fitting);
            } else if (!unseal()) {
                receive();
            }
        }
    }

    private void receive() throws IOException {
        in.compact();
        if (socket.read(in) < 0) {
            throw new EOFException();
        }
        in.flip();
    }

    private boolean unseal() throws IOException {
        plain.clear();
        SSLEngineResult result = engine.unwrap(in, plain);
        plain.flip();
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
            engine.getDelegatedTask().run();
        }
        return result.bytesConsumed() > 0;
    }

    /** Says TLS's end. */
    public void end() throws IOException {
        engine.closeOutbound();
        seal(NOTHING);
        write(() -> BUFFER_BYTES);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
