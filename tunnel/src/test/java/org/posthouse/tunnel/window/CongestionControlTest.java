package org.posthouse.tunnel.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.Wire;

/**
 * A sender that always has more, a pipe of some bandwidth and delay, and what waits in front of it, in virtual time. The other end tells of whole
 * frames, and of each {@link #PART} of one, unless it told of something just now.
 */
public class CongestionControlTest {
    private static final int CHUNK = Wire.CHUNK_HEADER_BYTES + Wire.PAYLOAD_BYTES_MAX;
    private static final int PART = 16 * 1024;
    private static final double MEGA = 1e6;
    private static final long SECOND = 1_000_000_000L;

    private final CongestionControl governor = new CongestionControl();

    /** Words of the other end, of frames and of parts, in the order in which the sender hears them. */
    private final ArrayDeque<Word> underWay = new ArrayDeque<>();

    private final Random random = new Random(1);

    private double bytesPerNano;
    private long wayNanos;

    /** At each of so many threads a word may be held up for so long, and those behind it with it. */
    private long delayNanos;

    private int hops;
    private final long[] heardAt = new long[4];
    private int frameBytes = CHUNK;
    private long now;
    private long freeAt;
    private long lastWordAt;
    private long bytesUnderWay;
    private long came;
    private long waitingMost;
    private long mostUnderWay;

    /** @param bytes of a whole frame @param incomplete bytes of one whose rest has not come @param stamp of a whole frame */
    private record Word(CongestionControl.Stamp stamp, int bytes, int incomplete, long heardAt) {}

    private void pipe(double megabytesPerSecond, double wayMs) {
        bytesPerNano = megabytesPerSecond * MEGA / SECOND;
        wayNanos = Math.round(wayMs * MEGA);
    }

    /** Lets the sender have its way for so long. */
    private void run(long nanos) {
        long end = now + nanos;
        came = 0;
        waitingMost = 0;
        mostUnderWay = 0;
        while (now < end) {
            while (governor.allows(bytesUnderWay)) {
                write();
            }
            hear();
        }
    }

    private void hear() {
        Word word = underWay.remove();
        now = word.heardAt;
        bytesUnderWay -= word.bytes;
        came += word.bytes;
        governor.come(word.bytes, word.incomplete, word.stamp, now);
    }

    private void write() {
        CongestionControl.Stamp stamp = governor.write(frameBytes, bytesUnderWay, now);
        bytesUnderWay += frameBytes;
        mostUnderWay = Math.max(mostUnderWay, bytesUnderWay);
        freeAt = Math.max(freeAt, now);
        long leavesAt = freeAt;
        freeAt += Math.round(frameBytes / bytesPerNano);
        waitingMost = Math.max(waitingMost, Math.round((freeAt - now) * bytesPerNano));
        for (int part = PART; part < frameBytes; part += PART) {
            long toldAt = leavesAt + Math.round(part / bytesPerNano) + 2 * wayNanos;
            if (toldAt - lastWordAt >= LinkReceiver.PART_NANOS) {
                underWay.add(new Word(null, 0, part, heardAt(toldAt)));
                lastWordAt = toldAt;
            }
        }
        lastWordAt = freeAt + 2 * wayNanos;
        underWay.add(new Word(stamp, frameBytes, 0, heardAt(lastWordAt)));
    }

    private long heardAt(long earliest) {
        long at = earliest;
        for (int hop = 0; hop < hops; hop++) {
            heardAt[hop] = Math.max(heardAt[hop], at + Math.round(random.nextDouble() * delayNanos));
            at = heardAt[hop];
        }
        return at;
    }

    private double share(long nanos) {
        return came / (nanos * bytesPerNano);
    }

    /** What a short message may wait for beyond its idle way, in front of the pipe: as much again, and a chunk. */
    private long waitingAllowed() {
        return Math.round(wayNanos * bytesPerNano) + CHUNK;
    }

    @ParameterizedTest
    @CsvSource({"5.3, 8.6", "12, 5", "20, 20", "125, 50", "1250, 50", "1000, 0.1"})
    void fillsThePipeAndLetsLittleWaitInFrontOfIt(double megabytesPerSecond, double wayMs) {
        pipe(megabytesPerSecond, wayMs);
        run(4 * SECOND);
        long inAll = 0;
        int late = 0;
        for (int second = 0; second < 30; second++) {
            run(SECOND);
            inAll += came;
            late += waitingMost > waitingAllowed() ? 1 : 0;
            assertThat(waitingMost).as("second %d: bytes in front of the pipe", second).isLessThanOrEqualTo(2 * waitingAllowed());
        }
        assertThat(inAll / (30 * SECOND * bytesPerNano)).as("what came of what could").isGreaterThan(0.97);
        assertThat(late).as("seconds in which more waited: those in which the shortest time is measured again").isLessThanOrEqualTo(6);
        assertThat(governor.product()).isCloseTo(
                Math.round(2 * wayNanos * bytesPerNano), Offset.offset(Math.round(wayNanos * bytesPerNano) + CHUNK));
    }

    /** Where a frame takes no longer than a thread to wake, both ends are at work only if each has more than one before it. */
    @ParameterizedTest
    @CsvSource({"1000, 0.02, 4", "400, 0.02, 3", "125, 0.02, 2", "70, 0.1, 2"})
    void letsMoreWaitInFrontOfALinkOfOneMachine(double megabytesPerSecond, double wayMs, int frames) {
        pipe(megabytesPerSecond, wayMs);
        run(4 * SECOND);
        run(SECOND / 2);
        assertThat(mostUnderWay / CHUNK).isEqualTo(frames);
        assertThat(share(SECOND / 2)).isGreaterThan(0.97);
    }

    /** As between hosts whose processors are taken. With the shortest time in place of the usual one, two frames a round trip are what is left of these: 1 to 60 in 100. */
    @ParameterizedTest
    @CsvSource({
        "5, 1, 20, 1", "12, 1, 5, 1", "12, 1, 60, 1", "40, 1, 10, 1", "40, 10, 60, 1", "40, 10, 20, 4", "125, 1, 20, 1", "125, 10, 60, 4", "500, 1, 1, 4",
        "500, 1, 5, 1", "500, 10, 20, 4"
    })
    void fillsAPipeWhoseWordsAreHeldUp(double megabytesPerSecond, double wayMs, double delayMs, int threads) {
        pipe(megabytesPerSecond, wayMs);
        delayNanos = Math.round(delayMs * MEGA);
        hops = threads;
        run(5 * SECOND);
        run(30 * SECOND);
        assertThat(share(30 * SECOND)).isGreaterThan(0.95);
        assertThat(waitingMost).as("at a time").isLessThanOrEqualTo(2 * (waitingAllowed() + Math.round(threads * delayNanos * bytesPerNano)));
    }

    /** A word about a part of a frame that went alone says little of a pipe that is full of them: one frame a round trip is what comes of that. */
    @ParameterizedTest
    @CsvSource({"5, 10", "12, 10", "40, 10", "40, 50", "125, 50", "500, 50"})
    void fillsAPipeInWhichFramesWentOneByOne(double megabytesPerSecond, double wayMs) {
        pipe(megabytesPerSecond, wayMs);
        while (now < 20 * SECOND) {
            write();
            while (!underWay.isEmpty()) {
                hear();
            }
        }
        run(5 * SECOND);
        run(10 * SECOND);
        assertThat(share(10 * SECOND)).isGreaterThan(0.95);
    }

    @Test
    void beginsWithFewFramesAndFillsALongPipeInTwoSeconds() {
        pipe(125, 50);
        run(SECOND / 10);
        assertThat(waitingMost).isLessThanOrEqualTo(CongestionControl.BYTES_FIRST);
        run(2 * SECOND);
        run(SECOND);
        assertThat(share(SECOND)).isGreaterThan(0.9);
    }

    /** Three quarters of the product are allowed then, and a frame: without it a short way would carry one frame at a time. */
    @ParameterizedTest
    @CsvSource({"5, 9", "5, 18", "12, 5", "40, 10", "125, 50"})
    void takesLittleWhileItMeasuresTheUsualTime(double megabytesPerSecond, double wayMs) {
        pipe(megabytesPerSecond, wayMs);
        run(4 * SECOND);
        for (int second = 0; second < 30; second++) {
            run(SECOND);
            assertThat(share(SECOND)).as("second %d", second).isGreaterThan(0.92);
        }
    }

    /** In a pause nothing is measured, and nothing is forgotten, whatever else the other end says: of half the product a short way for one frame at a time is left. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20})
    void goesOnAfterAPauseAsItWas(int words) {
        pipe(5, 18);
        run(5 * SECOND);
        while (!underWay.isEmpty()) {
            hear();
        }
        for (int word = 1; word <= words; word++) {
            governor.come(0, 0, null, now + word * SECOND);
        }
        now += 20 * SECOND;
        run(SECOND / 2);
        assertThat(share(SECOND / 2)).isGreaterThan(0.88);
    }

    @Test
    void looksAnewBehindALongPause() {
        pipe(40, 50);
        run(5 * SECOND);
        while (!underWay.isEmpty()) {
            hear();
        }
        now += 61 * SECOND;
        pipe(40, 1);
        run(SECOND);
        run(SECOND);
        assertThat(waitingMost).as("the product of before would be 4 MB").isLessThanOrEqualTo(2 * waitingAllowed());
    }

    @Test
    void followsAPipeThatChanges() {
        pipe(20, 10);
        run(5 * SECOND);
        pipe(100, 10);
        run(5 * SECOND);
        run(SECOND);
        assertThat(share(SECOND)).as("five times the bandwidth").isGreaterThan(0.9);
        pipe(100, 30);
        run(25 * SECOND);
        run(SECOND);
        assertThat(share(SECOND)).as("three times the delay").isGreaterThan(0.9);
        pipe(10, 10);
        run(25 * SECOND);
        run(SECOND);
        assertThat(share(SECOND)).as("a tenth of the bandwidth").isGreaterThan(0.9);
        assertThat(waitingMost).isLessThanOrEqualTo(waitingAllowed());
    }

    /** Two at least, so that both ends are at work; and of others no more than before when they are over. */
    @Test
    void countsInTheFramesThatThereAre() {
        pipe(1_000, 0.02);
        run(4 * SECOND);
        frameBytes = Wire.CHUNK_FRAME_BYTES_MAX;
        run(4 * SECOND);
        run(SECOND / 2);
        assertThat(mostUnderWay / frameBytes).isEqualTo(2);
        assertThat(share(SECOND / 2)).isGreaterThan(0.97);
        frameBytes = CHUNK;
        run(4 * SECOND);
        run(SECOND / 2);
        assertThat(mostUnderWay / CHUNK).isEqualTo(4);
    }

    @Test
    void beginsAnewWithFourFramesBehindLongOnes() {
        pipe(1_000, 0.02);
        frameBytes = Wire.CHUNK_FRAME_BYTES_MAX;
        run(4 * SECOND);
        while (!underWay.isEmpty()) {
            hear();
        }
        governor.forget();
        frameBytes = (int) CongestionControl.FRAME_BYTES;
        int frames = 0;
        for (; governor.allows(bytesUnderWay); frames++) {
            write();
        }
        assertThat(frames).isEqualTo(4);
    }

    @Test
    void learnsFromSmallFramesToo() {
        pipe(20, 10);
        frameBytes = 5_000;
        run(5 * SECOND);
        frameBytes = CHUNK;
        run(6 * SECOND);
        run(SECOND);
        assertThat(share(SECOND)).isGreaterThan(0.9);
        assertThat(waitingMost).isLessThanOrEqualTo(waitingAllowed());
    }

    @Test
    void tellsTheRateOfALinkThatWasFullWithinAMinute() {
        pipe(20, 10);
        assertThat(governor.linkRate(now)).as("before anything was measured").isZero();
        run(5 * SECOND);
        assertThat(governor.linkRate(now)).isCloseTo(bytesPerNano, Offset.offset(bytesPerNano / 5));
        assertThat(governor.linkRate(now + 59 * SECOND)).isPositive();
        assertThat(governor.linkRate(now + 61 * SECOND)).isZero();
    }

    @Test
    void tellsNoRateOfALinkThatWasNeverFull() {
        pipe(20, 10);
        for (int i = 0; i < 100; i++) {
            write();
            while (!underWay.isEmpty()) {
                hear();
            }
        }
        assertThat(governor.linkRate(now)).isZero();
    }

    @Test
    void letsAFrameGoHoweverLittleIsKnown() {
        assertThat(governor.allows(0)).isTrue();
        governor.come(1, 0, null, 5);
        assertThat(governor.allows(0)).isTrue();
        assertThat(governor.allows(CongestionControl.BYTES_FIRST)).isFalse();
    }
}
