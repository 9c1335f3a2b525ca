package org.posthouse.system.jobs;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import mpi.MPI;

/**
 * Each rank reads its standard input to the end, a line at a time, and says how many there were, and their sum. Rank 0 is killed behind line args[0], in its first process;
 * or its launcher, if args[1] says so.
 */
public final class Reads {
    private Reads() {}

    public static void main(String[] args) throws Exception {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        long killed = own.length > 0 && rank == 0 && System.getenv("POSTHOUSE_INCARNATION").equals("1") ? Long.parseLong(own[0]) : -1;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        CRC32 sum = new CRC32();
        long lines = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            sum.update(line.getBytes(StandardCharsets.UTF_8));
            lines++;
            if (lines == killed) {
                ProcessHandle self = ProcessHandle.current();
                ProcessHandle victim = own.length > 1 && own[1].equals("launcher") ? self.parent().orElseThrow() : self;
                new ProcessBuilder("kill", "-9", Long.toString(victim.pid())).start().waitFor();
                Thread.sleep(60_000);
            }
        }
        MPI.COMM_WORLD.Barrier();
        System.out.println("read " + lines + " lines, " + sum.getValue());
        MPI.Finalize();
    }
}
