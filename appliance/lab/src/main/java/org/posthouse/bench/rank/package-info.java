/**
 * The program of the ranks of a bench, and its connection to the driver. It has the tests
 * ({@link org.posthouse.bench.rank.Benchmark}), the operations that perform and verify them, and the phases that
 * {@link org.posthouse.bench.rank.RankLine} asks for. Operations belong to the rank's thread, a line to the driver's.
 */
package org.posthouse.bench.rank;
