package org.posthouse.relay;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** A connection to a relay that says whatever a test wants said. */
public final class RawPeer implements AutoCloseable {
    /** What a test waits for comes in less, or it fails. */
    private static final int SILENCE_MS_MAX = 60_000;

    private final Socket socket;

    /** Null before it has introduced itself. */
    private ClientHalf half;

    private RawPeer(Socket socket) {
        this.socket = socket;
    }

    /** Connects to the relay that serves ranks at {@code address}. */
    public static RawPeer connect(String address) throws IOException {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        RawPeer peer = new RawPeer(new Socket(InetAddress.getLoopbackAddress(), port));
        peer.socket.setSoTimeout(SILENCE_MS_MAX);
        return peer;
    }

    /** A launcher that has opened a job of two ranks at relay site-a; the job ends with it. */
    public static RawPeer launcher(String address, long job, Token token) throws IOException {
        RawPeer launcher = connect(address);
        launcher.hello(Hello.launcher());
        launcher.readFrame();
        HomeRelay homeRelay = new HomeRelay("site-a", "site-a", address);
        launcher.send(new JobOpen(job, token, false, "test", List.of(homeRelay), new int[2]).encode());
        launcher.readFrame();
        return launcher;
    }

    /** A rank proves who it is, and says HELLO. @param token the one of its job that the relay has */
    public void hello(Hello hello, Token token) throws IOException {
        introduce(hello, token.ofRank(hello.rank()));
        send(hello.encode());
    }

    /** A launcher of this user does. */
    public void hello(Hello hello) throws IOException {
        introduce(hello, Token.NONE);
        send(hello.encode());
    }

    /** Proves that it is who will say that. @param token its own */
    public void introduce(Hello hello, Token token) throws IOException {
        half = new ClientHalf(hello, token);
        write(half.identify());
        try {
            write(half.prove(readFrame()));
        } catch (WireException e) {
            throw new AssertionError(e);
        }
    }

    /** Writes what a heap buffer holds. */
    public void send(ByteBuffer bytes) throws IOException {
        write(half == null ? bytes : half.sealed(bytes));
    }

    private void write(ByteBuffer bytes) throws IOException {
        socket.getOutputStream().write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    /** The next frame, whole. */
    public ByteBuffer readFrame() throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int length = in.readInt();
        ByteBuffer frame = ByteBuffer.allocate(length).putInt(length);
        in.readFully(frame.array(), Integer.BYTES, length - Integer.BYTES);
        return frame.position(0);
    }

    /** How many bytes have come that were not read. */
    public int available() throws IOException {
        return socket.getInputStream().available();
    }

    /** The next byte, or -1 when the relay has closed. */
    public int read() throws IOException {
        return socket.getInputStream().read();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
