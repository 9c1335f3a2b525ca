package org.posthouse.mpj;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between a rank and its relay, passes bytes on, and cuts each connection after as many as its seed says: in the middle of a
 * frame, of either direction, as a network does. Of the first connection the beginning is spared: a rank that was never
 * greeted does not come again.
 */
final class CuttingProxy implements AutoCloseable {
    private static final int SPARED_BYTES = 4_096;
    private static final int BUFFER_BYTES = 16_384;

    private final ServerSocket server;
    private final String relay;
    private final Random random;
    private final int bytesMax;
    private final AtomicInteger cuts = new AtomicInteger();
    private final int cutsMax;

    /**
     * @param bytesMax how many bytes a connection lasts for at most
     * @param cutsMax how many connections are cut; those behind are not
     */
    CuttingProxy(String relay, long seed, int bytesMax, int cutsMax) throws IOException {
        this.relay = relay;
        this.bytesMax = bytesMax;
        this.cutsMax = cutsMax;
        random = new Random(seed);
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
    }

    /** How many connections were cut. */
    int cuts() {
        return cuts.get();
    }

    private void accept() {
        boolean first = true;
        while (!server.isClosed()) {
            try {
                Socket rank = server.accept();
                pass(rank, first);
                first = false;
            } catch (IOException e) {
                if (!server.isClosed()) {
                    throw new IllegalStateException("the proxy to " + relay, e);
                }
            }
        }
    }

    private void pass(Socket rank, boolean first) throws IOException {
        int colon = relay.lastIndexOf(':');
        Socket home = new Socket();
        home.connect(new InetSocketAddress(relay.substring(0, colon), Integer.parseInt(relay.substring(colon + 1))));
        home.setTcpNoDelay(true);
        rank.setTcpNoDelay(true);
        boolean cut = cuts.get() < cutsMax;
        long most = random.nextInt(3) == 0 ? Math.min(2_000, bytesMax) : bytesMax;
        AtomicLong left = new AtomicLong(cut ? (first ? SPARED_BYTES : 1) + random.nextLong(most) : Long.MAX_VALUE);
        Thread.ofVirtual().start(() -> pump(rank, home, home, rank, left));
        Thread.ofVirtual().start(() -> pump(home, rank, home, rank, left));
    }

    private void pump(Socket from, Socket to, Socket home, Socket rank, AtomicLong left) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                long before = left.getAndAdd(-count);
                if (before > 0) {
                    out.write(buffer, 0, (int) Math.min(before, count));
                }
                if (before > 0 && before <= count) {
                    cuts.incrementAndGet();
                }
                if (before <= count) {
                    break;
                }
            }
        } catch (IOException e) {
            // The other direction has cut it, or one end has.
            left.set(0);
        }
        end(home, rank);
    }

    private static void end(Socket home, Socket rank) {
        try {
            home.close();
            rank.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
