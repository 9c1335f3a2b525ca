package org.posthouse.system.jobs;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.stream.IntStream;
import mpi.Group;
import mpi.MPI;
import mpi.MPIException;
import mpi.Status;

/**
 * Rank 0 gives tasks to the others, which die at set deliveries, or before Init at delivery 0 ({@code --on-failure blank}). Rank 0 does the tasks of the
 * dead. Arguments: the number of tasks, and {@link Kills}.
 */
public final class FarmsWithHoles {
    private static final int TAG = 1;
    private static final int NO_TASK = -1;
    private static final int KILLED = 137;

    private final int[] givenTo = new int[MPI.COMM_WORLD.Size()];
    private final Deque<Integer> tasks = new ArrayDeque<>();
    private final boolean[] isDead = new boolean[givenTo.length];
    private final boolean[] done;

    private FarmsWithHoles(int count) {
        done = new boolean[count];
        Arrays.fill(givenTo, NO_TASK);
        for (int task = 0; task < count; task++) {
            tasks.add(task);
        }
    }

    public static void main(String[] args) {
        if (args.length > 1 && Arrays.asList(args[1].split(";")).contains(System.getenv("POSTHOUSE_RANK") + ":0")) {
            Runtime.getRuntime().halt(KILLED);
        }
        String[] own = MPI.Init(args);
        if (MPI.COMM_WORLD.Rank() == 0) {
            new FarmsWithHoles(Integer.parseInt(own[0])).manage();
        } else {
            work(new Kills(own.length > 1 ? own[1] : "", MPI.COMM_WORLD.Rank()));
        }
        MPI.Finalize();
    }

    private static void work(Kills kills) {
        int[] task = new int[1];
        while (true) {
            MPI.COMM_WORLD.Recv(task, 0, 1, MPI.INT, 0, TAG);
            kills.delivered();
            if (task[0] == NO_TASK) {
                return;
            }
            MPI.COMM_WORLD.Send(task, 0, 1, MPI.INT, 0, TAG);
        }
    }

    private void manage() {
        for (int worker = 1; worker < givenTo.length; worker++) {
            give(worker);
        }
        while (Arrays.stream(givenTo).anyMatch(task -> task != NO_TASK)) {
            takeOne();
        }
        tasks.forEach(task -> done[task] = true); // Those of the dead.
        int whole = 0;
        for (boolean each : done) {
            whole += each ? 1 : 0;
        }
        System.out.println("did " + whole + " of " + done.length + " tasks; failed: " + MPI.COMM_WORLD.getFailed().Size());
    }

    private void takeOne() {
        int[] result = new int[1];
        try {
            Status status = MPI.COMM_WORLD.Recv(result, 0, 1, MPI.INT, MPI.ANY_SOURCE, TAG);
            done[result[0]] = true;
            givenTo[status.source] = NO_TASK;
            give(status.source);
        } catch (MPIException e) {
            requireDeath(e);
            Group failed = MPI.COMM_WORLD.getFailed();
            MPI.COMM_WORLD.ackFailed(failed.Size());
            int[] dead = Group.Translate_ranks(failed, IntStream.range(0, failed.Size()).toArray(), MPI.COMM_WORLD.Group());
            Arrays.stream(dead).forEach(this::takeBack);
        }
    }

    /** A worker may die before it is told that there is nothing more to do, or take the last task with it. */
    private void give(int worker) {
        Integer task = tasks.stream().filter(each -> ownerOf(each) == worker).findFirst().orElse(null);
        try {
            MPI.COMM_WORLD.Send(new int[] {task == null ? NO_TASK : task}, 0, 1, MPI.INT, worker, TAG);
            givenTo[worker] = task == null ? NO_TASK : task;
            tasks.remove(task);
        } catch (MPIException e) {
            requireDeath(e);
        }
    }

    /** Each worker has tasks of its own, so that it gets to the delivery at which it dies. */
    private int ownerOf(int task) {
        int owner = 1 + task % (givenTo.length - 1);
        return isDead[owner] ? NO_TASK : owner;
    }

    private void takeBack(int worker) {
        isDead[worker] = true;
        if (givenTo[worker] != NO_TASK) {
            tasks.add(givenTo[worker]);
            givenTo[worker] = NO_TASK;
        }
    }

    private static void requireDeath(MPIException e) {
        if (e.getErrorClass() != MPI.ERR_PROC_FAILED) {
            throw e;
        }
    }
}
