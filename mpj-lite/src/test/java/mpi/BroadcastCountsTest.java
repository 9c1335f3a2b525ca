package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.LocalWorld;

/** Broadcasts whose root sends less than the others take, each of which takes another number: whatever way the message goes, all get it. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BroadcastCountsTest {
    /** Ints: nothing; some; more than goes straight; less and more than a chain's first window; whole segments and one more. */
    private static final int[] COUNTS = {0, 1, 1024, 1025, 10_000, 16_384 * 9, 16_384 * 9 + 1};

    private static LocalWorld machine(int ranks, int sites, long seed) {
        int[] siteOf = new int[ranks];
        Arrays.setAll(siteOf, rank -> rank * sites / ranks);
        return new LocalWorld(ranks).sites(siteOf).seed(seed);
    }

    @Test
    void eachRankTakesAnotherNumber() {
        Random random = new Random(3);
        for (int ranks : Boolean.getBoolean("posthouse.long") ? new int[] {2, 3, 4, 5, 8, 16, 17, 20} : new int[] {2, 3, 5, 8, 17}) {
            for (int sites = 1; sites <= 3; sites += 2) {
                int root = random.nextInt(ranks);
                long seed = random.nextLong();
                Ranks.run(machine(ranks, Math.min(ranks, sites), seed), ranks, (world, rank) -> {
                    for (int count : COUNTS) {
                        int[] buffer = new int[rank == root ? count : count + 1];
                        Arrays.fill(buffer, rank == root ? count + 5 : -1);
                        int most = rank == root ? count : count + new int[] {0, 1, 900, 10_000, 1_000_000}[rank % 5];
                        world.Bcast(buffer, 0, most, MPI.INT, root);
                        assertThat(Arrays.stream(buffer, 0, count)).allMatch(value -> value == count + 5);
                        assertThat(Arrays.stream(buffer, count, buffer.length)).as("what did not come").allMatch(value -> value == -1);
                    }
                });
            }
        }
    }

    @Test
    void datatypesMayDifferToo() {
        Ranks.run(8, (world, rank) -> {
            Datatype column = Datatype.Vector(20_000, 1, 2, MPI.DOUBLE);
            for (int count : new int[] {3, 3_000, 20_000}) {
                double[] buffer = new double[40_000];
                Arrays.fill(buffer, rank == 2 ? 1 : 0);
                if (rank == 2) {
                    world.Bcast(buffer, 0, count, MPI.DOUBLE, 2);
                } else {
                    world.Bcast(buffer, 0, 1, column, 2);
                    assertThat(Arrays.stream(buffer).sum()).isEqualTo(count);
                    assertThat(buffer[2 * count - 2]).isOne();
                }
            }
        });
    }

    @Test
    void truncationFailsThatRankAndMayFailItsDescendants() {
        for (int count : new int[] {10, 3_000, 200_000}) {
            Ranks.run(8, (world, rank) -> {
                int[] buffer = new int[count];
                String failure = "";
                try {
                    world.Bcast(buffer, 0, rank == 4 ? count - 1 : count, MPI.INT, 0);
                } catch (MPIException e) {
                    failure = e.getMessage();
                }
                if (rank == 4) {
                    assertThat(failure).contains("message of " + count + " INT elements, expected at most " + (count - 1));
                } else {
                    assertThat(failure).matches("|.*the sender's own part in this call failed.*");
                }
                int[] sum = {1};
                world.Allreduce(sum, 0, sum, 0, 1, MPI.INT, MPI.SUM);
                assertThat(sum[0]).as("nobody waits, and nothing is left").isEqualTo(8);
            });
        }
    }

    @Test
    void anotherTypeEndsItToo() {
        for (int count : new int[] {10, 3_000, 200_000}) {
            Ranks.run(8, (world, rank) -> {
                String failure = "";
                try {
                    world.Bcast(rank == 4 ? new long[count] : new int[count], 0, count, rank == 4 ? MPI.LONG : MPI.INT, 0);
                } catch (MPIException e) {
                    failure = e.getMessage();
                }
                assertThat(failure).matches(rank == 4 ? ".*message of " + count + " INT elements, expected LONG.*" : "|.*own part in this call failed.*");
                world.Barrier();
            });
        }
    }
}
