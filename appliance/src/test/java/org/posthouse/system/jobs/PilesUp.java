package org.posthouse.system.jobs;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import mpi.MPI;
import mpi.Status;

/**
 * Rank 0 sends rank 1 short messages and then long ones, {@code args}: file, short messages, their bytes, long messages,
 * their bytes. Rank 1 receives nothing before the file exists; then all of it, and checks order, lengths and checksums.
 */
public final class PilesUp {
    private static final int TAG = 7;

    /** Sequence number and checksum, at the beginning of every message. */
    private static final int HEAD_BYTES = 16;

    private PilesUp() {}

    public static void main(String[] args) throws InterruptedException {
        String[] own = MPI.Init(args);
        int shorts = Integer.parseInt(own[1]);
        int shortBytes = Integer.parseInt(own[2]);
        int longs = Integer.parseInt(own[3]);
        int longBytes = Integer.parseInt(own[4]);
        if (MPI.COMM_WORLD.Rank() == 0) {
            send(0, shorts, shortBytes);
            send(shorts, longs, longBytes);
            System.out.println("sent all");
        } else {
            while (!Files.exists(Path.of(own[0]))) {
                Thread.sleep(10);
            }
            long start = System.nanoTime();
            receive(0, shorts, shortBytes);
            long between = System.nanoTime();
            receive(shorts, longs, longBytes);
            long end = System.nanoTime();
            System.out.println("received all " + (shorts + longs) + ": " + (between - start) / 1_000_000 + " ms and "
                    + (end - between) / 1_000_000 + " ms");
        }
        MPI.Finalize();
    }

    private static void send(int first, int count, int bytes) {
        byte[] message = new byte[bytes];
        for (int number = first; number < first + count; number++) {
            for (int at = HEAD_BYTES; at < bytes; at++) {
                message[at] = (byte) (number * 31 + at);
            }
            ByteBuffer.wrap(message).putLong(number).putLong(checksum(message));
            MPI.COMM_WORLD.Send(message, 0, bytes, MPI.BYTE, 1, TAG);
        }
    }

    private static void receive(int first, int count, int bytes) {
        byte[] message = new byte[bytes + 1];
        for (int number = first; number < first + count; number++) {
            Status status = MPI.COMM_WORLD.Recv(message, 0, message.length, MPI.BYTE, 0, TAG);
            int there = status.Get_count(MPI.BYTE);
            ByteBuffer head = ByteBuffer.wrap(message);
            long is = head.getLong();
            long sum = head.getLong();
            if (there != bytes || is != number || sum != checksum(java.util.Arrays.copyOf(message, bytes))) {
                throw new AssertionError("message " + is + " of " + there + " bytes, expected " + number + " of " + bytes
                        + ", or its checksum is wrong");
            }
        }
    }

    private static long checksum(byte[] message) {
        CRC32C crc = new CRC32C();
        crc.update(message, HEAD_BYTES, message.length - HEAD_BYTES);
        return crc.getValue();
    }
}
