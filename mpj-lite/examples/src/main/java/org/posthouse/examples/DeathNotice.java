package org.posthouse.examples;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import mpi.MPI;
import mpi.MPIException;

/**
 * Measures how long it takes until all others are told of a death. For {@code posthouse run --on-failure blank}, with all ranks on one host, whose clock
 * they share.
 *
 * <p>The ranks die one after the other, the last first, until two are left. All that live wait for a message of the one that dies, and their
 * receives end with ERR_PROC_FAILED. A death takes from the kill to the last of these errors.
 *
 * <p>Arguments: {@code [kill|halt|exit]}. Rank 0 kills the process (SIGKILL), or the process ends itself by {@code Runtime.halt} or {@code
 * System.exit}.
 */
public final class DeathNotice {
    private static final int FIRST = 0;
    private static final int LIVING = 2;
    private static final int TAG_PID = 1;
    private static final int TAG_READY = 2;
    private static final int TAG_DIE = 3;
    private static final int TAG_TIME = 4;
    private static final int STATUS = 137;
    private static final List<String> WAYS = List.of("kill", "halt", "exit");

    private DeathNotice() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        String how = words.length == 0 ? "kill" : words[0];
        if (!WAYS.contains(how)) {
            throw Report.refuse("death-notice", "the way to die is '" + how + "', expected one of " + WAYS);
        }
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        if (rank == FIRST) {
            report(how, measure(size, how.equals("kill")));
        } else {
            send(ProcessHandle.current().pid(), FIRST, TAG_PID);
            for (int dying = size - 1; dying > rank && dying >= LIVING; dying--) {
                send(0, FIRST, TAG_READY);
                send(awaitDeath(dying), FIRST, TAG_TIME);
            }
            if (rank >= LIVING) {
                die(how);
            }
        }
        MPI.Finalize();
    }

    /** Microseconds from each death to its last notice. */
    private static long[] measure(int size, boolean kills) {
        long[] pids = new long[size];
        for (int rank = 1; rank < size; rank++) {
            pids[rank] = receive(rank, TAG_PID);
        }
        long[] micros = new long[Math.max(0, size - LIVING)];
        for (int dying = size - 1; dying >= LIVING; dying--) {
            for (int rank = 1; rank < dying; rank++) {
                receive(rank, TAG_READY);
            }
            long died = kills ? kill(pids[dying]) : order(dying);
            long told = awaitDeath(dying);
            for (int rank = 1; rank < dying; rank++) {
                told = Math.max(told, receive(rank, TAG_TIME));
            }
            micros[size - 1 - dying] = (told - died) / 1_000;
        }
        return micros;
    }

    private static long kill(long pid) {
        long now = System.nanoTime();
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        return now;
    }

    /** Lets a rank end itself; returns when it does so. */
    private static long order(int dying) {
        send(0, dying, TAG_DIE);
        return receive(dying, TAG_TIME);
    }

    private static void die(String how) {
        receive(FIRST, TAG_DIE);
        send(System.nanoTime(), FIRST, TAG_TIME);
        if (how.equals("halt")) {
            Runtime.getRuntime().halt(STATUS);
        }
        System.exit(STATUS);
    }

    /** The time of the notice. */
    private static long awaitDeath(int dying) {
        try {
            receive(dying, TAG_DIE);
        } catch (MPIException e) {
            long told = System.nanoTime();
            if (e.getErrorClass() == MPI.ERR_PROC_FAILED) {
                return told;
            }
            throw e;
        }
        throw new IllegalStateException("rank " + dying + " has sent a message, expected it to die");
    }

    private static void report(String how, long[] micros) {
        Arrays.sort(micros);
        System.out.println(micros.length == 0
                ? "no death: expected at least 3 ranks"
                : String.format(Locale.ROOT, "%d deaths by %s: told to all after %.1f ms (median), at most %.1f ms",
                        micros.length, how, micros[micros.length / 2] / 1e3, micros[micros.length - 1] / 1e3));
    }

    private static void send(long value, int to, int tag) {
        MPI.COMM_WORLD.Send(new long[] {value}, 0, 1, MPI.LONG, to, tag);
    }

    private static long receive(int from, int tag) {
        long[] value = new long[1];
        MPI.COMM_WORLD.Recv(value, 0, 1, MPI.LONG, from, tag);
        return value[0];
    }
}
