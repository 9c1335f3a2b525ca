package org.posthouse.bench.detectors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.detector.DetectorProtocol;

/** Worlds with trouble and without, for all protocols. A world is the same for a seed. */
class DetectorWorldTest {
    private static final boolean IS_LONG = Boolean.getBoolean("posthouse.long");
    private static final long PERIOD_NANOS = 500_000_000;
    private static final NetworkConditions QUIET = new NetworkConditions(3, 50_000_000, 0, 0, 0, 1e-4);

    /** Each message may be lost, and each host and relay stands still for 2 s each 100 s. */
    private static final NetworkConditions TROUBLED = new NetworkConditions(3, 50_000_000, 0.01, 2_000_000_000, TimeUnit.SECONDS.toNanos(100), 1e-4);

    private static DetectorWorld run(DetectorProtocol protocol, int hosts, NetworkConditions conditions, long seconds, long seed) {
        DetectorWorld world = new DetectorWorld(protocol, hosts, PERIOD_NANOS, conditions, seed);
        world.runTo(TimeUnit.SECONDS.toNanos(seconds));
        return world;
    }

    @ParameterizedTest
    @EnumSource(value = DetectorProtocol.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void nobodyIsSuspectedWhereNothingIsLost(DetectorProtocol protocol) {
        for (int hosts : IS_LONG ? new int[] {2, 3, 16, 100} : new int[] {2, 3, 16}) {
            DetectorWorld world = run(protocol, hosts, QUIET, 300, hosts);
            assertThat(world.falseSuspicions()).as("%d hosts", hosts).isZero();
            assertThat(world.messages()).as("%d hosts", hosts).isGreaterThan(hosts * 590L);
        }
    }

    @ParameterizedTest
    @EnumSource(value = DetectorProtocol.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void noVerdictIsFalseUnderLossPausesAndDrift(DetectorProtocol protocol) {
        long suspicions = 0;
        for (int hosts : new int[] {2, 5, 16}) {
            DetectorWorld world = run(protocol, hosts, TROUBLED, IS_LONG ? 10_000 : 3_000, hosts);
            assertThat(world.falseVerdicts()).as("%d hosts", hosts).isZero();
            suspicions += world.suspicions();
        }
        assertThat(suspicions).as("the trouble is enough to raise suspicions").isPositive();
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(value = DetectorProtocol.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void noVerdictIsFalseInAMillionSeconds(DetectorProtocol protocol) {
        for (int hosts : new int[] {4, 12}) {
            assertThat(run(protocol, hosts, TROUBLED, 500_000, hosts).falseVerdicts()).as("%d hosts", hosts).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"RANDOM, 16", "RR, 16", "RR, 60", "BRR, 2", "BRR, 16", "BRR, 60", "DBRR, 16", "DBRR, 60"})
    void aDeadHostIsFoundWithinTheBound(DetectorProtocol protocol, int hosts) {
        DetectionFigure figure = new DetectionFigure(protocol, hosts, PERIOD_NANOS, QUIET);
        for (int seed = 0; seed < 15; seed++) {
            figure.run(DetectorPlan.KILL_NANOS, seed);
        }
        assertThat(figure.missed()).isZero();
        assertThat(figure.falseVerdicts()).isZero();
        assertThat(figure.detectionSeconds()).allSatisfy(
                seconds -> assertThat(seconds).isBetween(figure.predictedSeconds(), figure.boundSeconds()));
        assertThat(figure.withinShare()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(value = DetectorProtocol.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void twoDeathsAreFoundInTrouble(DetectorProtocol protocol) {
        DetectorWorld world = run(protocol, 20, TROUBLED, 50, 7);
        world.kill(3);
        world.kill(11);
        world.runTo(TimeUnit.SECONDS.toNanos(100));
        assertThat(world.removed()).containsExactlyInAnyOrder(3, 11);
        world.kill(5);
        world.runTo(TimeUnit.SECONDS.toNanos(300));
        assertThat(world.removed()).as("in the smaller ring").containsExactlyInAnyOrder(3, 5, 11);
        assertThat(world.falseVerdicts()).isZero();
    }
}
