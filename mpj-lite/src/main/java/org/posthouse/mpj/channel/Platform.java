package org.posthouse.mpj.channel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The rank library's interface to its machine, except memory: connections, time, and the calling thread. The crash
 * simulator runs ranks on machines of its own, in which a seed decides all of these.
 */
public interface Platform {
    /** The machine of this process. */
    Platform REAL = new Platform() {
        @Override
        public SocketChannel socket() throws IOException {
            return SocketChannel.open();
        }

        @Override
        public Optional<SocketChannel> connectLocally(InetSocketAddress relay) {
            return LocalSockets.of(System.getenv()).flatMap(sockets -> sockets.connect(relay));
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void sleep(long ms) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(ms);
        }

        @Override
        public boolean isCollective() {
            return Thread.currentThread() instanceof CollectiveThread;
        }
    };

    /** A socket that is not connected. */
    SocketChannel socket() throws IOException;

    /**
     * A connection to a relay that listens at this port, bypassing the port. Empty unless the relay is on this machine.
     */
    default Optional<SocketChannel> connectLocally(InetSocketAddress relay) {
        return Optional.empty();
    }

    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** Blocks the caller for this time. */
    void sleep(long ms) throws InterruptedException;

    /** Whether the calling thread runs collectives started by the program: a {@link CollectiveThread}. */
    boolean isCollective();
}
