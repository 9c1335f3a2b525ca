package org.posthouse.detector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RoundScheduleTest {
    private static final RandomGenerator NONE = null;

    @Test
    void destinationsAreThoseOfTheChapter() {
        assertThat(destinations(DetectorProtocol.RR, 5, 3)).containsExactly(4, 0, 1, 2);
        assertThat(destinations(DetectorProtocol.BRR, 16, 15)).containsExactly(0, 1, 3, 7);
        assertThat(destinations(DetectorProtocol.DBRR, 6, 1)).containsExactly(2, 3, 5, 0, 5, 3);
        assertThat(destinations(DetectorProtocol.BRR, 1, 0)).containsExactly(0);
    }

    private static int[] destinations(DetectorProtocol protocol, int hosts, int place) {
        RoundSchedule schedule = new RoundSchedule(protocol, hosts);
        return IntStream.range(0, schedule.cycle()).map(round -> schedule.destination(place, round, NONE)).toArray();
    }

    @Test
    void aRandomDestinationIsAnyOtherHost() {
        RoundSchedule schedule = new RoundSchedule(DetectorProtocol.RANDOM, 4);
        RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
        Set<Integer> drawn = new TreeSet<>();
        for (int i = 0; i < 1_000; i++) {
            drawn.add(schedule.destination(2, i, random));
        }
        assertThat(drawn).containsExactly(0, 1, 3);
    }

    @Test
    void theWorstRoundOfRoundRobinTakesLongerThanTheChaptersFormula() {
        assertThat(worst(DetectorProtocol.RR, 16)).isEqualTo(7);
        assertThat(worst(DetectorProtocol.RR, 32)).isEqualTo(11);
        assertThat(worst(DetectorProtocol.RR, 64)).isEqualTo(15);
        assertThat(worst(DetectorProtocol.RR, 128)).isEqualTo(22);
    }

    private static int worst(DetectorProtocol protocol, int hosts) {
        RoundSchedule schedule = new RoundSchedule(protocol, hosts);
        return IntStream.range(0, schedule.cycle()).map(first -> spreadRounds(schedule, hosts, first)).max().orElseThrow();
    }

    /**
     * Rounds that a beat takes to all hosts if it is sent first in this round. All hosts do the same, so one source stands for all: the set of hosts
     * that know its beat is a number of n bits, and a round rotates it.
     */
    private static int spreadRounds(RoundSchedule schedule, int hosts, int first) {
        BigInteger all = BigInteger.ONE.shiftLeft(hosts).subtract(BigInteger.ONE);
        BigInteger known = BigInteger.ONE;
        int rounds = 0;
        while (!known.equals(all)) {
            int distance = schedule.destination(0, (long) first + rounds, NONE);
            known = known.or(known.shiftLeft(distance)).or(known.shiftRight(hosts - distance)).and(all);
            rounds++;
        }
        return rounds;
    }

    @Test
    void binaryRoundRobinReachesAllHostsInLogarithmicTimeFromAnyRound() {
        for (int hosts = 2; hosts <= 300; hosts++) {
            int log = Integer.SIZE - Integer.numberOfLeadingZeros(hosts - 1);
            assertThat(worst(DetectorProtocol.BRR, hosts)).as("BRR of %d", hosts).isEqualTo(log);
            assertThat(worst(DetectorProtocol.DBRR, hosts)).as("DBRR of %d", hosts).isLessThanOrEqualTo(log);
        }
    }

    @Test
    void cleanupTimesCoverTheWorstRound() {
        assertThat(cleanup(DetectorProtocol.BRR, 256, true)).isEqualTo(16);
        assertThat(cleanup(DetectorProtocol.BRR, 256, false)).isEqualTo(24);
        assertThat(cleanup(DetectorProtocol.DBRR, 256, true)).isEqualTo(24);
        assertThat(cleanup(DetectorProtocol.RANDOM, 256, true)).isEqualTo(22);
        for (int hosts = 2; hosts <= 300; hosts++) {
            assertRoundRobinIsCovered(hosts);
        }
    }

    /** All numbers to 4,096 were tried once, by another program. */
    @Tag("long")
    @Test
    void thatOfRoundRobinDoesSoForThousandsOfHosts() {
        for (int hosts = 301; hosts <= 4_096; hosts += 37) {
            assertRoundRobinIsCovered(hosts);
        }
    }

    private static void assertRoundRobinIsCovered(int hosts) {
        assertThat(cleanup(DetectorProtocol.RR, hosts, true)).as("RR of %d", hosts).isGreaterThanOrEqualTo(worst(DetectorProtocol.RR, hosts));
    }

    private static int cleanup(DetectorProtocol protocol, int hosts, boolean commonClock) {
        return new RoundSchedule(protocol, hosts).cleanupRounds(commonClock);
    }

    @Test
    void cleanupIsAtLeastThreeRoundsAndFourDelays() {
        RoundSchedule two = new RoundSchedule(DetectorProtocol.BRR, 2);
        assertThat(two.cleanupNanos(500, 0, true)).isEqualTo(1_500);
        assertThat(two.cleanupNanos(500, 100, true)).isEqualTo(1_900);
        assertThat(new RoundSchedule(DetectorProtocol.BRR, 256).cleanupNanos(500, 100, true)).isEqualTo(8_000);
    }

    @Test
    void aWordThatIsNoDetectorIsRefusedWithTheNames() {
        assertThat(DetectorProtocol.of("dbrr")).isEqualTo(DetectorProtocol.DBRR);
        assertThatThrownBy(() -> DetectorProtocol.of("phi")).hasMessage(
                "\"phi\" is no failure detector, expected one of random, rr, brr, dbrr, swim, none");
    }
}
