package org.posthouse.examples;

import mpi.MPI;

/**
 * NAS IS, the integer sort: little arithmetic, and every rank sends to every other one in each iteration.
 *
 * <p>Ten iterations find the rank of every key: how many keys are smaller. Five ranks are compared with published ones
 * each time. After the last iteration the keys are put in order, and two things are checked: that they ascend, also
 * from one rank to the next, and that they are still the keys that were there before.
 *
 * <p>Arguments: {@code [class]}, S (2¹⁶ keys, the default), W (2²⁰) or A (2²³). Any number of ranks will do.
 */
public final class NasIs {

    private static final int ROOT = 0;
    private static final int TAG_LARGEST = 1000;

    private NasIs() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        IsClass problem = Arguments.sharedProblemClass("nas-is", MPI.Init(args), IsClass.S);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();

        KeySorter sorter = new KeySorter(problem, MPI.COMM_WORLD);
        int[] testKeys = new int[IsClass.TESTS];
        RankedKeys ranked = sorter.rankKeys(1, testKeys); // not timed: warms up code and connections

        Stopwatch watch = Stopwatch.start(MPI.COMM_WORLD);
        int passed = 0;
        for (int iteration = 1; iteration <= IsClass.ITERATIONS; iteration++) {
            ranked = sorter.rankKeys(iteration, testKeys);
            passed += partialVerification(problem, iteration, testKeys, ranked);
        }
        double seconds = watch.slowest();

        boolean verified = fullVerification(problem, passed, ranked.sorted(), sorter.keys(), rank, size);
        if (rank == ROOT) {
            double operations = (double) IsClass.ITERATIONS * problem.keys();
            Report.nas("IS", problem, problem.keys(), size, seconds, operations);
            Report.verdict(verified);
        }
        MPI.Finalize();
    }

    /** Compares the ranks of those test keys that are here with the published ones; returns how many agree. */
    private static int partialVerification(IsClass problem, int iteration, int[] testKeys, RankedKeys ranked) {
        int passed = 0;
        for (int test = 0; test < testKeys.length; test++) {
            if (!ranked.covers(testKeys[test])) {
                continue;
            }
            long actual = ranked.rankOf(testKeys[test]);
            long expected = problem.expectedRank(test, iteration);
            if (actual == expected) {
                passed++;
            } else {
                Report.line("iteration %d, test key %d: rank is %d, expected %d", iteration, test, actual, expected);
            }
        }
        return passed;
    }

    /** Adds up what all ranks found; the answer is true on rank 0 only, and only if everything is right everywhere. */
    private static boolean fullVerification(
            IsClass problem, int passed, int[] sorted, int[] keys, int rank, int size) {
        long[] found = {
            passed + (isInOrder(sorted, rank, size) ? 1 : 0),
            sorted.length,
            RankedKeys.fingerprint(sorted) - RankedKeys.fingerprint(keys)
        };
        long[] total = new long[found.length];
        MPI.COMM_WORLD.Reduce(found, 0, total, 0, found.length, MPI.LONG, MPI.SUM, ROOT);
        return rank == ROOT
                && total[0] == IsClass.TESTS * IsClass.ITERATIONS + size
                && total[1] == problem.keys()
                && total[2] == 0;
    }

    /** Whether this rank's keys ascend and none is below those of earlier ranks; the largest is handed to the right. */
    private static boolean isInOrder(int[] sorted, int rank, int size) {
        int[] largest = {0};
        if (rank > 0) {
            MPI.COMM_WORLD.Recv(largest, 0, 1, MPI.INT, rank - 1, TAG_LARGEST);
        }
        boolean inOrder = RankedKeys.isAscending(sorted, largest[0]);
        if (sorted.length > 0) {
            largest[0] = sorted[sorted.length - 1];
        }
        if (rank < size - 1) {
            MPI.COMM_WORLD.Send(largest, 0, 1, MPI.INT, rank + 1, TAG_LARGEST);
        }
        return inOrder;
    }
}
