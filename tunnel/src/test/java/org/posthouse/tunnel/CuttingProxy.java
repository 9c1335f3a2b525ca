package org.posthouse.tunnel;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Forwards bytes between a dialling relay and a listening one, and cuts: each connection ends after a number of bytes
 * drawn when it begins, or all when told to; frozen, it keeps connections open and forwards nothing.
 */
final class CuttingProxy implements Closeable {
    private final ServerSocket listener;
    private final int targetPort;
    private final LongSupplier bytesPerConnection;
    private final List<Socket> open = new ArrayList<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private final Semaphore flow = new Semaphore(1);
    private volatile boolean closed;

    CuttingProxy(int targetPort, LongSupplier bytesPerConnection) throws IOException {
        this.targetPort = targetPort;
        this.bytesPerConnection = bytesPerConnection;
        listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** Connections that ended because their bytes were used up. */
    int cuts() {
        return cuts.get();
    }

    /** Ends all connections now; new ones are accepted. */
    void cutAll() {
        List<Socket> ending;
        synchronized (open) {
            ending = List.copyOf(open);
            open.clear();
        }
        ending.forEach(CuttingProxy::end);
    }

    /** From now on nothing is forwarded, and nobody is told. */
    void freeze() {
        flow.acquireUninterruptibly();
    }

    void thaw() {
        flow.release();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        cutAll();
    }

    private void accept() {
        while (!closed) {
            try {
                Socket near = listener.accept();
                Thread.startVirtualThread(() -> join(near));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void join(Socket near) {
        Socket far = new Socket();
        try {
            far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort), 2_000);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
        } catch (IOException e) {
            end(near);
            end(far);
            return;
        }
        synchronized (open) {
            open.add(near);
            open.add(far);
        }
        AtomicLong left = new AtomicLong(bytesPerConnection.getAsLong());
        Thread.startVirtualThread(() -> pump(near, far, left));
        Thread.startVirtualThread(() -> pump(far, near, left));
    }

    private void pump(Socket from, Socket to, AtomicLong left) {
        byte[] bytes = new byte[16 * 1024];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(bytes); read > 0; read = in.read(bytes)) {
                flow.acquireUninterruptibly();
                flow.release();
                long before = left.getAndAdd(-read);
                if (before <= 0) {
                    break;
                }
                out.write(bytes, 0, (int) Math.min(read, before));
                if (before <= read) {
                    cuts.incrementAndGet();
                    break;
                }
            }
        } catch (IOException e) {
            // The other direction ended it, or an end did: both are what a proxy is for.
            end(from);
        }
        end(from);
        end(to);
        synchronized (open) {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException("cannot close " + socket, e);
        }
    }
}
