package org.posthouse.bench.scale;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/**
 * A way to the partner for a rank that shares its process with others; the buffers are the rank's, direct, and the same
 * on every way. Used by one thread at a time.
 */
interface Way extends AutoCloseable {
    /** Sends the buffer's bytes from 0 to its limit. */
    void send(ByteBuffer out) throws IOException;

    /** Receives one message, which fills the buffer from 0 to its limit. */
    void receive(ByteBuffer in) throws IOException;

    @Override
    void close() throws IOException;

    /** Messages of the library's endpoint through a relay. */
    final class Messages implements Way {
        private static final int CONTEXT = 0;
        private static final int TAG = 1;
        private static final int DATATYPE_BYTE = 1;

        private final Endpoint endpoint;
        private final int peer;

        Messages(Endpoint endpoint, int peer) {
            this.endpoint = endpoint;
            this.peer = peer;
        }

        /** The bytes of a buffer as a message. */
        private record Bytes(ByteBuffer buffer) implements Content {
            @Override
            public long bytes() {
                return buffer.limit();
            }

            @Override
            public int elements() {
                return buffer.limit();
            }

            @Override
            public int datatype() {
                return DATATYPE_BYTE;
            }

            @Override
            public void write(long from, ByteBuffer out) {
                out.put(buffer.slice((int) from, out.remaining()));
            }

            @Override
            public ByteBuffer inPlace(long from, int bytes) {
                return buffer.isDirect() ? buffer.slice((int) from, bytes) : null;
            }
        }

        /** Room for a message of just this length. */
        private record Room(ByteBuffer buffer) implements Sink {
            @Override
            public void begin(Envelope envelope) throws ReceiveException {
                if (envelope.bytes() != buffer.limit()) {
                    throw new ReceiveException(
                            ReceiveException.Kind.COUNT, envelope.bytes() + " bytes, expected " + buffer.limit());
                }
            }

            @Override
            public ByteBuffer inPlace(Envelope envelope) {
                return buffer.isDirect() && envelope.bytes() == buffer.limit() ? buffer.slice(0, buffer.limit()) : null;
            }

            @Override
            public void read(long at, ByteBuffer in) {
                buffer.put((int) at, in, in.position(), in.remaining());
                in.position(in.limit());
            }

            @Override
            public void end() {
                // Every byte stands where it belongs.
            }
        }

        @Override
        public void send(ByteBuffer out) {
            endpoint.await(endpoint.send(CONTEXT, peer, TAG, new Bytes(out)));
        }

        @Override
        public void receive(ByteBuffer in) throws IOException {
            Operation receive = endpoint.receive(CONTEXT, peer, TAG, new Room(in));
            endpoint.await(receive);
            if (receive.failure() != null) {
                throw new IOException("a message from rank " + peer + ": " + receive.failure().getMessage());
            }
        }

        @Override
        public void close() {
            endpoint.close();
        }
    }

    /** Plain bytes over a connection. */
    final class Connection implements Way {
        private final SocketChannel channel;

        private Connection(SocketChannel channel) {
            this.channel = channel;
        }

        /** Connects to what the partner's {@link #accept} listens at. */
        static Connection dial(int port) throws IOException {
            return new Connection(SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                    .setOption(StandardSocketOptions.TCP_NODELAY, true));
        }

        /** Connects to it through a forwarder. */
        static Connection dialThrough(int forwarder, int port) throws IOException {
            Connection connection = dial(forwarder);
            connection.send(ByteBuffer.allocate(Integer.BYTES).putInt(port).flip());
            return connection;
        }

        /** Listens, sends the address to the partner over {@code messages}, and accepts. */
        static Connection accept(Way messages) throws IOException {
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                messages.send(ByteBuffer.allocate(Integer.BYTES).putInt(server.socket().getLocalPort()).flip());
                return new Connection(server.accept().setOption(StandardSocketOptions.TCP_NODELAY, true));
            }
        }

        @Override
        public void send(ByteBuffer out) throws IOException {
            out.rewind();
            while (out.hasRemaining()) {
                channel.write(out);
            }
        }

        @Override
        public void receive(ByteBuffer in) throws IOException {
            in.rewind();
            while (in.hasRemaining()) {
                if (channel.read(in) < 0) {
                    throw new IOException("the connection to the partner ended");
                }
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
