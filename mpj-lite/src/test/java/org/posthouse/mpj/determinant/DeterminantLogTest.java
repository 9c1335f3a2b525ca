package org.posthouse.mpj.determinant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ScriptedRelay;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What a rank observes is told as it was, and handed out again as it was told. */
class DeterminantLogTest {
    private static final Envelope MESSAGE = new Envelope(3, Wire.ANY, 5_000_000_000L, 70_000, 200);

    private static DeterminantLog live() {
        DeterminantLog determinantLog = new DeterminantLog();
        determinantLog.open(true, false);
        return determinantLog;
    }

    private static DeterminantLog again(ByteBuffer... told) throws WireException {
        DeterminantLog determinantLog = new DeterminantLog();
        determinantLog.open(true, true);
        for (ByteBuffer frame : told) {
            determinantLog.onEvents(frame, ScriptedRelay.view(frame));
        }
        return determinantLog;
    }

    /** What the history says next, as the relay would send it back. */
    private static ByteBuffer told(DeterminantLog determinantLog, int flags) {
        int bytes = determinantLog.untoldBytes();
        ByteBuffer frame = ByteBuffer.allocate(Wire.EVENTS_HEADER_BYTES + bytes);
        FrameView view = ScriptedRelay.view(frame).begin(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, 7);
        view.length(frame.capacity()).flags(flags);
        determinantLog.tell(view, frame.slice(Wire.EVENTS_HEADER_BYTES, bytes));
        return frame;
    }

    private static void fail(DeterminantLog determinantLog, int polls) {
        for (int i = 0; i < polls; i++) {
            determinantLog.failed(1);
        }
    }

    private static int failures(DeterminantLog determinantLog) {
        int count = 0;
        while (determinantLog.failsAgain()) {
            count++;
        }
        return count;
    }

    @Test
    void eventsComeAgainAsTheyWereBetweenTheSamePolls() throws Exception {
        DeterminantLog first = live();
        first.record(DeterminantLog.DONE, 0);
        fail(first, 3);
        first.found(MESSAGE);
        first.record(DeterminantLog.ANY, 2);
        fail(first, 1);
        ByteBuffer one = told(first, 0);
        first.record(DeterminantLog.TAKEN, 1);
        first.record(DeterminantLog.VALUE, Long.MIN_VALUE);
        fail(first, 4);
        ByteBuffer two = told(first, FrameView.END);
        assertThat(ScriptedRelay.view(two).firstEvent()).isEqualTo(6);
        assertThat(ScriptedRelay.view(two).eventsFailedPolls()).isEqualTo(8);

        DeterminantLog second = again(one, two);
        assertThat(failures(second)).isZero();
        assertThat(second.next(DeterminantLog.DONE, "a test")).isZero();
        assertThat(failures(second)).isEqualTo(3);
        assertThat(second.foundAgain()).isEqualTo(MESSAGE);
        assertThat(second.next(DeterminantLog.ANY, "a wait")).isEqualTo(2);
        assertThat(failures(second)).isEqualTo(1);
        assertThat(second.next(DeterminantLog.TAKEN, "a cancel")).isEqualTo(1);
        assertThat(second.isLiveDue()).isFalse();
        assertThat(second.next(DeterminantLog.VALUE, "Wtime")).isEqualTo(Long.MIN_VALUE);
        assertThat(second.isLiveDue()).as("only failures are left").isTrue();
        assertThat(second.isReplaying()).isTrue();
        assertThat(failures(second)).isEqualTo(4);
        assertThat(second.isReplaying()).isFalse();
        assertThat(second.events()).isEqualTo(first.events());
        assertThat(second.polls()).isEqualTo(first.polls());
    }

    @Test
    void nothingIsKnownUntilItHasCome() throws Exception {
        DeterminantLog first = live();
        fail(first, 2);
        ByteBuffer failures = told(first, 0);
        first.record(DeterminantLog.DONE, 0);
        ByteBuffer event = told(first, FrameView.END);
        DeterminantLog second = again();
        assertThat(second.isUndecided()).isTrue();
        second.onEvents(failures, ScriptedRelay.view(failures));
        assertThat(failures(second)).isEqualTo(2);
        assertThat(second.isUndecided()).isTrue();
        second.onEvents(event, ScriptedRelay.view(event));
        assertThat(second.isUndecided()).isFalse();
        assertThat(second.next(DeterminantLog.DONE, "a test")).isZero();
        assertThat(second.isReplaying()).isFalse();
        assertThat(second.isLiveDue()).isTrue();
    }

    @Test
    void anEmptyHistoryEndsAtOnce() throws Exception {
        DeterminantLog determinantLog = again(told(live(), FrameView.END));
        assertThat(determinantLog.isReplaying()).isFalse();
        assertThat(determinantLog.isLiveDue() && determinantLog.isDue()).isTrue();
        determinantLog.live();
        assertThat(determinantLog.isLiveDue() || determinantLog.isDue()).isFalse();
    }

    @Test
    void pollsAreCountedAcrossTheirThirtyTwoBits() throws Exception {
        DeterminantLog first = live();
        for (int i = 0; i < 6; i++) {
            first.failed(DeterminantLog.POLLS_MOST);
            first.record(DeterminantLog.DONE, 0);
        }
        ByteBuffer all = told(first, FrameView.END);
        DeterminantLog second = again(all);
        for (int i = 0; i < 6; i++) {
            second.failed(DeterminantLog.POLLS_MOST - 1);
            assertThat(failures(second)).isEqualTo(1);
            second.next(DeterminantLog.DONE, "a test");
        }
        assertThat(second.polls()).isEqualTo(6L * DeterminantLog.POLLS_MOST);
    }

    /** As of a rank that has tested for an hour: whatever the low 32 bits are, none of them fails again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aBreakHasNoPollFailAgainHoweverManyThereWere(int billions) throws Exception {
        DeterminantLog determinantLog = live();
        failLong(determinantLog, billions);
        ByteBuffer end = told(determinantLog, FrameView.END);
        determinantLog.reopen(false);
        assertThat(determinantLog.isUndecided()).isTrue();
        determinantLog.onEvents(end, ScriptedRelay.view(end));
        assertThat(determinantLog.isReplaying()).isFalse();
        assertThat(determinantLog.pollsKnown()).isEqualTo((long) billions * DeterminantLog.POLLS_MOST);
    }

    /** What comes is read ahead of the polls, and is told in steps that 32 bits can tell. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void pollsFailAgainForAsLongAsTheyDid(int billions) throws Exception {
        DeterminantLog first = live();
        List<ByteBuffer> told = new ArrayList<>();
        for (int i = 0; i < 2 * billions; i++) {
            if (i == billions) {
                first.record(DeterminantLog.DONE, 0);
            }
            failLong(first, 1);
            told.add(told(first, 0));
        }
        fail(first, 1);
        told.add(told(first, FrameView.END));
        DeterminantLog second = again(told.toArray(ByteBuffer[]::new));
        assertThat(second.pollsKnown()).as("what HELLO says if the connection breaks").isEqualTo(2L * billions * DeterminantLog.POLLS_MOST + 1);
        failLong(second, billions);
        second.failed(-1);
        assertThat(failures(second)).isEqualTo(1);
        second.next(DeterminantLog.DONE, "a test");
        failLong(second, billions);
        assertThat(failures(second)).isEqualTo(1);
        assertThat(second.isReplaying()).isFalse();
    }

    /** What comes behind an image is counted from there. */
    @Test
    void pollsBehindAnImageAreCountedFromIt() throws Exception {
        DeterminantLog determinantLog = again();
        determinantLog.onStart(new CheckpointNotice(7, CheckpointNotice.Kind.JUMP, 2, 1, 100, 9, 0, 0, 0, 0));
        long image = 7L * DeterminantLog.POLLS_MOST;
        determinantLog.goOnBehind(image);
        DeterminantLog first = live();
        first.jump(9, image + 3);
        first.record(DeterminantLog.DONE, 0);
        ByteBuffer behind = told(first, FrameView.END);
        determinantLog.onEvents(behind, ScriptedRelay.view(behind));
        assertThat(failures(determinantLog)).isEqualTo(2);
        assertThat(determinantLog.restored()).isEqualTo(1);
        determinantLog.jump(9, image);
        assertThat(failures(determinantLog)).isEqualTo(3);
        determinantLog.next(DeterminantLog.DONE, "a test");
        assertThat(determinantLog.isReplaying()).isFalse();
    }

    private static void failLong(DeterminantLog determinantLog, int billions) {
        for (int i = 0; i < billions; i++) {
            determinantLog.failed(DeterminantLog.POLLS_MOST);
        }
    }

    @Test
    void manyFailedPollsAreReportedWithoutAnEvent() {
        DeterminantLog determinantLog = live();
        determinantLog.failed(DeterminantLog.POLLS_MOST - 1);
        assertThat(determinantLog.hasManyPolls()).isFalse();
        determinantLog.failed(1);
        assertThat(determinantLog.hasManyPolls()).isTrue();
        assertThat(determinantLog.tellPolls()).isEqualTo(DeterminantLog.POLLS_MOST);
        assertThat(determinantLog.hasManyPolls()).isFalse();
    }

    @Test
    void oneFrameHoldsAllBufferedEventsAndWholeProbes() {
        DeterminantLog determinantLog = live();
        int events = 0;
        while (!determinantLog.isFull()) {
            determinantLog.record(DeterminantLog.DONE, 0);
            events++;
        }
        assertThat(events).isEqualTo(Wire.EVENTS_MAX - 3);
        determinantLog.limit(ReplayLimit.THREADS);
        ByteBuffer all = told(determinantLog, 0);
        assertThat(ScriptedRelay.view(all).events()).isEqualTo(events + 1);
        assertThat(determinantLog.isFull() || determinantLog.isDue()).isFalse();
    }

    @Test
    void unexpectedCallInReplayIsDivergence() throws Exception {
        DeterminantLog first = live();
        first.record(DeterminantLog.DONE, 0);
        fail(first, 2);
        first.found(MESSAGE);
        fail(first, 1);
        DeterminantLog second = again(told(first, FrameView.END));
        second.next(DeterminantLog.DONE, "a test");
        assertThatExceptionOfType(DivergedException.class)
                .isThrownBy(() -> second.next(DeterminantLog.TAKEN, "a cancel"))
                .withMessageContaining("expected a probe that finds something as event 2 after 2 failed polls, "
                        + "found a cancel after event 1 and 0 failed polls");
        assertThatThrownBy(() -> second.foundAgain()).as("too early").isInstanceOf(IOException.class);
        assertThat(failures(second)).isEqualTo(2);
        assertThatThrownBy(() -> second.next(DeterminantLog.DONE, "a test")).isInstanceOf(IOException.class);
        second.foundAgain();
        assertThatExceptionOfType(DivergedException.class)
                .isThrownBy(() -> second.next(DeterminantLog.ANY, "a wait"))
                .withMessageContaining("expected a failed poll, of 3, found a wait after event 4 and 2 failed polls");
    }

    @Test
    void theRelaysEventsAreInOrderAndWhole() throws Exception {
        DeterminantLog first = live();
        first.record(DeterminantLog.DONE, 0);
        ByteBuffer one = told(first, 0);
        first.record(DeterminantLog.DONE, 0);
        ByteBuffer two = told(first, FrameView.END);
        DeterminantLog second = again();
        assertThatThrownBy(() -> second.onEvents(two, ScriptedRelay.view(two))).hasMessageContaining("EVENTS from 2 on, expected 1");
        second.onEvents(one, ScriptedRelay.view(one));
        ScriptedRelay.view(two).events(2, 2, 0);
        assertThatThrownBy(() -> second.onEvents(two, ScriptedRelay.view(two))).hasMessageContaining("with 2 events");
        ScriptedRelay.view(two).events(2, 0x1000_0001, 0);
        assertThatThrownBy(() -> second.onEvents(two, ScriptedRelay.view(two))).as("16 bytes of events, in 32 bits")
                .hasMessageContaining("with 268435457 events");
        ScriptedRelay.view(two).events(2, 1, 0);
        second.onEvents(two, ScriptedRelay.view(two));
        assertThatThrownBy(() -> second.onEvents(two, ScriptedRelay.view(two))).isInstanceOf(WireException.class);
        assertThatThrownBy(() -> live().onEvents(one, ScriptedRelay.view(one))).hasMessageContaining("live");
    }

    /** Behind a break the relay says it again. */
    @Test
    void whereAProcessGoesOnIsTakenOnce() throws Exception {
        CheckpointNotice fromTheBeginning = new CheckpointNotice(7, CheckpointNotice.Kind.READY, 0, 0, 0, 0, 0, 0, 0, 0);
        ByteBuffer end = told(live(), FrameView.END);
        DeterminantLog determinantLog = again();
        determinantLog.onStart(fromTheBeginning);
        determinantLog.reopen(true);
        determinantLog.onStart(fromTheBeginning);
        determinantLog.onEvents(end, ScriptedRelay.view(end));
        assertThat(determinantLog.restored()).isZero();
        determinantLog.start();
        assertThat(determinantLog.isReplaying()).isFalse();
    }

    @Test
    void eventAfterReconnectIsDueAtOnce() throws Exception {
        ByteBuffer end = told(live(), FrameView.END);
        DeterminantLog determinantLog = live();
        determinantLog.reopen(false);
        determinantLog.onEvents(end, ScriptedRelay.view(end));
        determinantLog.live();
        assertThat(determinantLog.isDue()).isFalse();
        determinantLog.record(DeterminantLog.DONE, 0);
        assertThat(determinantLog.isDue()).isTrue();
    }

    /** They are running totals: a lower one is from before. */
    @Test
    void failedPollsThatAreKnownStayKnown() throws Exception {
        ByteBuffer none = told(live(), 0);
        DeterminantLog first = live();
        fail(first, 3);
        assertThat(failures(again(told(first, 0), none))).isEqualTo(3);
    }

    @Test
    void aReceiveThatWasTakenBackIsKnownByItsContext() throws Exception {
        PostedReceive gone = new PostedReceive(4, 0, 1, null);
        gone.takenBack();
        DeterminantLog first = live();
        first.record(DeterminantLog.DONE, 0);
        first.taken(gone);
        first.taken(new PostedReceive(5, 0, 1, null));
        DeterminantLog next = again(told(first, FrameView.END));
        assertThat(next.lastTakingBack(4)).isEqualTo(2);
        assertThat(next.lastTakingBack(5)).as("it was too late for that one").isZero();
        next.next(DeterminantLog.DONE, "Test");
        assertThat(next.next(DeterminantLog.TAKEN, "Cancel") & 1).isEqualTo(1);
        assertThat(next.next(DeterminantLog.TAKEN, "Cancel")).isZero();
    }

    @Test
    void unloggedJobRecordsNoEvents() {
        DeterminantLog determinantLog = new DeterminantLog();
        determinantLog.open(false, false);
        determinantLog.record(DeterminantLog.DONE, 0);
        determinantLog.found(MESSAGE);
        determinantLog.limit(ReplayLimit.THREADS);
        assertThat(determinantLog.isDue() || determinantLog.isFull()).isFalse();
        assertThat(determinantLog.events()).isZero();
    }

    @Test
    void replayLimitIsReportedOnceAcrossIncarnations() throws Exception {
        DeterminantLog first = live();
        first.limit(ReplayLimit.MISMATCH);
        first.limit(ReplayLimit.THREADS);
        first.record(DeterminantLog.DONE, 0);
        assertThat(kinds(first)).containsExactly(DeterminantLog.LIMIT, DeterminantLog.DONE);

        DeterminantLog second = live();
        second.limit(ReplayLimit.MISMATCH);
        second.record(DeterminantLog.DONE, 0);
        DeterminantLog third = again(told(second, FrameView.END));
        third.limit(ReplayLimit.THREADS);
        third.next(DeterminantLog.DONE, "a test");
        third.limit(ReplayLimit.THREADS);
        assertThat(third.untoldBytes()).isZero();
    }

    @Test
    void imageClearsPastLimitsButPermanentOnesAreRepeated() throws Exception {
        DeterminantLog threads = live();
        threads.limit(ReplayLimit.THREADS);
        assertThat(kinds(threads)).containsExactly(DeterminantLog.LIMIT);
        threads.saved();
        assertThat(threads.untoldBytes()).isZero();
        threads.limit(ReplayLimit.THREADS);
        assertThat(kinds(threads)).containsExactly(DeterminantLog.LIMIT);

        DeterminantLog multiple = live();
        multiple.limit(ReplayLimit.THREADS);
        multiple.limit(ReplayLimit.MULTIPLE);
        assertThat(kinds(multiple)).containsExactly(DeterminantLog.LIMIT);
        multiple.saved();
        ByteBuffer behind = told(multiple, 0);
        assertThat(behind.getLong(Wire.EVENTS_HEADER_BYTES + Long.BYTES)).isEqualTo(ReplayLimit.MULTIPLE.code());
    }

    /** The relay counts what is told from the image on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void prologueLimitIsReportedAfterImageUnlessRecordedThere(boolean toldThere) throws Exception {
        DeterminantLog prologue = live();
        prologue.limit(ReplayLimit.MULTIPLE);
        DeterminantLog again = again(told(prologue, 0));
        again.limit(ReplayLimit.MULTIPLE);
        again.limit(ReplayLimit.THREADS);
        again.onStart(new CheckpointNotice(7, CheckpointNotice.Kind.JUMP, 0, 1, 100, 9, 0, 0, 0, 0));
        again.goOnBehind(0);
        DeterminantLog first = live();
        first.jump(9, 0);
        if (toldThere) {
            first.limit(ReplayLimit.MULTIPLE);
        }
        ByteBuffer behind = told(first, FrameView.END);
        again.onEvents(behind, ScriptedRelay.view(behind));
        again.restored();
        again.jump(9, 0);
        assertThat(again.isReplaying()).isFalse();
        assertThat(again.untoldBytes()).isEqualTo(toldThere ? 0 : Wire.EVENT_BYTES);
    }

    @Test
    void transientPrologueLimitIsNotReportedAfterTheImage() throws Exception {
        DeterminantLog prologue = live();
        prologue.limit(ReplayLimit.THREADS);
        DeterminantLog again = again(told(prologue, 0));
        again.limit(ReplayLimit.THREADS);
        again.onStart(new CheckpointNotice(7, CheckpointNotice.Kind.JUMP, 0, 1, 100, 9, 0, 0, 0, 0));
        again.goOnBehind(0);
        DeterminantLog first = live();
        first.jump(9, 0);
        ByteBuffer behind = told(first, FrameView.END);
        again.onEvents(behind, ScriptedRelay.view(behind));
        again.restored();
        again.jump(9, 0);
        assertThat(again.untoldBytes()).isZero();
        again.limit(ReplayLimit.THREADS);
        assertThat(kinds(again)).containsExactly(DeterminantLog.LIMIT);
    }

    /** A replay tells nothing before it is over. */
    @Test
    void limitReachedInReplayIsReportedAfterIt() throws Exception {
        DeterminantLog first = live();
        first.record(DeterminantLog.DONE, 0);
        DeterminantLog second = again(told(first, FrameView.END));
        second.limit(ReplayLimit.THREADS);
        assertThat(second.isDue()).isFalse();
        second.next(DeterminantLog.DONE, "a test");
        assertThat(kinds(second)).containsExactly(DeterminantLog.LIMIT);
        assertThat(ScriptedRelay.view(told(second, 0)).firstEvent()).as("nothing is left").isEqualTo(3);
    }

    private static List<Integer> kinds(DeterminantLog determinantLog) {
        ByteBuffer frame = told(determinantLog, 0);
        List<Integer> kinds = new ArrayList<>();
        for (int at = Wire.EVENTS_HEADER_BYTES; at < frame.capacity(); at += Wire.EVENT_BYTES) {
            kinds.add((int) frame.get(at + Integer.BYTES));
        }
        return kinds;
    }
}
