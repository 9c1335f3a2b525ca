package org.posthouse.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import mpi.MPI;

/**
 * The two ranks of the ping-pong bench: rank 0 sends and times, rank 1 echoes; over a plain TCP connection between the
 * two, over a bare forwarder, and over the relay, in turn.
 *
 * <p>Arguments: file for the samples, port of the forwarder, repetitions, then sizes in bytes. The samples are lines of
 * transport, size, repetition and round trips in nanoseconds, separated by blanks.
 */
public final class PingPongRank {
    private static final int TAG = 1;
    private static final int WARM_UP_ROUNDS = 3;

    /** One way of carrying bytes to the other rank and back. */
    private interface Transport {
        void send(int bytes) throws IOException;

        void receive(int bytes) throws IOException;
    }

    private PingPongRank() {}

    public static void main(String[] args) throws IOException {
        String[] own = MPI.Init(args);
        int repetitions = Integer.parseInt(own[2]);
        int[] sizes = Arrays.stream(own, 3, own.length).mapToInt(Integer::parseInt).toArray();
        int largest = Arrays.stream(sizes).max().orElseThrow();
        boolean first = MPI.COMM_WORLD.Rank() == 0;
        try (SocketChannel raw = first ? connectRaw() : acceptRaw();
                SocketChannel forwarded = first ? connectForwarded(Integer.parseInt(own[1])) : acceptRaw()) {
            Transport[] transports = {new Socket(raw, largest), new Socket(forwarded, largest), new Message(largest, first)};
            String[] names = {"raw", "forwarder", "relay"};
            if (first) {
                try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(own[0])))) {
                    measure(transports, names, sizes, repetitions, out);
                }
            } else {
                echo(transports, sizes, repetitions);
            }
        }
        MPI.Finalize();
    }

    private static void measure(Transport[] transports, String[] names, int[] sizes, int repetitions, PrintWriter out)
            throws IOException {
        for (int size : sizes) {
            for (int repetition = -WARM_UP_ROUNDS; repetition < repetitions; repetition++) {
                for (int i = 0; i < transports.length; i++) {
                    long[] samples = time(transports[i], size);
                    if (repetition >= 0) {
                        out.print(names[i] + " " + size + " " + repetition);
                        for (long sample : samples) {
                            out.print(" " + sample);
                        }
                        out.println();
                    }
                }
            }
        }
    }

    private static long[] time(Transport transport, int size) throws IOException {
        long[] samples = new long[rounds(size)];
        for (int i = 0; i < samples.length; i++) {
            long start = System.nanoTime();
            transport.send(size);
            transport.receive(size);
            samples[i] = System.nanoTime() - start;
        }
        return samples;
    }

    private static void echo(Transport[] transports, int[] sizes, int repetitions) throws IOException {
        for (int size : sizes) {
            for (int repetition = -WARM_UP_ROUNDS; repetition < repetitions; repetition++) {
                for (Transport transport : transports) {
                    for (int i = rounds(size); i > 0; i--) {
                        transport.receive(size);
                        transport.send(size);
                    }
                }
            }
        }
    }

    /** Enough for a median, and not more than a second or so. */
    private static int rounds(int size) {
        return size <= 8 * 1024 ? 3_000 : size <= 256 * 1024 ? 600 : 60;
    }

    private static SocketChannel acceptRaw() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int[] port = {((InetSocketAddress) server.getLocalAddress()).getPort()};
            MPI.COMM_WORLD.Send(port, 0, 1, MPI.INT, 0, TAG);
            return server.accept().setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
    }

    private static SocketChannel connectRaw() throws IOException {
        return connect(peerPort());
    }

    private static SocketChannel connectForwarded(int forwarder) throws IOException {
        int port = peerPort();
        SocketChannel channel = connect(forwarder);
        channel.write(ByteBuffer.allocate(Integer.BYTES).putInt(port).flip());
        return channel;
    }

    private static int peerPort() {
        int[] port = new int[1];
        MPI.COMM_WORLD.Recv(port, 0, 1, MPI.INT, 1, TAG);
        return port[0];
    }

    private static SocketChannel connect(int port) throws IOException {
        return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Plain bytes over a connection. */
    private static final class Socket implements Transport {
        private final SocketChannel channel;
        private final ByteBuffer buffer;

        private Socket(SocketChannel channel, int largest) {
            this.channel = channel;
            this.buffer = ByteBuffer.allocateDirect(largest);
        }

        @Override
        public void send(int bytes) throws IOException {
            buffer.clear().limit(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        @Override
        public void receive(int bytes) throws IOException {
            buffer.clear().limit(bytes);
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    throw new IOException("the connection ended");
                }
            }
        }
    }

    /** MPI messages through the relay. */
    private static final class Message implements Transport {
        private final byte[] buffer;
        private final int peer;

        private Message(int largest, boolean first) {
            this.buffer = new byte[largest];
            this.peer = first ? 1 : 0;
        }

        @Override
        public void send(int bytes) {
            MPI.COMM_WORLD.Send(buffer, 0, bytes, MPI.BYTE, peer, TAG);
        }

        @Override
        public void receive(int bytes) {
            MPI.COMM_WORLD.Recv(buffer, 0, bytes, MPI.BYTE, peer, TAG);
        }
    }
}
