package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.RecordingRelay.Outcome;
import org.posthouse.mpj.ScriptedRelay.Connection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.wire.FrameType;

/**
 * The connection of a rank whose job is logged is cut, at any frame and any byte of either direction: the program notices nothing, and the
 * relay gets every message, in its order and once; what the rank has observed is what its log says, since another process that is
 * started in its place observes the same.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReconnectTest {
    private static final int STEPS = 30;
    private static final int FEW_STEPS = 8;
    private static final int CUTS_MAX = 60;
    private static final boolean IS_LONG = Boolean.getBoolean("posthouse.long");

    /** The short form of the build (ADR 50) cuts behind every fourth frame. */
    private static final int STRIDE = IS_LONG ? 1 : 4;

    private static final Settings SETTINGS =
            new Settings(100_000, 0, Settings.DEFAULT.keptBytesMax(), Settings.DEFAULT.reconnectS(), false);

    private ScriptedRelay port;

    ReconnectTest() throws IOException {
        port = new ScriptedRelay();
    }

    @AfterEach
    void close() throws IOException {
        port.close();
    }

    private CompletableFuture<SeededProgram> start(int incarnation, long seed, int steps) {
        CompletableFuture<SeededProgram> rank =
                SeededProgram.start(port.address(), incarnation, seed, steps, SETTINGS);
        ScriptedRelay its = port;
        rank.whenComplete((program, failure) -> closeIf(failure != null, its));
        return rank;
    }

    /** A rank that has failed does not connect any more: nobody must wait for that. */
    private static void closeIf(boolean failed, ScriptedRelay port) {
        if (failed) {
            try {
                port.close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private Outcome serve(RecordingRelay relay, int incarnation, int frames, CompletableFuture<?> rank) throws Exception {
        try (Connection connection = port.accept()) {
            return relay.serve(connection, incarnation, frames, rank);
        } catch (SocketException e) {
            rank.get(1, TimeUnit.SECONDS);
            throw e;
        }
    }

    private void serveToTheEnd(RecordingRelay relay, int incarnation, CompletableFuture<?> rank) throws Exception {
        relay.cutAfter(0);
        assertThat(serve(relay, incarnation, Integer.MAX_VALUE, rank)).isSameAs(Outcome.GOODBYE);
    }

    /** Cuts as the seed says, a limited number of times. */
    private Outcome cutAgainAndAgain(RecordingRelay relay, int incarnation, Random cuts, CompletableFuture<?> rank)
            throws Exception {
        Outcome outcome = Outcome.CUT;
        for (int cut = 0; cut < CUTS_MAX && outcome == Outcome.CUT; cut++) {
            relay.cutAfter(cuts.nextInt(3) == 0 ? 1 + cuts.nextInt(cuts.nextInt(4) == 0 ? 100_000 : 1_000) : 0);
            if (cuts.nextInt(4) == 0) {
                relay.forget();
            }
            outcome = serve(relay, incarnation, cuts.nextInt(30), rank);
        }
        return outcome;
    }

    private void checkReplay(RecordingRelay relay, int incarnation, long seed, int steps, SeededProgram last) throws Exception {
        CompletableFuture<SeededProgram> again = start(incarnation, seed, steps);
        serveToTheEnd(relay, incarnation, again);
        assertThat(again.get().observed).isEqualTo(last.observed);
        assertThat(relay.heard).as("it sends nothing anew").doesNotContainKeys(
                FrameType.SEND, FrameType.EAGER, FrameType.OFFER, FrameType.EVENTS, FrameType.PROBE);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, IS_LONG ? 6 : 2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aConnectionThatIsCutAgainAndAgainLosesNothing(long seed) throws Exception {
        RecordingRelay relay = new RecordingRelay(seed, true);
        CompletableFuture<SeededProgram> rank = start(1, seed, STEPS);
        if (cutAgainAndAgain(relay, 1, new Random(seed), rank) == Outcome.CUT) {
            serveToTheEnd(relay, 1, rank);
        }
        checkReplay(relay, 2, seed, STEPS, rank.get());
    }

    static LongStream seedsOfReplays() {
        return LongStream.rangeClosed(1, IS_LONG ? 3 : 1);
    }

    @ParameterizedTest
    @MethodSource("seedsOfReplays")
    void aReplayThatIsCutAgainAndAgainIsTheSame(long seed) throws Exception {
        RecordingRelay relay = new RecordingRelay(seed, true);
        Random cuts = new Random(seed);
        Outcome outcome = Outcome.CUT;
        CompletableFuture<SeededProgram> rank = null;
        int incarnation = 0;
        while (outcome == Outcome.CUT && incarnation < 5) {
            rank = start(++incarnation, seed, STEPS);
            outcome = cutAgainAndAgain(relay, incarnation, cuts, rank);
            if (outcome == Outcome.CUT && incarnation < 5) {
                kill();
            }
        }
        if (outcome == Outcome.CUT) {
            serveToTheEnd(relay, incarnation, rank);
        }
        checkReplay(relay, incarnation + 1, seed, STEPS, rank.get());
    }

    /** The rank's process finds nobody any more; the next one does. */
    private void kill() throws IOException {
        port.close();
        port = new ScriptedRelay();
    }

    @Test
    void aConnectionMayBeCutBehindAnyFrame() throws Exception {
        Outcome outcome = Outcome.CUT;
        for (int frames = 0; outcome == Outcome.CUT; frames += STRIDE) {
            RecordingRelay relay = new RecordingRelay(3, true);
            CompletableFuture<SeededProgram> rank = start(1, 3, FEW_STEPS);
            outcome = serve(relay, 1, frames, rank);
            if (outcome == Outcome.CUT) {
                serveToTheEnd(relay, 1, rank);
            }
            checkReplay(relay, 2, 3, FEW_STEPS, rank.get());
        }
    }

    @Test
    void aConnectionMayBeCutAtAnyByteFromTheRelay() throws Exception {
        Outcome outcome = Outcome.CUT;
        for (int bytes = 1; outcome == Outcome.CUT; bytes += STRIDE * (bytes < 400 ? 11 : 1_999)) {
            RecordingRelay relay = new RecordingRelay(5, true);
            CompletableFuture<SeededProgram> rank = start(1, 5, FEW_STEPS);
            relay.cutAfter(bytes);
            outcome = serve(relay, 1, Integer.MAX_VALUE, rank);
            if (outcome == Outcome.CUT) {
                serveToTheEnd(relay, 1, rank);
            }
            checkReplay(relay, 2, 5, FEW_STEPS, rank.get());
        }
    }
}
