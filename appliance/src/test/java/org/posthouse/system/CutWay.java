package org.posthouse.system;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port that leads to another over a network that can be cut, with everybody told or nobody, and repaired. Thread-safe. */
final class CutWay implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;

    private enum State {
        UP,
        /** Connections were reset, and so are new ones. */
        CUT,
        /** Connections stay open, new ones too, and nothing comes out of them at the other side, not even their end. */
        SILENT
    }

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile State state = State.UP;

    /** @param target a port on loopback */
    CutWay(int target) throws IOException {
        this.target = target;
        server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
    }

    void cut() {
        state = State.CUT;
        resetAll();
    }

    void silence() {
        state = State.SILENT;
    }

    /** What was on its way is lost, as its senders notice now. */
    void repair() {
        resetAll();
        state = State.UP;
    }

    private void accept() {
        try {
            while (true) {
                Socket near = server.accept();
                sockets.add(near);
                if (state == State.CUT) {
                    reset(near);
                } else if (state == State.UP) {
                    lead(near);
                }
            }
        } catch (IOException e) {
            if (!server.isClosed()) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void lead(Socket near) {
        try {
            near.setTcpNoDelay(true);
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(far);
            far.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> pump(near, far));
            Thread.ofVirtual().start(() -> pump(far, near));
        } catch (IOException e) {
            reset(near); // It was cut meanwhile, or nobody listens there.
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (state != State.SILENT) {
                    out.write(buffer, 0, count);
                }
            }
            ended(from, to);
        } catch (IOException e) {
            // It was cut, here or by one of its ends.
            ended(from, to);
        }
    }

    /** The other end hears of it, unless nobody is to. */
    private void ended(Socket from, Socket to) {
        reset(from);
        if (state != State.SILENT) {
            reset(to);
        }
    }

    private void resetAll() {
        sockets.forEach(this::reset);
    }

    private void reset(Socket socket) {
        sockets.remove(socket);
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            return; // It is closed already.
        }
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        resetAll();
    }
}
