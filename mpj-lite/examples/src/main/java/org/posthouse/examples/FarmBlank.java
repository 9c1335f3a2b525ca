package org.posthouse.examples;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import mpi.Group;
import mpi.MPI;
import mpi.MPIException;
import mpi.Status;

/**
 * A manager that gives tasks to workers of which some may die: their tasks go to others, and the ranks keep their numbers. For {@code posthouse run
 * --on-failure blank}.
 *
 * <p>The manager takes results from whichever worker is first. When a worker has died, that receive ends with ERR_PROC_FAILED; the manager
 * acknowledges the failure, takes the task back, and receives from the others. If all workers have died it does the rest alone. Each task is to
 * count the steps of the Collatz sequence from a number to 1; the manager compares the sum with its own.
 *
 * <p>Arguments: {@code [tasks] [deaths]}, 200 tasks and no death if not given. So many workers, the last ones, end themselves at their first task.
 */
public final class FarmBlank {
    private static final int MANAGER = 0;
    private static final int TAG_TASK = 1;
    private static final int TAG_RESULT = 2;
    private static final long NO_TASK = 0;
    private static final int KILLED = 137;

    private final Deque<Long> tasks = new ArrayDeque<>();
    private final Map<Integer, Long> givenTo = new HashMap<>();
    private long sum;
    private int acknowledged;

    private FarmBlank(int count) {
        for (long task = 1; task <= count; task++) {
            tasks.add(task);
        }
    }

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        Arguments given = new Arguments("farm-blank", MPI.Init(args));
        int size = MPI.COMM_WORLD.Size();
        int count = (int) given.number(0, "tasks", 200, 1, 10_000_000);
        int deaths = (int) given.number(1, "deaths", 0, 0, size - 1);
        if (MPI.COMM_WORLD.Rank() == MANAGER) {
            new FarmBlank(count).manage(count, size);
        } else {
            work(size - MPI.COMM_WORLD.Rank() <= deaths);
        }
        MPI.Finalize();
    }

    private void manage(int count, int size) {
        for (int worker = 1; worker < size; worker++) {
            give(worker);
        }
        while (!givenTo.isEmpty()) {
            takeResult();
        }
        int lost = MPI.COMM_WORLD.getFailed().Size();
        while (!tasks.isEmpty()) {
            sum += steps(tasks.remove());
        }
        for (int worker = 1; worker < size; worker++) {
            trySend(NO_TASK, worker);
        }
        long expected = 0;
        for (long task = 1; task <= count; task++) {
            expected += steps(task);
        }
        Report.line("%d tasks, %d workers at the start, %d of them dead at the end", count, size - 1, lost);
        Report.verdict(sum == expected);
    }

    /** Gives a worker the next task, if there is one. */
    private void give(int worker) {
        Long task = tasks.poll();
        if (task != null && trySend(task, worker)) {
            givenTo.put(worker, task);
        } else if (task != null) {
            tasks.add(task);
        }
    }

    /** False if the worker is known to be dead. */
    private static boolean trySend(long task, int worker) {
        try {
            MPI.COMM_WORLD.Send(new long[] {task}, 0, 1, MPI.LONG, worker, TAG_TASK);
            return true;
        } catch (MPIException e) {
            requireFailure(e);
            return false;
        }
    }

    private void takeResult() {
        long[] result = new long[1];
        try {
            Status status = MPI.COMM_WORLD.Recv(result, 0, 1, MPI.LONG, MPI.ANY_SOURCE, TAG_RESULT);
            if (givenTo.remove(status.source) != null) {
                sum += result[0];
            }
            give(status.source);
        } catch (MPIException e) {
            requireFailure(e);
            takeBack();
        }
    }

    /** Tasks of the workers that have died go to those that have none. */
    private void takeBack() {
        int[] failed = failedRanks();
        for (int index = acknowledged; index < failed.length; index++) {
            Long task = givenTo.remove(failed[index]);
            if (task != null) {
                tasks.addFirst(task);
            }
        }
        acknowledged = MPI.COMM_WORLD.ackFailed(failed.length);
        for (int worker = 1; worker < MPI.COMM_WORLD.Size(); worker++) {
            if (!givenTo.containsKey(worker)) {
                give(worker);
            }
        }
    }

    private static int[] failedRanks() {
        Group failed = MPI.COMM_WORLD.getFailed();
        int[] all = new int[failed.Size()];
        for (int index = 0; index < all.length; index++) {
            all[index] = index;
        }
        return Group.Translate_ranks(failed, all, MPI.COMM_WORLD.Group());
    }

    private static void requireFailure(MPIException e) {
        if (e.getErrorClass() != MPI.ERR_PROC_FAILED) {
            throw e;
        }
    }

    /** @param endsItself whether this worker ends itself at its first task, which each one is sure to get */
    private static void work(boolean endsItself) {
        long[] task = new long[1];
        while (true) {
            MPI.COMM_WORLD.Recv(task, 0, 1, MPI.LONG, MANAGER, TAG_TASK);
            if (task[0] == NO_TASK) {
                return;
            }
            if (endsItself) {
                Runtime.getRuntime().halt(KILLED);
            }
            MPI.COMM_WORLD.Send(new long[] {steps(task[0])}, 0, 1, MPI.LONG, MANAGER, TAG_RESULT);
        }
    }

    /** Steps from a number to 1. */
    private static long steps(long number) {
        long steps = 0;
        for (long at = number; at != 1; steps++) {
            at = at % 2 == 0 ? at / 2 : 3 * at + 1;
        }
        return steps;
    }
}
