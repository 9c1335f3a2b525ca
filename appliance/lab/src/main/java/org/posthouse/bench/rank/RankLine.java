package org.posthouse.bench.rank;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.posthouse.launch.job.JobFailure;

/** The driver's connection to one rank. Confined to the driver's thread. */
public final class RankLine implements AutoCloseable {
    /** Of a rank that is there and says nothing. */
    private static final int GREETING_MS_MAX = 120_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final int rank;
    private final long process;
    private final boolean follows;

    private RankLine(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(GREETING_MS_MAX);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        rank = in.readInt();
        process = in.readLong();
        follows = in.readBoolean();
    }

    /** Hears from an accepted connection which rank it is. */
    public static RankLine greet(Socket socket) throws IOException {
        try {
            return new RankLine(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The rank's number in the job. */
    public int rank() {
        return rank;
    }

    /** The rank's process id. */
    public long process() {
        return process;
    }

    /** Whether the process follows another one of its rank. */
    public boolean follows() {
        return follows;
    }

    /** Sends {@code phase} to the rank, which begins when it reads it. */
    public void ask(Phase phase) throws IOException {
        phase.write(out);
        out.flush();
    }

    /** Waits so long for the answer to {@code phase}: the times that count. @throws JobFailure if there is none, or wrong data was received */
    public long[] answer(Phase phase, int allowanceMs) throws IOException, JobFailure {
        try {
            socket.setSoTimeout(allowanceMs);
            String fault = in.readUTF();
            if (!fault.isEmpty()) {
                throw new JobFailure("wrong data: " + fault);
            }
            long[] nanos = new long[in.readInt()];
            for (int i = 0; i < nanos.length; i++) {
                nanos[i] = in.readLong();
            }
            return nanos;
        } catch (SocketTimeoutException e) {
            throw new JobFailure("rank " + rank + " did not finish " + phase + " within " + allowanceMs / 1_000 + " s", e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
