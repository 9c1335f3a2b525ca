package org.posthouse.bench.rank;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import mpi.MPI;
import mpi.Request;

/** One way of carrying messages of one size to the partner and back. Confined to the rank's thread. */
interface Transport {
    /** From now on messages have this size. */
    void resize(int bytes);

    void send() throws IOException;

    void receive() throws IOException;

    /** Sends equal parts of the buffer as messages of their own, again and again, as many under way at once as there are parts. */
    void sendParts(int parts, int rounds) throws IOException;

    /** Receives what {@link #sendParts} sent, as many messages, with as many receives posted ahead. */
    void receiveParts(int parts, int rounds) throws IOException;

    /** Sets what is sent, and clears what was received. */
    void fill(byte[] content);

    /** The bytes received last. */
    byte[] received();

    /** MPI messages through the relay. */
    final class Messages implements Transport {
        private static final int TAG = 1;

        private final int peer;
        private final BufferKind buffers;
        private int size;
        private Object out;
        private Object in;

        Messages(int peer, BufferKind buffers) {
            this.peer = peer;
            this.buffers = buffers;
            resize(0);
        }

        @Override
        public void resize(int bytes) {
            size = bytes;
            out = buffers.room(bytes);
            in = buffers.room(bytes);
        }

        @Override
        public void send() {
            MPI.COMM_WORLD.Send(out, 0, size, MPI.BYTE, peer, TAG);
        }

        @Override
        public void receive() {
            MPI.COMM_WORLD.Recv(in, 0, size, MPI.BYTE, peer, TAG);
        }

        @Override
        public void sendParts(int parts, int rounds) {
            Request[] sends = new Request[parts];
            int bytes = size / parts;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < parts; i++) {
                    if (round > 0) {
                        sends[i].Wait();
                    }
                    sends[i] = MPI.COMM_WORLD.Isend(out, i * bytes, bytes, MPI.BYTE, peer, TAG);
                }
            }
            Request.Waitall(sends);
        }

        @Override
        public void receiveParts(int parts, int rounds) {
            Request[] receives = new Request[parts];
            int bytes = size / parts;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < parts; i++) {
                    if (round > 0) {
                        receives[i].Wait();
                    }
                    receives[i] = MPI.COMM_WORLD.Irecv(in, i * bytes, bytes, MPI.BYTE, peer, TAG);
                }
            }
            Request.Waitall(receives);
        }

        @Override
        public void fill(byte[] content) {
            buffers.fill(out, content);
            buffers.fill(in, new byte[size]);
        }

        @Override
        public byte[] received() {
            return buffers.content(in);
        }
    }

    /** Plain bytes over a connection, with direct buffers: the quickest that a Java program can do. */
    final class Bytes implements Transport {
        private final SocketChannel channel;
        private ByteBuffer out = ByteBuffer.allocateDirect(0);
        private ByteBuffer in = ByteBuffer.allocateDirect(0);

        Bytes(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void resize(int bytes) {
            out = ByteBuffer.allocateDirect(bytes);
            in = ByteBuffer.allocateDirect(bytes);
        }

        @Override
        public void send() throws IOException {
            sendParts(1, 1);
        }

        @Override
        public void receive() throws IOException {
            in.rewind();
            while (in.hasRemaining()) {
                if (channel.read(in) < 0) {
                    throw new IOException("the connection to the partner ended");
                }
            }
        }

        /** One call of the kernel for each part, as a program that has one message after the other makes. */
        @Override
        public void sendParts(int parts, int rounds) throws IOException {
            int bytes = out.capacity() / parts;
            for (int round = 0; round < rounds; round++) {
                out.clear();
                for (int end = bytes; end <= out.capacity(); end += bytes) {
                    out.limit(end);
                    while (out.hasRemaining()) {
                        channel.write(out);
                    }
                }
            }
        }

        /** Bytes have no borders: as many calls as the kernel likes. */
        @Override
        public void receiveParts(int parts, int rounds) throws IOException {
            for (int round = 0; round < rounds; round++) {
                receive();
            }
        }

        @Override
        public void fill(byte[] content) {
            out.clear().put(content);
            in.clear().put(new byte[content.length]);
        }

        @Override
        public byte[] received() {
            byte[] copy = new byte[in.capacity()];
            in.rewind().get(copy);
            return copy;
        }
    }
}
