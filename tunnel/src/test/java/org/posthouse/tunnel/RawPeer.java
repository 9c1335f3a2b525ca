package org.posthouse.tunnel;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.posthouse.keys.TestKeys;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.WireException;

/** One end of a link's connection by hand: blocking, with any certificate, trusting everybody, free to misbehave. */
public final class RawPeer implements Closeable {
    private static final int PATIENCE_MS = 25_000;

    private final SSLSocket socket;
    private final DataInputStream in;

    private RawPeer(SSLSocket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MS);
        in = new DataInputStream(socket.getInputStream());
    }

    /** Connects with the key and certificate in {@code keys}, or with none if it is null, ready to shake hands. */
    public static RawPeer dial(int port, Path keys, String... protocols) throws Exception {
        SSLSocket socket = (SSLSocket) context(keys).getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        return new RawPeer(socket);
    }

    /** The same by one who remembers the sessions of his earlier connections, and would go on with them. */
    static RawPeer dial(int port, SSLContext remembers) throws IOException {
        return new RawPeer((SSLSocket) remembers.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port));
    }

    static SSLServerSocket listen(Path keys) throws Exception {
        SSLServerSocket server = (SSLServerSocket) context(keys).getServerSocketFactory().createServerSocket(0, 8, InetAddress.getLoopbackAddress());
        server.setNeedClientAuth(true);
        server.setSoTimeout(PATIENCE_MS);
        return server;
    }

    static RawPeer accept(SSLServerSocket server) throws IOException {
        return new RawPeer((SSLSocket) server.accept());
    }

    public void shakeHands() throws IOException {
        socket.startHandshake();
    }

    public RawPeer send(ByteBuffer frame) throws IOException {
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        socket.getOutputStream().write(bytes);
        return this;
    }

    /** Says that it is {@code relay}, SITE or SITE/NAME. */
    public RawPeer hello(String relay, String expected, long epoch, long peerEpoch, long received) throws IOException {
        return send(new LinkHello(relay.replaceFirst("/.*", ""), relay, expected, epoch, peerEpoch, 0, 1, received, 0, false, false).encode());
    }

    /** The next frame of {@code type}; others before it are skipped. */
    public ByteBuffer await(FrameType type) throws IOException {
        while (true) {
            int length = in.readInt();
            ByteBuffer frame = ByteBuffer.allocate(length);
            frame.putInt(length);
            in.readFully(frame.array(), Integer.BYTES, length - Integer.BYTES);
            frame.clear();
            if (FrameType.of(frame.get(4)) == type) {
                return frame;
            }
        }
    }

    public LinkHello awaitHello() throws IOException, WireException {
        return LinkHello.decode(await(FrameType.LINK_HELLO));
    }

    public CloseNotice awaitClose() throws IOException, WireException {
        return CloseNotice.decode(await(FrameType.CLOSE));
    }

    /** Waits until the other end has ended the connection, cleanly or not. */
    void awaitEnd() throws IOException {
        try {
            while (in.read() >= 0) {
                // Only the end matters.
            }
        } catch (EOFException | SocketException | SSLException e) {
            // Broken off: an end too.
        }
    }

    @Override
    public void close() throws IOException {
        ((Socket) socket).close();
    }

    static SSLContext context(Path keys) throws IOException, GeneralSecurityException {
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, new char[0]);
        if (keys != null) {
            X509Certificate own = TestKeys.certificate(keys);
            PrivateKey key = TestKeys.key(keys);
            store.setKeyEntry("own", key, new char[0], new X509Certificate[] {own});
        }
        factory.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), new TrustManager[] {new TrustAll()}, null);
        return context;
    }

    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
            // The relay under test is the one that checks.
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            // The relay under test is the one that checks.
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
