package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Worlds with followers, and with ranks that die for good, find faults that relays could have. */
final class PlantedFaultsTest {
    private static final int SEEDS_MAX = 200;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void faultOfARelayIsFound(PlantedFault fault) {
        int seed = 1;
        while (seed <= SEEDS_MAX && holds(fault.world(seed).plant(fault))) {
            seed++;
        }
        assertThat(seed).as("the first seed that finds %s", fault).isLessThanOrEqualTo(SEEDS_MAX);
        assertThat(holds(fault.world(seed))).as("without it, seed %s", seed).isTrue();
        System.out.println(fault + " is found by seed " + seed);
    }

    /** Whether nothing is found in this world. */
    private static boolean holds(CrashWorld world) {
        try {
            world.run();
            return true;
        } catch (RuntimeException | AssertionError e) {
            return false;
        }
    }
}
