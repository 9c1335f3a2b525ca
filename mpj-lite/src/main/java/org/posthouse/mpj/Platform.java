package org.posthouse.mpj;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a rank's library has of the machine that it runs on, beside memory: connections, time, and which thread calls. The
 * crash simulator runs ranks on machines of its own, where all of it is decided by a seed.
 */
interface Platform {
    /** This process's own. */
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

    /** A connection to a relay that listens at this port, past the port: there is none unless the relay is on this machine. */
    default Optional<SocketChannel> connectLocally(InetSocketAddress relay) {
        return Optional.empty();
    }

    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** Blocks the caller so long. */
    void sleep(long ms) throws InterruptedException;

    /** Whether the calling thread runs collectives that the program has started: a {@link CollectiveThread}. */
    boolean isCollective();
}
