package org.posthouse.examples;

import mpi.Intracomm;
import mpi.MPI;

/**
 * Ranks the keys of all ranks of a communicator: the heart of NAS IS.
 *
 * <p>Confined to its rank; all ranks must call {@link #rankKeys} together. Keys go into buckets by their high bits,
 * each rank is given neighbouring buckets with about its share of the keys, the keys travel there, and every rank
 * counts what it got.
 */
final class KeySorter {

    private final IsClass problem;
    private final Intracomm comm;
    private final int rank;
    private final int size;
    private final IsKeys keys;
    private final int[] bucketed;
    private int[] received = new int[0];

    KeySorter(IsClass problem, Intracomm comm) {
        this.problem = problem;
        this.comm = comm;
        rank = comm.Rank();
        size = comm.Size();
        keys = new IsKeys(problem, rank, size);
        bucketed = new int[keys.array().length];
    }

    /** The keys this rank started with, as the last iteration left them. */
    int[] keys() {
        return keys.array();
    }

    /**
     * One iteration, counted from 1: alters the keys, then ranks them all.
     *
     * @param testKeys receives the values of the test keys, on every rank
     */
    RankedKeys rankKeys(int iteration, int[] testKeys) {
        keys.alter(iteration);

        // The test keys travel behind the bucket counts: only their holder adds something other than 0.
        int buckets = problem.buckets();
        int[] counts = new int[buckets + IsClass.TESTS];
        fillBuckets(counts);
        for (int test = 0; test < IsClass.TESTS; test++) {
            if (keys.holds(problem.testIndex(test))) {
                counts[buckets + test] = keys.at(problem.testIndex(test));
            }
        }
        int[] totals = new int[counts.length];
        comm.Allreduce(counts, 0, totals, 0, counts.length, MPI.INT, MPI.SUM);
        System.arraycopy(totals, buckets, testKeys, 0, IsClass.TESTS);

        int[] firstBucket = shareBuckets(totals, buckets, size);
        int count = exchange(counts, firstBucket);
        int min = firstBucket[rank] << problem.bucketShift();
        int max = firstBucket[rank + 1] << problem.bucketShift();
        return new RankedKeys(received, count, min, max, sum(totals, 0, firstBucket[rank]));
    }

    /** Counts the keys of each bucket and lays them out bucket by bucket. */
    private void fillBuckets(int[] counts) {
        int shift = problem.bucketShift();
        for (int key : keys.array()) {
            counts[key >> shift]++;
        }
        int[] place = new int[problem.buckets()];
        for (int bucket = 1; bucket < place.length; bucket++) {
            place[bucket] = place[bucket - 1] + counts[bucket - 1];
        }
        for (int key : keys.array()) {
            bucketed[place[key >> shift]++] = key;
        }
    }

    /** Sends every key to the rank that has its bucket; returns how many keys came here. */
    private int exchange(int[] counts, int[] firstBucket) {
        int[] sendCounts = new int[size];
        for (int to = 0; to < size; to++) {
            sendCounts[to] = sum(counts, firstBucket[to], firstBucket[to + 1]);
        }
        int[] receiveCounts = new int[size];
        comm.Alltoall(sendCounts, 0, 1, MPI.INT, receiveCounts, 0, 1, MPI.INT);

        int count = sum(receiveCounts, 0, size);
        if (received.length < count) {
            received = new int[count + count / 16];
        }
        comm.Alltoallv(
                bucketed, 0, sendCounts, displacements(sendCounts), MPI.INT,
                received, 0, receiveCounts, displacements(receiveCounts), MPI.INT);
        return count;
    }

    /**
     * Gives every rank neighbouring buckets: a rank takes buckets until all ranks up to it have their share of keys.
     * Rank r gets the buckets {@code [result[r], result[r + 1])}; with more ranks than buckets the last get none.
     */
    static int[] shareBuckets(int[] totals, int buckets, int size) {
        long keys = sum(totals, 0, buckets);
        int[] firstBucket = new int[size + 1];
        int rank = 0;
        long taken = 0;
        for (int bucket = 0; bucket < buckets; bucket++) {
            taken += totals[bucket];
            if (rank < size - 1 && taken * size >= keys * (rank + 1)) {
                rank++;
                firstBucket[rank] = bucket + 1;
            }
        }
        while (rank < size) {
            rank++;
            firstBucket[rank] = buckets;
        }
        return firstBucket;
    }

    private static int[] displacements(int[] counts) {
        int[] displacements = new int[counts.length];
        for (int i = 1; i < counts.length; i++) {
            displacements[i] = displacements[i - 1] + counts[i - 1];
        }
        return displacements;
    }

    private static int sum(int[] values, int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            sum += values[i];
        }
        return sum;
    }
}
