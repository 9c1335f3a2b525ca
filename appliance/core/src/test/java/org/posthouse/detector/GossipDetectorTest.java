package org.posthouse.detector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.DetectorMessage;

/** Host 0 of six, with a period of 500 ms: it suspects after 2 x 3 rounds. Times are in milliseconds from round 0. */
class GossipDetectorTest {
    private static final long PERIOD_MS = 500;

    private final RecordedPort port = new RecordedPort();
    private final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    private final Detector detector =
            Detector.of(new DetectorSettings(DetectorProtocol.BRR, 0, nanos(PERIOD_MS), 0, true), port, random);
    private long nowMs;

    GossipDetectorTest() {
        detector.origin(0);
        detector.view(0, new int[] {0, 1, 2, 3, 4, 5});
    }

    private static long nanos(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Calls the detector when it asks for it. */
    private void runTo(long ms) {
        while (TimeUnit.NANOSECONDS.toMillis(detector.wakeNanos()) <= ms) {
            nowMs = TimeUnit.NANOSECONDS.toMillis(detector.wakeNanos());
            detector.tick(nanos(nowMs));
        }
        nowMs = ms;
    }

    /** All hosts but {@code silent} beat until {@code ms}. */
    private void beatTo(long ms, int silent) {
        for (long at = nowMs + PERIOD_MS; at <= ms; at += PERIOD_MS) {
            runTo(at);
            int beat = (int) (at / PERIOD_MS) + 1;
            int[] beats = {0, beat, beat, beat, beat, beat};
            beats[silent] = 1;
            detector.onMessage(silent == 1 ? 2 : 1, new DetectorMessage.Beats(beats), nanos(at));
        }
    }

    @Test
    void sendsItsVectorToOneHostEachRound() {
        runTo(2_400);
        assertThat(port.takeSent(DetectorMessage.Beats.class)).extracting(RecordedPort.Sent::to).containsExactly(1, 2, 4, 1, 2);
        runTo(2_500);
        assertThat(port.takeSent(DetectorMessage.Beats.class).getFirst().message()).extracting(message -> ((DetectorMessage.Beats) message).beats()[0])
                .isEqualTo(6);
    }

    @Test
    void aSilentHostIsPingedTwiceThenByOthersThenItsRelayIsAsked() {
        beatTo(1_000, 0);
        beatTo(4_000, 3);
        assertThat(port.takeWords()).as("1 s + 6 rounds is not over").isEmpty();
        port.takeSent(DetectorMessage.class);
        beatTo(4_500, 3);
        assertThat(port.takeWords()).containsExactly("suspected 3");
        assertThat(port.takeSent(DetectorMessage.Ping.class)).extracting(RecordedPort.Sent::to).containsExactly(3);
        beatTo(5_500, 3);
        assertThat(port.takeSent(DetectorMessage.Ping.class)).as("again after 750 ms").extracting(RecordedPort.Sent::to).containsExactly(3);
        beatTo(6_000, 3);
        List<RecordedPort.Sent> asked = port.takeSent(DetectorMessage.PingRequest.class);
        assertThat(asked).hasSize(3).allSatisfy(sent -> assertThat(((DetectorMessage.PingRequest) sent.message()).host()).isEqualTo(3));
        assertThat(asked).extracting(RecordedPort.Sent::to).doesNotHaveDuplicates().doesNotContain(0, 3);
        assertThat(port.takeWords()).isEmpty();
        beatTo(7_500, 3);
        assertThat(port.takeWords()).containsExactly("ask 3");
    }

    @Test
    void anAnswerOfAnyKindEndsTheCheck() {
        beatTo(1_000, 0);
        beatTo(4_500, 3);
        DetectorMessage.Ping ping = (DetectorMessage.Ping) port.takeSent(DetectorMessage.Ping.class).getFirst().message();
        detector.onMessage(3, new DetectorMessage.Ack(ping.number(), 3, List.of()), nanos(4_600));
        assertThat(port.takeWords()).containsExactly("suspected 3", "refuted 3");
        beatTo(7_500, 3);
        assertThat(port.takeWords()).as("6 rounds from the answer on").isEmpty();
        beatTo(8_500, 3);
        assertThat(port.takeWords()).containsExactly("suspected 3");
        detector.onMessage(4, new DetectorMessage.Beats(new int[] {0, 0, 0, 4}), nanos(8_600));
        assertThat(port.takeWords()).containsExactly("refuted 3");
    }

    @Test
    void accusesNobodyAfterItStoodStill() {
        beatTo(2_000, 0);
        detector.tick(nanos(62_000));
        assertThat(port.takeWords()).isEmpty();
        nowMs = 62_000;
        runTo(65_000);
        assertThat(port.takeWords()).as("6 rounds from its awakening on").isEmpty();
        runTo(65_500);
        assertThat(port.takeWords()).hasSize(5);
    }

    @Test
    void beginsItsChecksAnewAfterItStoodStill() {
        beatTo(1_000, 0);
        beatTo(4_500, 3);
        detector.tick(nanos(64_500));
        nowMs = 64_500;
        runTo(65_900);
        assertThat(port.takeWords()).as("answers to its pings may wait for it").containsExactly("suspected 3");
    }

    @Test
    void aHostThatIsNotInTheRingIsNotPingedForOthers() {
        runTo(0);
        port.takeSent(DetectorMessage.class);
        detector.onMessage(2, new DetectorMessage.PingRequest(8, 4_095, List.of()), nanos(10));
        assertThat(port.takeSent(DetectorMessage.class)).isEmpty();
    }

    @Test
    void aHostThatTheLauncherHasAmongTheLivingAgainIsWatchedAgain() {
        beatTo(1_000, 0);
        detector.onVerdict(3, true, nanos(1_100));
        beatTo(6_000, 3);
        assertThat(port.takeWords()).as("it is dead").isEmpty();
        detector.view(13, new int[] {0, 1, 2, 3, 4, 5});
        beatTo(7_000, 3);
        assertThat(port.takeWords()).containsExactly("suspected 3");
    }

    @Test
    void goesOnFromWhatOthersRememberOfAnEarlierProcess() {
        runTo(0);
        detector.onMessage(1, new DetectorMessage.Beats(new int[] {20_000, 1, 1, 1, 1, 1}), nanos(10));
        port.takeSent(DetectorMessage.class);
        runTo(500);
        assertThat(port.takeSent(DetectorMessage.Beats.class).getFirst().message()).extracting(message -> ((DetectorMessage.Beats) message).beats()[0])
                .isEqualTo(20_001);
    }

    @Test
    void beatsThatBeginAnewAtZeroHaveRisen() {
        runTo(0);
        detector.onMessage(1, new DetectorMessage.Beats(new int[] {0, -1, 1, 1, 1, 1}), nanos(10));
        beatTo(1_500, 0);
        assertThat(port.takeSent(DetectorMessage.Beats.class).getLast().message()).extracting(message -> ((DetectorMessage.Beats) message).beats()[1])
                .isEqualTo(3);
    }

    @Test
    void answersPingsAndPingsForOthers() {
        runTo(0);
        port.takeSent(DetectorMessage.class);
        detector.onMessage(2, new DetectorMessage.Ping(7, List.of()), nanos(10));
        assertThat(port.takeSent(DetectorMessage.class)).containsExactly(new RecordedPort.Sent(2, new DetectorMessage.Ack(7, 0, List.of())));
        detector.onMessage(2, new DetectorMessage.PingRequest(8, 4, List.of()), nanos(10));
        RecordedPort.Sent ping = port.takeSent(DetectorMessage.class).getFirst();
        assertThat(ping.to()).isEqualTo(4);
        long number = ((DetectorMessage.Ping) ping.message()).number();
        detector.onMessage(4, new DetectorMessage.Ack(number, 4, List.of()), nanos(20));
        assertThat(port.takeSent(DetectorMessage.class)).containsExactly(new RecordedPort.Sent(2, new DetectorMessage.Ack(8, 4, List.of())));
    }

    @Test
    void aDeadHostIsAskedAboutNoMoreAndLeavesTheRingInTheToldRound() {
        beatTo(1_000, 0);
        beatTo(7_500, 3);
        port.takeWords();
        detector.onVerdict(3, true, nanos(7_500));
        detector.view(24, new int[] {0, 1, 2, 4, 5});
        beatTo(11_500, 3);
        assertThat(port.takeWords()).isEmpty();
        port.takeSent(DetectorMessage.class);
        beatTo(13_000, 3);
        assertThat(port.takeSent(DetectorMessage.Beats.class)).as("rounds 24 to 26 of five hosts").extracting(RecordedPort.Sent::to)
                .containsExactly(1, 2, 5);
        detector.onMessage(3, new DetectorMessage.Ping(9, List.of()), nanos(13_000));
        assertThat(port.takeSent(DetectorMessage.class)).as("who was removed gets no answer").isEmpty();
    }

    @Test
    void aRelayThatDoesNotAnswerIsAskedAgain() {
        beatTo(1_000, 0);
        beatTo(7_500, 3);
        assertThat(port.takeWords()).containsExactly("suspected 3", "ask 3");
        beatTo(13_000, 3);
        assertThat(port.takeWords()).isEmpty();
        beatTo(13_500, 3);
        assertThat(port.takeWords()).containsExactly("ask 3");
        detector.onVerdict(3, false, nanos(13_600));
        assertThat(port.takeWords()).containsExactly("refuted 3");
    }
}
