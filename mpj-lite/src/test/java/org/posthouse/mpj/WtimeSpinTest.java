package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.determinant.RecordedClock;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** A program may ask for the time as often as it likes: what is recorded of it stays small, and work is timed exactly. */
class WtimeSpinTest {
    private static final long SECOND = 1_000_000_000;
    private static final int CALL_NS = 50;

    private long now = -SECOND;
    private final RecordedClock clock = new RecordedClock(() -> now);
    private final DeterminantLog determinantLog = new DeterminantLog();
    private int values;

    WtimeSpinTest() {
        determinantLog.open(true, false);
    }

    /** As the endpoint does it; what is kept is told when it is full. */
    private long ask() {
        if (clock.ticks(determinantLog.turns())) {
            determinantLog.record(DeterminantLog.VALUE, clock.time());
            values++;
        } else {
            determinantLog.failed(1);
        }
        if (determinantLog.isFull()) {
            ByteBuffer frame = ByteBuffer.allocate(Wire.FRAME_BYTES_MAX);
            determinantLog.tell(
                    ScriptedRelay.view(frame).begin(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, 7),
                    frame.slice(Wire.EVENTS_HEADER_BYTES, determinantLog.untoldBytes()));
        }
        return clock.time();
    }

    @Test
    void aSpinOfASecondLeavesFewValues() {
        long end = ask() + SECOND;
        int calls = 1;
        while (ask() < end) {
            now += CALL_NS;
            calls++;
        }
        assertThat(calls).isGreaterThan(20_000_000);
        assertThat(values).isBetween(5_000, 12_000);
        assertThat(determinantLog.polls()).isEqualTo(calls + 1 - values);
        assertThat(now).as("it ends in time").isLessThan(SECOND / 500);
    }

    @Test
    void workIsTimedExactly() {
        for (int i = 0; i < 3 * RecordedClock.EXACT; i++) {
            ask();
            now += 1;
        }
        determinantLog.tellPolls();
        assertThat(ask()).as("a frame was written since").isEqualTo(now);
        for (int i = 0; i < 10 * RecordedClock.EXACT; i++) {
            now += SECOND;
            assertThat(ask()).isEqualTo(now);
        }
    }

    @Test
    void aSpinBehindAnEventIsExactAgain() {
        for (int i = 0; i < 2 * RecordedClock.EXACT; i++) {
            ask();
            now += i;
        }
        determinantLog.record(DeterminantLog.DONE, 0);
        for (int i = 0; i < RecordedClock.EXACT; i++) {
            assertThat(ask()).isEqualTo(now);
            now++;
        }
    }

    /** The clock of another host may be anything. Work that a crash has interrupted, and that is done again, takes its time. */
    @ParameterizedTest
    @ValueSource(longs = {17 * SECOND, -2 * SECOND, -SECOND, Long.MAX_VALUE, Long.MIN_VALUE})
    void timeGoesOnFromTheLastRecordedValueAfterARestart(long recorded) {
        clock.goOn(recorded - 7);
        clock.goOn(recorded);
        assertThat(clock.time()).isEqualTo(recorded);
        now += 3 * SECOND;
        assertThat(ask()).isEqualTo(recorded + 3 * SECOND);
        now += 5;
        assertThat(ask()).isEqualTo(recorded + 3 * SECOND + 5);
    }
}
