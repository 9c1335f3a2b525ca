package org.posthouse.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import mpi.Intracomm;
import mpi.LocalRanks;
import mpi.MPIException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.LocalWorld;

/**
 * Every case at 1 to 8 ranks, on one site and on two. In the short form of the build (ADR 50) 3 ranks or more are on two
 * sites; in the long form each case runs in several orders of arrival.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ConformanceTest {
    private static final boolean IS_LONG = Boolean.getBoolean("posthouse.long");

    /** Processes have them at 4 in each build: the appliance's {@code ConformanceJobTest}. */
    private static final int[] SIZES = IS_LONG ? new int[] {1, 2, 3, 4, 8} : new int[] {1, 2, 3, 8};

    private static final int SEEDS = IS_LONG ? 2 : 1;

    static Stream<Arguments> cases() {
        return Cases.anywhere().stream()
                .flatMap(each -> IntStream.of(SIZES).mapToObj(size -> Arguments.of(each, size)));
    }

    @ParameterizedTest(name = "{0} at {1} ranks")
    @MethodSource("cases")
    void holds(Case each, int size) {
        for (int sites = IS_LONG || size < 3 ? 1 : 2; sites <= Math.min(2, size); sites++) {
            for (int seed = 1; seed <= SEEDS; seed++) {
                run(each, size, sites, seed);
            }
        }
    }

    private static void run(Case each, int size, int sites, int seed) {
        int[] siteOfRank = IntStream.range(0, size).map(rank -> rank * sites / size).toArray();
        try {
            LocalRanks.run(new LocalWorld(size).sites(siteOfRank).seed(seed), size, each::run);
        } catch (AssertionError e) {
            String where = each + " at " + size + " ranks on " + sites + " sites, seed " + seed;
            throw new AssertionError(where + ": " + e.getMessage(), e);
        }
    }

    @Test
    void jobsEndWithTheirStatus() {
        for (Case each : Cases.ending()) {
            for (int size : SIZES) {
                LocalWorld world = new LocalWorld(size);
                LocalRanks.run(world, size, comm -> runAsMain(each, comm));
                assertThat(world.abortStatus())
                        .as("status of %s at %d ranks", each, size)
                        .isEqualTo(Endings.status(each.method().getName()));
            }
        }
    }

    /** An error that nobody catches ends the job, as that of a main method does. */
    private static void runAsMain(Case each, Intracomm world) throws Exception {
        try {
            each.run(world);
        } catch (MPIException e) {
            world.Abort(Endings.FATAL);
        }
    }

    @Test
    void thereAreCases() {
        assertThat(Cases.anywhere()).hasSizeGreaterThan(150);
        assertThat(Cases.anywhere()).doesNotHaveDuplicates();
    }
}
