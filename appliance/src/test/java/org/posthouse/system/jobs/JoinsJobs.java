package org.posthouse.system.jobs;

import java.util.Arrays;
import mpi.Checkpoint;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;

/**
 * Two jobs that meet at a published port. "serve SERVICE GROUPS" accepts so many groups, one after another; "hold SERVICE GROUPS" does nothing with the
 * last one, and waits in its own job for a message that never comes; "visit SERVICE" connects, exchanges
 * messages in each way that there is, and disconnects; "stay SERVICE" connects, sends a message and waits for one that never comes, and tells what
 * its receive said; "leave SERVICE" connects, and calls Finalize without a disconnect. "take SERVICE" accepts one that stays, and receives its message
 * when it was told that the other job has ended; "part SERVICE" accepts one that stays, and disconnects at once.
 */
public final class JoinsJobs {
    /** More than is sent at once: its bytes leave when the receive is posted. */
    private static final int LONG_MESSAGE = 3 << 20;

    private static final int LAST_WORD = 98;

    private JoinsJobs() {}

    public static void main(String[] args) throws InterruptedException {
        String[] own = MPI.Init(args);
        switch (own[0]) {
            case "serve" -> serve(own[1], Integer.parseInt(own[2]), false);
            case "hold" -> serve(own[1], Integer.parseInt(own[2]), true);
            case "visit" -> visit(own[1]);
            case "leave" -> exchange(MPI.COMM_WORLD.connect(port(own[1]), 0), false);
            case "stay" -> stay(own[1]);
            case "take" -> take(accepted(own[1]));
            case "part" -> accepted(own[1]).disconnect();
            default -> throw new IllegalArgumentException(own[0]);
        }
        MPI.Finalize();
        System.out.println("Verification: SUCCESSFUL");
    }

    private static void serve(String service, int groups, boolean holdsLast) {
        boolean isRoot = MPI.COMM_WORLD.Rank() == 0;
        String port = isRoot ? Intracomm.openPort() : null;
        if (isRoot) {
            Intracomm.publishName(service, port);
        }
        for (int group = 0; group < groups; group++) {
            Intercomm visitor = MPI.COMM_WORLD.accept(port, 0);
            if (holdsLast && group == groups - 1) {
                MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 99); // In its own job, which ends by itself.
            }
            exchange(visitor, true);
            if (group % 2 == 0) {
                visitor.disconnect();
            }
        }
        if (isRoot) {
            Intracomm.unpublishName(service, port);
            Intracomm.closePort(port);
        }
    }

    /** A checkpoint is refused meanwhile: an image has one history's position. */
    private static void visit(String service) {
        Checkpoint checkpoint = Checkpoint.open();
        checkpoint.restored();
        Intercomm server = MPI.COMM_WORLD.connect(port(service), 0);
        exchange(server, false);
        try {
            checkpoint.point();
            throw new IllegalStateException("a checkpoint was taken in a joint job");
        } catch (MPIException e) {
            require(e.getMessage().contains("a joint job is open"), e.getMessage());
        }
        server.disconnect();
        checkpoint.point();
    }

    private static void stay(String service) {
        Intercomm server = MPI.COMM_WORLD.connect(port(service), 0);
        for (int to = 0; to < server.Remote_size(); to++) {
            server.Send(new int[] {server.Rank()}, 0, 1, MPI.INT, to, LAST_WORD);
        }
        System.out.println("connected");
        System.out.flush();
        awaitEnd(server);
        int[] sum = new int[1];
        MPI.COMM_WORLD.Allreduce(new int[] {1}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
        require(sum[0] == MPI.COMM_WORLD.Size(), "the own job goes on");
    }

    private static void awaitEnd(Intercomm other) {
        try {
            other.Recv(new int[1], 0, 1, MPI.INT, 0, 99);
            throw new IllegalStateException("a message has come that nobody has sent");
        } catch (MPIException e) {
            System.out.println("rank " + MPI.COMM_WORLD.Rank() + " was told: " + e.getMessage());
        }
    }

    private static Intercomm accepted(String service) {
        String port = MPI.COMM_WORLD.Rank() == 0 ? Intracomm.openPort() : null;
        if (port != null) {
            Intracomm.publishName(service, port);
        }
        return MPI.COMM_WORLD.accept(port, 0);
    }

    private static void take(Intercomm other) {
        awaitEnd(other);
        for (int from = 0; from < other.Remote_size(); from++) {
            int[] word = {-1};
            other.Recv(word, 0, 1, MPI.INT, from, LAST_WORD);
            require(word[0] == from, "the last word of rank " + from + ": " + word[0]);
        }
    }

    /** The port that the service is published for; waits until it is. */
    private static String port(String service) {
        if (MPI.COMM_WORLD.Rank() != 0) {
            return null;
        }
        while (true) {
            try {
                return Intracomm.lookupName(service);
            } catch (MPIException e) {
                if (e.getErrorClass() != MPI.ERR_NAME) {
                    throw e;
                }
                sleep();
            }
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void exchange(Intercomm other, boolean isServer) {
        pointToPoint(other);
        crossing(other);
        collectives(other, isServer);
        merged(other, isServer);
    }

    /** Each process sends to all of the other group, and receives from any of it. */
    private static void pointToPoint(Intercomm other) {
        int size = other.Remote_size();
        for (int to = 0; to < size; to++) {
            other.Send(new int[] {other.Rank(), to}, 0, 2, MPI.INT, to, 1);
        }
        boolean[] heard = new boolean[size];
        for (int from = 0; from < size; from++) {
            int[] message = new int[2];
            Status status = other.Recv(message, 0, 2, MPI.INT, MPI.ANY_SOURCE, 1);
            require(message[0] == status.source && message[1] == other.Rank() && !heard[status.source], "message of " + status.source);
            heard[status.source] = true;
        }
    }

    /** A long message to the other job moves while this process waits in a call of its own, and one of its own while it waits there. */
    private static void crossing(Intercomm other) {
        byte[] sent = new byte[LONG_MESSAGE];
        Arrays.fill(sent, (byte) 7);
        byte[] got = new byte[LONG_MESSAGE];
        int peer = other.Rank() % other.Remote_size();
        Request there = peer == other.Rank() ? other.Isend(sent, 0, sent.length, MPI.BYTE, peer, 2) : null;
        MPI.COMM_WORLD.Barrier();
        int next = (MPI.COMM_WORLD.Rank() + 1) % MPI.COMM_WORLD.Size();
        Request here = MPI.COMM_WORLD.Isend(sent, 0, sent.length, MPI.BYTE, next, 2);
        if (there != null) {
            other.Recv(got, 0, got.length, MPI.BYTE, peer, 2);
            require(Arrays.equals(sent, got), "the long message");
        }
        Request in = MPI.COMM_WORLD.Irecv(got, 0, got.length, MPI.BYTE, MPI.ANY_SOURCE, 2);
        Request[] all = {there, here, in};
        Status first = Request.Waitany(all);
        require(first.index >= 0, "one of both jobs' requests");
        Request.Waitall(all);
        require(Arrays.equals(sent, got), "the long message of the own job");
    }

    private static void collectives(Intercomm other, boolean isServer) {
        int[] all = new int[other.Remote_size()];
        other.allGather(new int[] {100 + other.Rank()}, 1, MPI.INT, all, 1, MPI.INT);
        for (int rank = 0; rank < all.length; rank++) {
            require(all[rank] == 100 + rank, "gathered " + Arrays.toString(all));
        }
        int[] told = {isServer && other.Rank() == 0 ? 42 : 0};
        int root = isServer ? other.Rank() == 0 ? MPI.ROOT : MPI.PROC_NULL : 0;
        other.bcast(told, 1, MPI.INT, root);
        require(isServer || told[0] == 42, "told " + told[0]);
        other.barrier();
    }

    private static void merged(Intercomm other, boolean isServer) {
        Intracomm both = other.merge(!isServer);
        int size = other.Size() + other.Remote_size();
        int[] ranks = new int[size];
        both.Allgather(new int[] {both.Rank()}, 0, 1, MPI.INT, ranks, 0, 1, MPI.INT);
        for (int rank = 0; rank < size; rank++) {
            require(ranks[rank] == rank, "merged " + Arrays.toString(ranks));
        }
        try {
            mpi.Group.Union(both.Group(), MPI.COMM_WORLD.Group());
            throw new IllegalStateException("groups of two jobs were united");
        } catch (MPIException e) {
            require(e.getErrorClass() == MPI.ERR_GROUP, e.getMessage());
        }
        both.Free();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("rank " + MPI.COMM_WORLD.Rank() + ": " + what);
        }
    }
}
