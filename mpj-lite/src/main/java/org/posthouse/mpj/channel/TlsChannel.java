package org.posthouse.mpj.channel;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.cert.CertificateEncodingException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.posthouse.wire.ChannelBinding;

/**
 * TLS over a connected non-blocking socket, at the client's end. Reads do not block, as the socket's; writes do. One
 * thread may read while another writes.
 *
 * <p>The end of the stream without TLS's own end counts as the end: a frame says its length, and a connection that broke
 * is made again.
 */
final class TlsChannel implements ScatteringByteChannel {
    private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};

    /** Records that are sent, or received, with one system call. */
    private static final int RECORDS = 4;

    /** The types of the records of a handshake (RFC 8446, 5.1). A frame begins with a length, whose first byte is 0. */
    private static final int CHANGE_CIPHER_SPEC = 20;

    private static final int HANDSHAKE = 22;

    private final SocketChannel socket;
    private final SSLEngine engine;

    /** Received and not decrypted: [position, limit). Confined to the reading thread. */
    private final ByteBuffer sealedIn;

    /** Decrypted and not handed over: [position, limit). Confined to the reading thread. */
    private final ByteBuffer plainIn;

    /** Encrypted and not sent. Confined to the writing thread. */
    private final ByteBuffer sealedOut;

    private final int recordBytesMax;

    /** Whether the handshake is over. Confined to the reading thread. */
    private boolean established;

    TlsChannel(SocketChannel socket, SSLEngine engine) {
        this.socket = socket;
        this.engine = engine;
        recordBytesMax = engine.getSession().getPacketBufferSize();
        sealedIn = ByteBuffer.allocateDirect(RECORDS * recordBytesMax).flip();
        sealedOut = ByteBuffer.allocateDirect(RECORDS * recordBytesMax);
        plainIn = ByteBuffer.allocateDirect(engine.getSession().getApplicationBufferSize()).flip();
    }

    /**
     * Makes the handshake. Blocks.
     *
     * @return false if the other end answers without TLS; {@link #received} has the beginning of its answer
     * @throws SSLException if an end refuses the other
     */
    boolean handshake(long timeoutMs) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try (SelectorWait readable = new SelectorWait(socket, SelectionKey.OP_READ);
                SelectorWait writable = new SelectorWait(socket, SelectionKey.OP_WRITE)) {
            return handshake(new Deadline(readable, end), new Deadline(writable, end));
        } catch (SSLException e) {
            sendAlert();
            throw e;
        }
    }

    /** A wait that ends at a time. */
    private record Deadline(SelectorWait ready, long end) {
        void await() throws IOException {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (leftMs <= 0 || !ready.await(leftMs)) {
                throw new SocketTimeoutException("the TLS handshake is not over in time");
            }
        }
    }

    private boolean handshake(Deadline readable, Deadline writable) throws IOException {
        engine.beginHandshake();
        boolean begun = false;
        HandshakeStatus status = engine.getHandshakeStatus();
        while (status != HandshakeStatus.NOT_HANDSHAKING && status != HandshakeStatus.FINISHED) {
            switch (status) {
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> sendHandshake(writable);
                default -> {
                    if (!begun || !decrypt() && engine.getHandshakeStatus() == status) {
                        awaitBytes(readable);
                        if (!begun && !isHandshake(sealedIn.get(sealedIn.position()))) {
                            return false;
                        }
                        begun = true;
                    }
                }
            }
            status = engine.getHandshakeStatus();
        }
        established = true;
        return true;
    }

    private static boolean isHandshake(byte type) {
        return type >= CHANGE_CIPHER_SPEC && type <= HANDSHAKE;
    }

    private void awaitBytes(Deadline readable) throws IOException {
        int bytes = receive();
        while (bytes == 0) {
            readable.await();
            bytes = receive();
        }
        if (bytes < 0) {
            throw new EOFException("it has ended the connection in the TLS handshake");
        }
    }

    private void sendHandshake(Deadline writable) throws IOException {
        sealedOut.clear();
        engine.wrap(NOTHING, sealedOut);
        sealedOut.flip();
        while (sealedOut.hasRemaining()) {
            if (socket.write(sealedOut) == 0) {
                writable.await();
            }
        }
    }

    /** Tells the other end why this one refuses it, if that is possible at once. */
    private void sendAlert() {
        try {
            sealedOut.clear();
            engine.wrap(NOTHING, sealedOut);
            socket.write(sealedOut.flip());
        } catch (IOException e) {
            // The other end learns no reason.
        }
    }

    /** What was received and is no TLS. */
    ByteBuffer received() {
        return sealedIn;
    }

    /** The relay's certificate. @throws IOException if it has shown none */
    ChannelBinding binding() throws IOException {
        try {
            return ChannelBinding.ofCertificate(engine.getSession().getPeerCertificates()[0].getEncoded());
        } catch (CertificateEncodingException e) {
            throw new SSLException("the relay's certificate has no encoding", e);
        }
    }

    // ---- reading

    @Override
    public int read(ByteBuffer to) throws IOException {
        return (int) read(new ByteBuffer[] {to}, 0, 1);
    }

    @Override
    public long read(ByteBuffer[] to) throws IOException {
        return read(to, 0, to.length);
    }

    /** Decrypts what is there. @return the bytes, 0 if there are none yet, or -1 at the end */
    @Override
    public long read(ByteBuffer[] to, int offset, int length) throws IOException {
        long bytes = 0;
        boolean ended = false;
        while (!ended) {
            bytes += handOver(to, offset, length);
            if (plainIn.hasRemaining()) {
                return bytes; // No more room.
            }
            if (!decrypt()) {
                if (bytes > 0) {
                    return bytes;
                }
                int received = engine.isInboundDone() ? -1 : receive();
                if (received == 0) {
                    return 0;
                }
                ended = received < 0;
            }
        }
        return -1;
    }

    private int handOver(ByteBuffer[] to, int offset, int length) {
        int before = plainIn.remaining();
        for (int i = offset; i < offset + length && plainIn.hasRemaining(); i++) {
            int fitting = Math.min(plainIn.remaining(), to[i].remaining());
            to[i].put(plainIn.slice(plainIn.position(), fitting));
            plainIn.position(plainIn.position() + fitting);
        }
        return before - plainIn.remaining();
    }

    /** Receives more behind what is not decrypted yet. */
    private int receive() throws IOException {
        sealedIn.compact();
        try {
            return socket.read(sealedIn);
        } finally {
            sealedIn.flip();
        }
    }

    /**
     * Decrypts records until one has content.
     *
     * @return false if the next record is not whole, or there is none any more
     */
    private boolean decrypt() throws IOException {
        plainIn.clear();
        try {
            while (sealedIn.hasRemaining()) {
                SSLEngineResult result = engine.unwrap(sealedIn, plainIn);
                if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                    runTasks();
                } else if (result.bytesConsumed() == 0 || result.getStatus() == Status.CLOSED || mustWrap(result)) {
                    break;
                }
                if (plainIn.position() > 0) {
                    break;
                }
            }
            return plainIn.position() > 0;
        } finally {
            plainIn.flip();
        }
    }

    /** In a handshake. Later, an answer to changed keys precedes the next bytes that are sent. */
    private boolean mustWrap(SSLEngineResult result) {
        return !established && result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    // ---- writing

    /** Sends all of these bytes. Blocks until the system has taken them. @param writable waits for room */
    void write(SelectorWait writable, ByteBuffer... from) throws IOException {
        do {
            encrypt(from);
            while (sealedOut.hasRemaining()) {
                if (socket.write(sealedOut) == 0) {
                    writable.await();
                }
            }
        } while (hasRemaining(from));
    }

    private void encrypt(ByteBuffer[] from) throws IOException {
        sealedOut.clear();
        while (hasRemaining(from) && sealedOut.remaining() >= recordBytesMax) {
            SSLEngineResult result = engine.wrap(from, sealedOut);
            if (result.getStatus() != Status.OK) {
                throw new ClosedChannelException();
            }
            if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                runTasks();
            }
        }
        sealedOut.flip();
    }

    private static boolean hasRemaining(ByteBuffer[] from) {
        for (ByteBuffer each : from) {
            if (each.hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    // ---- the socket's

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
