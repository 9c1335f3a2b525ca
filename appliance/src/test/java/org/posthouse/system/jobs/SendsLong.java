package org.posthouse.system.jobs;

import java.util.Random;
import java.util.zip.CRC32C;
import mpi.MPI;
import mpi.Status;

/** Rank 0 sends rank 1 one message of so many bytes, which says what it got, and that nothing came behind it. */
public final class SendsLong {
    private static final int LONG = 1;
    private static final int END = 2;

    private SendsLong() {}

    public static void main(String[] args) {
        MPI.Init(args);
        byte[] message = new byte[Integer.parseInt(args[0])];
        if (MPI.COMM_WORLD.Rank() == 0) {
            new Random(6).nextBytes(message);
            System.out.println("sends " + crc(message));
            MPI.COMM_WORLD.Send(message, 0, message.length, MPI.BYTE, 1, LONG);
            MPI.COMM_WORLD.Send(message, 0, 1, MPI.BYTE, 1, END);
        } else {
            Status first = MPI.COMM_WORLD.Recv(message, 0, message.length, MPI.BYTE, 0, MPI.ANY_TAG);
            byte[] last = new byte[1];
            Status second = MPI.COMM_WORLD.Recv(last, 0, 1, MPI.BYTE, 0, MPI.ANY_TAG);
            boolean more = MPI.COMM_WORLD.Iprobe(0, MPI.ANY_TAG) != null;
            System.out.println("got " + crc(message) + ", tags " + first.tag + " and " + second.tag + (more ? " and more" : ""));
        }
        MPI.Finalize();
    }

    private static String crc(byte[] message) {
        CRC32C crc = new CRC32C();
        crc.update(message);
        return message.length + " bytes " + Long.toHexString(crc.getValue());
    }
}
