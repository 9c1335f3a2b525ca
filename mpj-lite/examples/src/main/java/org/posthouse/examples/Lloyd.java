package org.posthouse.examples;

import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * Lloyd's algorithm on one rank's rows: assign every row to the nearest centroid, move every centroid to the mean of
 * its rows, until no row changes its cluster. A centroid that no row is nearest to stays where it is.
 *
 * <p>Confined to its rank. What a rank must know of the others' rows is the sum of {@link #tally}s, which the caller's
 * function gets; so the same code runs alone and in parallel.
 */
final class Lloyd {

    private final double[] rows;
    private final int columns;
    private final double[] centroids;
    private final int clusters;
    /** The cluster of each row; none is -1. */
    private final int[] clusterOf;
    /** For each cluster its rows' sums and how many they are; then the inertia, and how many rows changed. */
    private double[] tally;

    private int iterations;

    /**
     * Takes some rows and the first centroids, both row by row, {@code columns} values each; keeps the rows' array.
     */
    Lloyd(double[] rows, int columns, double[] seeds) {
        this.rows = rows;
        this.columns = columns;
        centroids = seeds.clone();
        clusters = seeds.length / columns;
        clusterOf = new int[rows.length / columns];
        Arrays.fill(clusterOf, -1);
        tally = new double[clusters * (columns + 1) + 2];
    }

    /**
     * Iterates until no row of anybody changes its cluster, or {@code iterationsMax} times.
     *
     * @param sum returns the element-wise sum of all ranks' arrays; the identity, for one rank
     */
    void run(int iterationsMax, UnaryOperator<double[]> sum) {
        assign(sum);
        while (tally[tally.length - 1] > 0 && iterations < iterationsMax) {
            moveCentroids();
            assign(sum);
        }
    }

    private void assign(UnaryOperator<double[]> sum) {
        tally = sum.apply(tally());
        iterations++;
    }

    /** Assigns the rows here; returns what they add to the tally of all. */
    private double[] tally() {
        double[] own = new double[tally.length];
        int moved = 0;
        double inertia = 0;
        for (int row = 0; row < clusterOf.length; row++) {
            int at = row * columns;
            int nearest = nearest(at);
            if (nearest != clusterOf[row]) {
                clusterOf[row] = nearest;
                moved++;
            }
            inertia += distance(at, nearest);
            int to = nearest * (columns + 1);
            for (int i = 0; i < columns; i++) {
                own[to + i] += rows[at + i];
            }
            own[to + columns]++;
        }
        own[own.length - 2] = inertia;
        own[own.length - 1] = moved;
        return own;
    }

    /** Of equally near ones the first. */
    private int nearest(int at) {
        int nearest = 0;
        double shortest = Double.POSITIVE_INFINITY;
        for (int cluster = 0; cluster < clusters; cluster++) {
            double distance = distance(at, cluster);
            if (distance < shortest) {
                shortest = distance;
                nearest = cluster;
            }
        }
        return nearest;
    }

    private double distance(int at, int cluster) {
        return squaredDistance(rows, at, centroids, cluster * columns, columns);
    }

    /** The squared distance of two points, each given by where its coordinates begin. */
    static double squaredDistance(double[] a, int atA, double[] b, int atB, int dimensions) {
        double sum = 0;
        for (int i = 0; i < dimensions; i++) {
            double difference = a[atA + i] - b[atB + i];
            sum += difference * difference;
        }
        return sum;
    }

    private void moveCentroids() {
        for (int cluster = 0; cluster < clusters; cluster++) {
            double count = size(cluster);
            for (int i = 0; i < columns && count > 0; i++) {
                centroids[cluster * columns + i] = tally[cluster * (columns + 1) + i] / count;
            }
        }
    }

    /** The centroids, row by row; not a copy. */
    double[] centroids() {
        return centroids;
    }

    int clusters() {
        return clusters;
    }

    /** How many rows of all ranks are nearest to a centroid. */
    long size(int cluster) {
        return (long) tally[cluster * (columns + 1) + columns];
    }

    /** The sum of the squared distances of all ranks' rows from their nearest centroids. */
    double inertia() {
        return tally[tally.length - 2];
    }

    /** Whether no row changed its cluster in the last iteration. */
    boolean isAtRest() {
        return tally[tally.length - 1] == 0;
    }

    int iterations() {
        return iterations;
    }
}
