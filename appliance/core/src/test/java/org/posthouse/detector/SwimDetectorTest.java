package org.posthouse.detector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.DetectorMessage;
import org.posthouse.wire.DetectorMessage.State;
import org.posthouse.wire.DetectorMessage.Update;

/** Host 0 of six, with a period of 500 ms. */
class SwimDetectorTest {
    private final RecordedPort port = new RecordedPort();
    private final Detector detector = Detector.of(
            new DetectorSettings(DetectorProtocol.SWIM, 0, nanos(500), 0, true), port, RandomGeneratorFactory.of("L64X128MixRandom").create(1));

    SwimDetectorTest() {
        detector.origin(0);
        detector.view(0, new int[] {0, 1, 2, 3, 4, 5});
    }

    private static long nanos(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private static Update suspect(int host, long incarnation, int by) {
        return new Update(host, State.SUSPECT, incarnation, by);
    }

    /** Answers each probe at once, except of a silent host. @return the hosts that were probed */
    private Set<Integer> runTo(long ms, int silent) {
        Set<Integer> probed = new HashSet<>();
        while (TimeUnit.NANOSECONDS.toMillis(detector.wakeNanos()) <= ms) {
            long now = detector.wakeNanos();
            detector.tick(now);
            for (RecordedPort.Sent sent : port.takeSent(DetectorMessage.Ping.class)) {
                probed.add(sent.to());
                if (sent.to() != silent) {
                    detector.onMessage(sent.to(), new DetectorMessage.Ack(((DetectorMessage.Ping) sent.message()).number(), sent.to(), List.of()), now);
                }
            }
        }
        return probed;
    }

    @Test
    void probesEachMemberOnceInARoundOfTheList() {
        assertThat(runTo(2_400, -1)).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
        assertThat(port.takeWords()).isEmpty();
    }

    @Test
    void aSilentMemberIsSuspectedAndItsRelayIsAskedWhenNobodyRefutes() {
        runTo(3_500, 3);
        assertThat(port.takeWords()).containsExactly("suspected 3");
        for (int by : new int[] {1, 2}) {
            detector.onMessage(by, new DetectorMessage.Ping(1, List.of(suspect(3, 0, by))), nanos(3_500));
        }
        runTo(6_000, 3);
        assertThat(port.takeWords()).as("two confirmations shorten 12 s to 2 s").containsExactly("ask 3");
    }

    @Test
    void withoutConfirmationTheTimeIsSixTimesAsLong() {
        runTo(12_000, 3);
        assertThat(port.takeWords()).containsExactly("suspected 3");
        runTo(16_000, 3);
        assertThat(port.takeWords()).containsExactly("ask 3");
    }

    @Test
    void aHigherIncarnationRefutes() {
        runTo(3_500, 3);
        detector.onMessage(1, new DetectorMessage.Ping(1, List.of(new Update(3, State.ALIVE, 1, 3))), nanos(3_500));
        detector.onMessage(2, new DetectorMessage.Ping(1, List.of(suspect(3, 0, 2))), nanos(3_500));
        assertThat(port.takeWords()).as("the second is older news").containsExactly("suspected 3", "refuted 3");
    }

    @Test
    void refutesWhatIsSaidAboutItself() {
        runTo(0, -1);
        detector.onMessage(1, new DetectorMessage.Ping(5, List.of(suspect(0, 0, 4))), nanos(10));
        DetectorMessage.Ack ack = (DetectorMessage.Ack) port.takeSent(DetectorMessage.Ack.class).getFirst().message();
        assertThat(ack.updates()).contains(new Update(0, State.ALIVE, 1, 0));
    }

    @Test
    void asksNoRelayAfterItStoodStill() {
        runTo(3_500, 3);
        port.takeWords();
        detector.tick(nanos(60_000));
        assertThat(port.takeWords()).isEmpty();
        runTo(71_000, 3);
        assertThat(port.takeWords()).as("12 s from its awakening on").isEmpty();
    }

    @Test
    void theTimeShrinksWithTheLogarithmOfConfirmations() {
        long period = nanos(500);
        assertThat(SwimSuspicion.timeoutNanos(6, 0, period)).isEqualTo(nanos(12_000));
        assertThat(SwimSuspicion.timeoutNanos(6, 1, period)).isCloseTo((long) (nanos(10_000) * (1 - Math.log(2) / Math.log(3))) + nanos(2_000),
                within(1_000L));
        assertThat(SwimSuspicion.timeoutNanos(6, 2, period)).isEqualTo(nanos(2_000));
        assertThat(SwimSuspicion.timeoutNanos(3, 0, period)).as("too few members to confirm").isEqualTo(nanos(2_000));
    }

    @Test
    void theMultiplierStaysWithinLifeguardsBounds() {
        HealthMultiplier multiplier = new HealthMultiplier();
        multiplier.better();
        assertThat(multiplier.factor()).isEqualTo(1);
        for (int i = 0; i < 20; i++) {
            multiplier.worse();
        }
        assertThat(multiplier.factor()).isEqualTo(9);
        multiplier.better();
        assertThat(multiplier.factor()).isEqualTo(8);
    }
}
