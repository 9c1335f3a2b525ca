package org.posthouse.bench.rank;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.EnumMap;
import java.util.Map;
import mpi.MPI;
import org.posthouse.bench.carrier.Carrier;

/** One rank's half of a pair: its partner, and the carriers between the two. Confined to the rank's thread. */
final class RankPair implements AutoCloseable {
    private static final int TAG = 2;

    private final int peer;
    private final boolean first;
    private final BufferKind buffers;

    /** The listener that {@link #listen} opened, until {@link #connect(Carrier, int)} accepts from it; else null. */
    private ServerSocketChannel listener;

    private final Map<Carrier, SocketChannel> channels = new EnumMap<>(Carrier.class);

    private RankPair(int peer, boolean first, BufferKind buffers) {
        this.peer = peer;
        this.buffers = buffers;
        this.first = first;
    }

    /**
     * Joins this rank to its partner.
     *
     * @param pairs number of pairs
     * @param buffers the memory of its messages
     * @param forwarders the port of each forwarder; empty if there is nothing but the relay
     */
    static RankPair open(int pairs, BufferKind buffers, Map<Carrier, Integer> forwarders) throws IOException {
        int rank = MPI.COMM_WORLD.Rank();
        int peer = Benchmark.partner(rank, MPI.COMM_WORLD.Size());
        RankPair rankPair = new RankPair(peer, rank < peer, buffers);
        boolean inPair = Math.min(rank, peer) < pairs;
        if (!forwarders.isEmpty() && inPair) {
            rankPair.connect(forwarders);
        }
        return rankPair;
    }

    private void connect(Map<Carrier, Integer> forwarders) throws IOException {
        channels.put(Carrier.RAW, first ? dial(peerPort()) : accept());
        for (Carrier carrier : forwarders.keySet()) {
            channels.put(carrier, first ? dialThrough(forwarders.get(carrier)) : accept());
        }
    }

    /** The second partner waits for the first one's connection. @return the port */
    int listen() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return listener.socket().getLocalPort();
    }

    /** The first partner dials the port, which leads to where the second one listens. */
    void connect(Carrier carrier, int port) throws IOException {
        if (first) {
            channels.put(carrier, dial(port));
        } else {
            channels.put(carrier, listener.accept().setOption(StandardSocketOptions.TCP_NODELAY, true));
            listener.close();
        }
    }

    int peer() {
        return peer;
    }

    /** A way to the partner with buffers of its own. */
    Transport transport(Carrier carrier) {
        return carrier == Carrier.RELAY ? new Transport.Messages(peer, buffers) : new Transport.Bytes(channels.get(carrier));
    }

    private SocketChannel accept() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int[] port = {((InetSocketAddress) server.getLocalAddress()).getPort()};
            MPI.COMM_WORLD.Send(port, 0, 1, MPI.INT, peer, TAG);
            return server.accept().setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
    }

    private int peerPort() {
        int[] port = new int[1];
        MPI.COMM_WORLD.Recv(port, 0, 1, MPI.INT, peer, TAG);
        return port[0];
    }

    private SocketChannel dialThrough(int forwarder) throws IOException {
        int port = peerPort();
        SocketChannel channel = dial(forwarder);
        channel.write(ByteBuffer.allocate(Integer.BYTES).putInt(port).flip());
        return channel;
    }

    private static SocketChannel dial(int port) throws IOException {
        return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : channels.values()) {
            channel.close();
        }
    }
}
