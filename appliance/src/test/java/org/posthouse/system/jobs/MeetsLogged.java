package org.posthouse.system.jobs;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Status;

/**
 * One of two logged jobs that meet. What each process sends to the other job depends on what it has observed in its own, and the other way round: the order
 * of messages, the time, and how often a probe found nothing. At the end everybody compares what it got with what the sender says that it gave. So a process that
 * is brought back to another place, in either job, is found. Arguments: "serve" or "visit", the service, the rounds, {@link Kills}, and in the same form
 * the milliseconds behind the call of accept or connect at which processes die.
 */
public final class MeetsLogged {
    private static final int KILLED = 137;
    private static final int COLLECTIVE_EACH = 4;

    private final Kills kills;
    private final Intercomm other;
    private final long[] given;
    private final long[] got;
    private long givenToNext;
    private long gotFromPrevious;
    private long fold = 1;

    private MeetsLogged(Intercomm other, Kills kills) {
        this.other = other;
        this.kills = kills;
        given = new long[other.Remote_size()];
        got = new long[other.Remote_size()];
    }

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        dieSoon(new Kills(own[4], rank).now());
        boolean serves = own[0].equals("serve");
        String port = serves && rank == 0 ? Intracomm.openPort() : rank == 0 ? port(own[1]) : null;
        if (serves && rank == 0) {
            Intracomm.publishName(own[1], port);
        }
        Intercomm other = serves ? MPI.COMM_WORLD.accept(port, 0) : MPI.COMM_WORLD.connect(port, 0);
        MeetsLogged meeting = new MeetsLogged(other, new Kills(own[3], rank));
        for (int round = 0; round < Integer.parseInt(own[2]); round++) {
            meeting.round(round);
        }
        meeting.compare();
        meeting.merge(!serves);
        other.disconnect();
        meeting.own(7);
        MPI.Finalize();
        System.out.println("Verification: SUCCESSFUL");
    }

    private static void dieSoon(int ms) {
        if (ms > 0) {
            Thread death = new Thread(() -> {
                LockSupport.parkNanos(ms * 1_000_000L);
                Runtime.getRuntime().halt(KILLED);
            });
            death.setDaemon(true);
            death.start();
        }
    }

    private static String port(String service) {
        while (true) {
            try {
                return Intracomm.lookupName(service);
            } catch (MPIException e) {
                if (e.getErrorClass() != MPI.ERR_NAME) {
                    throw e;
                }
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    private void round(int round) {
        fold = 31 * fold + (long) (MPI.Wtime() * 1e9); // An observation in the own job that goes to the other one.
        for (int to = 0; to < given.length; to++) {
            given[to] = 31 * given[to] + fold;
            other.Send(new long[] {fold}, 0, 1, MPI.LONG, to, 1);
        }
        long[] message = new long[1];
        for (int left = got.length; left > 0; left--) {
            int failed = 0;
            while (round % 2 == 0 && other.Iprobe(MPI.ANY_SOURCE, 1) == null) {
                failed++;
            }
            Status status = other.Recv(message, 0, 1, MPI.LONG, MPI.ANY_SOURCE, 1);
            kills.delivered();
            got[status.source] = 31 * got[status.source] + message[0];
            fold = 31 * fold + 7 * message[0] + status.source + failed;
        }
        own(1); // What was observed in the other job goes to the own one.
        if (round % COLLECTIVE_EACH == 0) {
            long[] all = new long[got.length];
            other.allGather(new long[] {fold}, 1, MPI.LONG, all, 1, MPI.LONG);
            fold = 31 * fold + Arrays.hashCode(all);
        }
    }

    private void own(int tag) {
        int size = MPI.COMM_WORLD.Size();
        int rank = MPI.COMM_WORLD.Rank();
        givenToNext = 31 * givenToNext + fold;
        MPI.COMM_WORLD.Send(new long[] {fold}, 0, 1, MPI.LONG, (rank + 1) % size, tag);
        long[] message = new long[1];
        MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, MPI.ANY_SOURCE, tag);
        kills.delivered();
        gotFromPrevious = 31 * gotFromPrevious + message[0];
        fold = 31 * fold + message[0];
    }

    private void compare() {
        long[] told = new long[1];
        for (int to = 0; to < given.length; to++) {
            other.Send(new long[] {given[to]}, 0, 1, MPI.LONG, to, 2);
        }
        for (int from = 0; from < got.length; from++) {
            other.Recv(told, 0, 1, MPI.LONG, from, 2);
            kills.delivered();
            require(told[0] == got[from], "rank " + from + " of the other job has given " + told[0] + ", got was " + got[from]);
        }
        int size = MPI.COMM_WORLD.Size();
        int rank = MPI.COMM_WORLD.Rank();
        MPI.COMM_WORLD.Send(new long[] {givenToNext}, 0, 1, MPI.LONG, (rank + 1) % size, 3);
        MPI.COMM_WORLD.Recv(told, 0, 1, MPI.LONG, (rank + size - 1) % size, 3);
        kills.delivered();
        require(told[0] == gotFromPrevious, "the rank before has given " + told[0] + ", got was " + gotFromPrevious);
    }

    private void merge(boolean high) {
        Intracomm both = other.merge(high);
        int[] ranks = new int[both.Size()];
        both.Allgather(new int[] {both.Rank()}, 0, 1, MPI.INT, ranks, 0, 1, MPI.INT);
        for (int rank = 0; rank < ranks.length; rank++) {
            require(ranks[rank] == rank, "merged " + Arrays.toString(ranks));
        }
        both.Free();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("rank " + MPI.COMM_WORLD.Rank() + ": " + what);
        }
    }
}
