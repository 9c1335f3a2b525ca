package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.FrameType;

/**
 * A rank is killed again and again at any frame, and started again: it does what it did, as far as anybody could know of it,
 * and goes on from there.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReplayedRankTest {
    private static final int STEPS = 30;

    private final ScriptedRelay port;

    ReplayedRankTest() throws IOException {
        port = new ScriptedRelay();
    }

    /** The rank's next process. */
    private CompletableFuture<SeededProgram> start(int incarnation, long seed) {
        Settings killed = new Settings(100_000, 0, Settings.DEFAULT.keptBytesMax(), 0, false);
        return SeededProgram.start(port.address(), incarnation, seed, STEPS, killed);
    }

    private SeededProgram run(RecordingRelay relay, int incarnation, long seed) throws Exception {
        CompletableFuture<SeededProgram> outcome = start(incarnation, seed);
        try (Connection connection = port.accept()) {
            assertThat(relay.serve(connection, incarnation, Integer.MAX_VALUE, outcome)).isSameAs(RecordingRelay.Outcome.GOODBYE);
        }
        return outcome.get();
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, Boolean.getBoolean("posthouse.long") ? 5 : 3);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void repeatedlyKilledRankReplaysIdentically(long seed) throws Exception {
        RecordingRelay relay = new RecordingRelay(seed, true);
        Random kills = new Random(seed);
        int incarnation = 1;
        boolean over = false;
        while (!over && incarnation < 6) {
            CompletableFuture<SeededProgram> killed = start(incarnation, seed);
            try (Connection connection = port.accept()) {
                over = relay.serve(connection, incarnation, 5 + kills.nextInt(60 * incarnation), killed)
                        == RecordingRelay.Outcome.GOODBYE;
            }
            incarnation++;
        }
        SeededProgram last = run(relay, incarnation++, seed);
        SeededProgram again = run(relay, incarnation, seed);
        assertThat(again.observed).isEqualTo(last.observed);
        assertThat(relay.heard).as("it sends nothing anew").doesNotContainKeys(
                FrameType.SEND, FrameType.EAGER, FrameType.OFFER, FrameType.EVENTS, FrameType.PROBE);
        assertThat(relay.heard.get(FrameType.LIVE)).isEqualTo(1);
        assertThat(relay.heard.get(FrameType.RESENT)).isPositive();
        port.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void nothingIsRecordedInAJobThatIsNotLogged(long seed) throws Exception {
        RecordingRelay relay = new RecordingRelay(seed, false);
        run(relay, 1, seed);
        assertThat(relay.heard).doesNotContainKeys(FrameType.EVENTS, FrameType.LIVE, FrameType.RESENT);
        port.close();
    }
}
