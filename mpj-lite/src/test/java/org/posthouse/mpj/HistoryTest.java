package org.posthouse.mpj;

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
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Point;
import org.posthouse.wire.Limit;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What a rank observes is told as it was, and handed out again as it was told. */
class HistoryTest {
    private static final Envelope MESSAGE = new Envelope(3, Wire.ANY, 5_000_000_000L, 70_000, 200);

    private static History live() {
        History history = new History();
        history.open(true, false);
        return history;
    }

    private static History again(ByteBuffer... told) throws WireException {
        History history = new History();
        history.open(true, true);
        for (ByteBuffer frame : told) {
            history.onEvents(frame, ScriptedRelay.view(frame));
        }
        return history;
    }

    /** What the history says next, as the relay would send it back. */
    private static ByteBuffer told(History history, int flags) {
        int bytes = history.untoldBytes();
        ByteBuffer frame = ByteBuffer.allocate(Wire.EVENTS_HEADER_BYTES + bytes);
        FrameView view = ScriptedRelay.view(frame).begin(FrameType.EVENTS, Wire.EVENTS_HEADER_BYTES, 7);
        view.length(frame.capacity()).flags(flags);
        history.tell(view, frame.slice(Wire.EVENTS_HEADER_BYTES, bytes));
        return frame;
    }

    private static void fail(History history, int polls) {
        for (int i = 0; i < polls; i++) {
            history.failed(1);
        }
    }

    private static int failures(History history) {
        int count = 0;
        while (history.failsAgain()) {
            count++;
        }
        return count;
    }

    @Test
    void eventsComeAgainAsTheyWereBetweenTheSamePolls() throws Exception {
        History first = live();
        first.record(History.DONE, 0);
        fail(first, 3);
        first.found(MESSAGE);
        first.record(History.ANY, 2);
        fail(first, 1);
        ByteBuffer one = told(first, 0);
        first.record(History.TAKEN, 1);
        first.record(History.VALUE, Long.MIN_VALUE);
        fail(first, 4);
        ByteBuffer two = told(first, FrameView.END);
        assertThat(ScriptedRelay.view(two).firstEvent()).isEqualTo(6);
        assertThat(ScriptedRelay.view(two).eventsFailedPolls()).isEqualTo(8);

        History second = again(one, two);
        assertThat(failures(second)).isZero();
        assertThat(second.next(History.DONE, "a test")).isZero();
        assertThat(failures(second)).isEqualTo(3);
        assertThat(second.foundAgain()).isEqualTo(MESSAGE);
        assertThat(second.next(History.ANY, "a wait")).isEqualTo(2);
        assertThat(failures(second)).isEqualTo(1);
        assertThat(second.next(History.TAKEN, "a cancel")).isEqualTo(1);
        assertThat(second.isLiveDue()).isFalse();
        assertThat(second.next(History.VALUE, "Wtime")).isEqualTo(Long.MIN_VALUE);
        assertThat(second.isLiveDue()).as("only failures are left").isTrue();
        assertThat(second.isReplaying()).isTrue();
        assertThat(failures(second)).isEqualTo(4);
        assertThat(second.isReplaying()).isFalse();
        assertThat(second.events()).isEqualTo(first.events());
        assertThat(second.polls()).isEqualTo(first.polls());
    }

    @Test
    void nothingIsKnownUntilItHasCome() throws Exception {
        History first = live();
        fail(first, 2);
        ByteBuffer failures = told(first, 0);
        first.record(History.DONE, 0);
        ByteBuffer event = told(first, FrameView.END);
        History second = again();
        assertThat(second.isUndecided()).isTrue();
        second.onEvents(failures, ScriptedRelay.view(failures));
        assertThat(failures(second)).isEqualTo(2);
        assertThat(second.isUndecided()).isTrue();
        second.onEvents(event, ScriptedRelay.view(event));
        assertThat(second.isUndecided()).isFalse();
        assertThat(second.next(History.DONE, "a test")).isZero();
        assertThat(second.isReplaying()).isFalse();
        assertThat(second.isLiveDue()).isTrue();
    }

    @Test
    void anEmptyHistoryEndsAtOnce() throws Exception {
        History history = again(told(live(), FrameView.END));
        assertThat(history.isReplaying()).isFalse();
        assertThat(history.isLiveDue() && history.isDue()).isTrue();
        history.live();
        assertThat(history.isLiveDue() || history.isDue()).isFalse();
    }

    @Test
    void pollsAreCountedAcrossTheirThirtyTwoBits() throws Exception {
        History first = live();
        for (int i = 0; i < 6; i++) {
            first.failed(History.POLLS_MOST);
            first.record(History.DONE, 0);
        }
        ByteBuffer all = told(first, FrameView.END);
        History second = again(all);
        for (int i = 0; i < 6; i++) {
            second.failed(History.POLLS_MOST - 1);
            assertThat(failures(second)).isEqualTo(1);
            second.next(History.DONE, "a test");
        }
        assertThat(second.polls()).isEqualTo(6L * History.POLLS_MOST);
    }

    /** As of a rank that has tested for an hour: whatever the low 32 bits are, none of them fails again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aBreakHasNoPollFailAgainHoweverManyThereWere(int billions) throws Exception {
        History history = live();
        failLong(history, billions);
        ByteBuffer end = told(history, FrameView.END);
        history.reopen(false);
        assertThat(history.isUndecided()).isTrue();
        history.onEvents(end, ScriptedRelay.view(end));
        assertThat(history.isReplaying()).isFalse();
        assertThat(history.pollsKnown()).isEqualTo((long) billions * History.POLLS_MOST);
    }

    /** What comes is read ahead of the polls, and is told in steps that 32 bits can tell. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void pollsFailAgainForAsLongAsTheyDid(int billions) throws Exception {
        History first = live();
        List<ByteBuffer> told = new ArrayList<>();
        for (int i = 0; i < 2 * billions; i++) {
            if (i == billions) {
                first.record(History.DONE, 0);
            }
            failLong(first, 1);
            told.add(told(first, 0));
        }
        fail(first, 1);
        told.add(told(first, FrameView.END));
        History second = again(told.toArray(ByteBuffer[]::new));
        assertThat(second.pollsKnown()).as("what HELLO says if the connection breaks").isEqualTo(2L * billions * History.POLLS_MOST + 1);
        failLong(second, billions);
        second.failed(-1);
        assertThat(failures(second)).isEqualTo(1);
        second.next(History.DONE, "a test");
        failLong(second, billions);
        assertThat(failures(second)).isEqualTo(1);
        assertThat(second.isReplaying()).isFalse();
    }

    /** What comes behind an image is counted from there. */
    @Test
    void pollsBehindAnImageAreCountedFromIt() throws Exception {
        History history = again();
        history.onStart(new Point(7, Point.Kind.JUMP, 2, 1, 100, 9, 0, 0, 0, 0));
        long image = 7L * History.POLLS_MOST;
        history.goOnBehind(image);
        History first = live();
        first.jump(9, image + 3);
        first.record(History.DONE, 0);
        ByteBuffer behind = told(first, FrameView.END);
        history.onEvents(behind, ScriptedRelay.view(behind));
        assertThat(failures(history)).isEqualTo(2);
        assertThat(history.restored()).isEqualTo(1);
        history.jump(9, image);
        assertThat(failures(history)).isEqualTo(3);
        history.next(History.DONE, "a test");
        assertThat(history.isReplaying()).isFalse();
    }

    private static void failLong(History history, int billions) {
        for (int i = 0; i < billions; i++) {
            history.failed(History.POLLS_MOST);
        }
    }

    @Test
    void manyPollsAreToldByThemselves() {
        History history = live();
        history.failed(History.POLLS_MOST - 1);
        assertThat(history.hasManyPolls()).isFalse();
        history.failed(1);
        assertThat(history.hasManyPolls()).isTrue();
        assertThat(history.tellPolls()).isEqualTo(History.POLLS_MOST);
        assertThat(history.hasManyPolls()).isFalse();
    }

    @Test
    void aFrameHoldsAllThatIsKeptAndNoProbeIsTorn() {
        History history = live();
        int events = 0;
        while (!history.isFull()) {
            history.record(History.DONE, 0);
            events++;
        }
        assertThat(events).isEqualTo(Wire.EVENTS_MAX - 3);
        history.limit(Limit.THREADS);
        ByteBuffer all = told(history, 0);
        assertThat(ScriptedRelay.view(all).events()).isEqualTo(events + 1);
        assertThat(history.isFull() || history.isDue()).isFalse();
    }

    @Test
    void whoAsksForSomethingElseHasDiverged() throws Exception {
        History first = live();
        first.record(History.DONE, 0);
        fail(first, 2);
        first.found(MESSAGE);
        fail(first, 1);
        History second = again(told(first, FrameView.END));
        second.next(History.DONE, "a test");
        assertThatExceptionOfType(DivergedException.class)
                .isThrownBy(() -> second.next(History.TAKEN, "a cancel"))
                .withMessageContaining("expected a probe that finds something as event 2 after 2 failed polls, "
                        + "found a cancel after event 1 and 0 failed polls");
        assertThatThrownBy(() -> second.foundAgain()).as("too early").isInstanceOf(IOException.class);
        assertThat(failures(second)).isEqualTo(2);
        assertThatThrownBy(() -> second.next(History.DONE, "a test")).isInstanceOf(IOException.class);
        second.foundAgain();
        assertThatExceptionOfType(DivergedException.class)
                .isThrownBy(() -> second.next(History.ANY, "a wait"))
                .withMessageContaining("expected a failed poll, of 3, found a wait after event 4 and 2 failed polls");
    }

    @Test
    void theRelaysEventsAreInOrderAndWhole() throws Exception {
        History first = live();
        first.record(History.DONE, 0);
        ByteBuffer one = told(first, 0);
        first.record(History.DONE, 0);
        ByteBuffer two = told(first, FrameView.END);
        History second = again();
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
        Point fromTheBeginning = new Point(7, Point.Kind.READY, 0, 0, 0, 0, 0, 0, 0, 0);
        ByteBuffer end = told(live(), FrameView.END);
        History history = again();
        history.onStart(fromTheBeginning);
        history.reopen(true);
        history.onStart(fromTheBeginning);
        history.onEvents(end, ScriptedRelay.view(end));
        assertThat(history.restored()).isZero();
        history.start();
        assertThat(history.isReplaying()).isFalse();
    }

    @Test
    void whatIsObservedBehindABreakIsDueAtOnce() throws Exception {
        ByteBuffer end = told(live(), FrameView.END);
        History history = live();
        history.reopen(false);
        history.onEvents(end, ScriptedRelay.view(end));
        history.live();
        assertThat(history.isDue()).isFalse();
        history.record(History.DONE, 0);
        assertThat(history.isDue()).isTrue();
    }

    /** They are running totals: a lower one is from before. */
    @Test
    void failedPollsThatAreKnownStayKnown() throws Exception {
        ByteBuffer none = told(live(), 0);
        History first = live();
        fail(first, 3);
        assertThat(failures(again(told(first, 0), none))).isEqualTo(3);
    }

    @Test
    void aReceiveThatWasTakenBackIsKnownByItsContext() throws Exception {
        Receiving gone = new Receiving(4, 0, 1, null);
        gone.cancelled();
        History first = live();
        first.record(History.DONE, 0);
        first.taken(gone);
        first.taken(new Receiving(5, 0, 1, null));
        History next = again(told(first, FrameView.END));
        assertThat(next.lastTakingBack(4)).isEqualTo(2);
        assertThat(next.lastTakingBack(5)).as("it was too late for that one").isZero();
        next.next(History.DONE, "Test");
        assertThat(next.next(History.TAKEN, "Cancel") & 1).isEqualTo(1);
        assertThat(next.next(History.TAKEN, "Cancel")).isZero();
    }

    @Test
    void nothingIsKeptWithoutALog() {
        History history = new History();
        history.open(false, false);
        history.record(History.DONE, 0);
        history.found(MESSAGE);
        history.limit(Limit.THREADS);
        assertThat(history.isDue() || history.isFull()).isFalse();
        assertThat(history.events()).isZero();
    }

    @Test
    void aLimitIsToldOnceOverAllProcesses() throws Exception {
        History first = live();
        first.limit(Limit.MISMATCH);
        first.limit(Limit.THREADS);
        first.record(History.DONE, 0);
        assertThat(kinds(first)).containsExactly(History.LIMIT, History.DONE);

        History second = live();
        second.limit(Limit.MISMATCH);
        second.record(History.DONE, 0);
        History third = again(told(second, FrameView.END));
        third.limit(Limit.THREADS);
        third.next(History.DONE, "a test");
        third.limit(Limit.THREADS);
        assertThat(third.untoldBytes()).isZero();
    }

    @Test
    void anImageLiesBehindWhatWasDoneBeforeItAndNotBehindWhatHolds() throws Exception {
        History threads = live();
        threads.limit(Limit.THREADS);
        assertThat(kinds(threads)).containsExactly(History.LIMIT);
        threads.saved();
        assertThat(threads.untoldBytes()).isZero();
        threads.limit(Limit.THREADS);
        assertThat(kinds(threads)).containsExactly(History.LIMIT);

        History multiple = live();
        multiple.limit(Limit.THREADS);
        multiple.limit(Limit.MULTIPLE);
        assertThat(kinds(multiple)).containsExactly(History.LIMIT);
        multiple.saved();
        ByteBuffer behind = told(multiple, 0);
        assertThat(behind.getLong(Wire.EVENTS_HEADER_BYTES + Long.BYTES)).isEqualTo(Limit.MULTIPLE.code());
    }

    /** The relay counts what is told from the image on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatThePrologueSaidIsToldAgainBehindTheImageUnlessItWasThere(boolean toldThere) throws Exception {
        History prologue = live();
        prologue.limit(Limit.MULTIPLE);
        History again = again(told(prologue, 0));
        again.limit(Limit.MULTIPLE);
        again.limit(Limit.THREADS);
        again.onStart(new Point(7, Point.Kind.JUMP, 0, 1, 100, 9, 0, 0, 0, 0));
        again.goOnBehind(0);
        History first = live();
        first.jump(9, 0);
        if (toldThere) {
            first.limit(Limit.MULTIPLE);
        }
        ByteBuffer behind = told(first, FrameView.END);
        again.onEvents(behind, ScriptedRelay.view(behind));
        again.restored();
        again.jump(9, 0);
        assertThat(again.isReplaying()).isFalse();
        assertThat(again.untoldBytes()).isEqualTo(toldThere ? 0 : Wire.EVENT_BYTES);
    }

    @Test
    void whatWasDoneInAPrologueIsNotBehindTheImage() throws Exception {
        History prologue = live();
        prologue.limit(Limit.THREADS);
        History again = again(told(prologue, 0));
        again.limit(Limit.THREADS);
        again.onStart(new Point(7, Point.Kind.JUMP, 0, 1, 100, 9, 0, 0, 0, 0));
        again.goOnBehind(0);
        History first = live();
        first.jump(9, 0);
        ByteBuffer behind = told(first, FrameView.END);
        again.onEvents(behind, ScriptedRelay.view(behind));
        again.restored();
        again.jump(9, 0);
        assertThat(again.untoldBytes()).isZero();
        again.limit(Limit.THREADS);
        assertThat(kinds(again)).containsExactly(History.LIMIT);
    }

    /** A replay tells nothing before it is over. */
    @Test
    void aLimitInAReplayIsToldBehindIt() throws Exception {
        History first = live();
        first.record(History.DONE, 0);
        History second = again(told(first, FrameView.END));
        second.limit(Limit.THREADS);
        assertThat(second.isDue()).isFalse();
        second.next(History.DONE, "a test");
        assertThat(kinds(second)).containsExactly(History.LIMIT);
        assertThat(ScriptedRelay.view(told(second, 0)).firstEvent()).as("nothing is left").isEqualTo(3);
    }

    private static List<Integer> kinds(History history) {
        ByteBuffer frame = told(history, 0);
        List<Integer> kinds = new ArrayList<>();
        for (int at = Wire.EVENTS_HEADER_BYTES; at < frame.capacity(); at += Wire.EVENT_BYTES) {
            kinds.add((int) frame.get(at + Integer.BYTES));
        }
        return kinds;
    }
}
