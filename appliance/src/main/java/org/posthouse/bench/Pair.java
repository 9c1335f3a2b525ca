package org.posthouse.bench;

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

/** One rank's half of a pair: its partner, and the carriers between the two. Confined to the rank's thread. */
final class Pair implements AutoCloseable {
    private static final int TAG = 2;

    private final int peer;
    private final Map<Carrier, Transport> transports = new EnumMap<>(Carrier.class);
    private final Map<Carrier, SocketChannel> channels = new EnumMap<>(Carrier.class);

    private Pair(int peer) {
        this.peer = peer;
        transports.put(Carrier.RELAY, new Transport.Messages(peer));
    }

    /**
     * Joins this rank to its partner: rank i and rank i + n / 2.
     *
     * @param pairs how many pairs there are
     * @param forwarder the forwarder's port; 0 if there is nothing but the relay
     */
    static Pair open(int pairs, int forwarder) throws IOException {
        int rank = MPI.COMM_WORLD.Rank();
        int half = MPI.COMM_WORLD.Size() / 2;
        Pair pair = new Pair(rank < half ? rank + half : rank - half);
        boolean inPair = rank % half < pairs && rank < 2 * half;
        if (forwarder != 0 && inPair) {
            pair.connect(rank < half, forwarder);
        }
        return pair;
    }

    private void connect(boolean first, int forwarder) throws IOException {
        addBytes(Carrier.RAW, first ? dial(peerPort()) : accept());
        addBytes(Carrier.FORWARDER, first ? dialThrough(forwarder) : accept());
    }

    private void addBytes(Carrier carrier, SocketChannel channel) {
        channels.put(carrier, channel);
        transports.put(carrier, new Transport.Bytes(channel));
    }

    int peer() {
        return peer;
    }

    Transport transport(Carrier carrier) {
        return transports.get(carrier);
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
