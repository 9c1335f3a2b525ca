package org.posthouse.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import mpi.MPI;

/** One way of carrying messages of one size to the partner and back. Confined to the rank's thread. */
interface Transport {
    /** From now on messages have this size. */
    void resize(int bytes);

    void send() throws IOException;

    void receive() throws IOException;

    /** Sets what is sent, and clears what was received. */
    void fill(byte[] content);

    /** What was received last. */
    byte[] received();

    /** MPI messages through the relay. */
    final class Messages implements Transport {
        private static final int TAG = 1;

        private final int peer;
        private byte[] out = {};
        private byte[] in = {};

        Messages(int peer) {
            this.peer = peer;
        }

        @Override
        public void resize(int bytes) {
            out = new byte[bytes];
            in = new byte[bytes];
        }

        @Override
        public void send() {
            MPI.COMM_WORLD.Send(out, 0, out.length, MPI.BYTE, peer, TAG);
        }

        @Override
        public void receive() {
            MPI.COMM_WORLD.Recv(in, 0, in.length, MPI.BYTE, peer, TAG);
        }

        @Override
        public void fill(byte[] content) {
            out = content.clone();
            Arrays.fill(in, (byte) 0);
        }

        @Override
        public byte[] received() {
            return in.clone();
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
            out.rewind();
            while (out.hasRemaining()) {
                channel.write(out);
            }
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

        @Override
        public void fill(byte[] content) {
            out.rewind().put(content);
            in.rewind().put(new byte[content.length]);
        }

        @Override
        public byte[] received() {
            byte[] copy = new byte[in.capacity()];
            in.rewind().get(copy);
            return copy;
        }
    }
}
