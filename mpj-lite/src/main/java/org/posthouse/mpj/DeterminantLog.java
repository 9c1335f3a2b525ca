package org.posthouse.mpj;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * What the rank has observed that depends on time, in the program's order: polls that failed, which are only counted, and
 * events, which are numbered and, in a job that is logged, kept until the relay is told. After a restart it hands out what
 * was told before, one after the other, and a program that asks for anything else has diverged (docs/wire.md, replay).
 *
 * <p>Guarded by the endpoint's lock. Who asks in a replay first waits until {@link #isUndecided} is false.
 */
final class DeterminantLog {
    /** An item's kind, on the wire. MORE continues the item before. */
    static final int MORE = 0;

    /** A test that was true; 0. */
    static final int DONE = 1;

    /** One of several operations was waited for; its index. */
    static final int ANY = 2;

    /** A probe found a message: source and tag, then in two MORE its bytes, and its elements and datatype. */
    static final int FOUND = 3;

    /** An operation was to be taken back; 0 if it is not gone, else 1, and for a receive one more than its context in the upper half. */
    static final int TAKEN = 4;

    /** The program asked for a value that no other process would have: that. */
    static final int VALUE = 5;

    /** From here on a replay is not promised; a {@link ReplayLimit}'s code. */
    static final int LIMIT = Wire.EVENT_LIMIT;

    /** In a replay only: the program asked whether it is restored; the number of the image where it goes on, or 0. */
    static final int START = -1;

    /** Most failed polls that a frame may tell at once, so that its 32 bits are never ambiguous. */
    static final int POLLS_MOST = 1 << 30;

    /** Room that is left for what comes next: a probe's three items, and a limit. */
    private static final int ITEMS_AT_ONCE = 4;

    private record Item(long number, long polls, int kind, long value) {}

    private boolean logged;
    private ByteBuffer untold = ByteBuffer.allocate(0);

    /** Number of the last event that was made or handed out. */
    private long events;

    private long polls;
    private long pollsTold;

    /** Events and frames, but for VALUEs and what tells them: whether anything else than the clock goes on. */
    private long turns;

    /** Whether there is something to tell: events, or that the replay is over. */
    private boolean due;

    /** The first since the last image; null if there is none. */
    private ReplayLimit replayLimit;

    /** Whether that is in the history behind that image. */
    private boolean limitRecorded;

    /** Whether several threads may be in calls at any time, behind every image too. */
    private boolean multiple;

    /** From WELCOME until all that is known of the time before was observed again. */
    private boolean replaying;

    /** Whether the relay's END has come, and whether LIVE was said. */
    private boolean ended;

    private boolean live;

    /** From the greeting on, if there is a time before that, until LIVE was said. */
    private boolean catchingUp;

    /** Whether nothing may be told before LIVE, which is not said along with another frame then. */
    private boolean silent;

    /** What comes next, in order; {@code received} is the number of the last, {@code pollsKnown} goes beyond it. */
    private final ArrayDeque<Item> items = new ArrayDeque<>();

    private long received;

    /** For each context the last item by which a receive was taken back. */
    private final Map<Integer, Long> takingBack = new HashMap<>();

    /** Where the process goes on behind its prologue: an image's number, {@link Hello#NO_IMAGE}, or 0 while that is not known. */
    private int origin;

    private long pollsKnown;

    /** The relay has admitted the rank. @param again whether it is to do again what it did before */
    void open(boolean logged, boolean again) {
        this.logged = logged;
        replaying = again;
        catchingUp = again;
        if (logged) {
            untold = ByteBuffer.allocate(Wire.EVENTS_MAX * Wire.EVENT_BYTES);
        }
    }

    /**
     * The connection has broken: what the relay has told of the time before is told on from where it was, to the end, which
     * nobody but this process may have gone beyond.
     *
     * @param again whether the rank still does again what it did before; else nothing new is told until it is live
     */
    void reopen(boolean again) {
        replaying = true;
        catchingUp = true;
        ended = false;
        live = false;
        received = events();
        silent = !again;
        due = false;
    }

    boolean isLogged() {
        return logged;
    }

    // ---- recording

    /** Keeps an event, in a job that is logged. */
    void record(int kind, long value) {
        if (!logged) {
            return;
        }
        untold.putInt((int) polls).putInt(kind << 3 * Byte.SIZE).putLong(value);
        events++;
        due = !silent;
        turns += kind == VALUE ? 0 : 1;
    }

    /** Keeps that a probe found this. */
    void found(Envelope envelope) {
        if (logged) {
            record(FOUND, (long) envelope.source() << Integer.SIZE | envelope.tag() & 0xffffffffL);
            record(MORE, envelope.bytes());
            record(MORE, (long) envelope.elements() << Byte.SIZE | envelope.datatype());
        }
    }

    /** Whether the relay must be told before anything else is recorded. */
    boolean isFull() {
        return logged && untold.remaining() < ITEMS_AT_ONCE * Wire.EVENT_BYTES;
    }

    /** Keeps, once until the next image, that from here on no replay is promised; during a replay, when that is over. */
    void limit(ReplayLimit reason) {
        multiple |= reason == ReplayLimit.MULTIPLE;
        replayLimit = replayLimit == null ? reason : replayLimit;
        recordLimit();
    }

    /** Whether the program has asked for several threads that call at once. */
    boolean isMultiple() {
        return multiple;
    }

    /** An image was made: what was done before it does not matter to who goes on there, but that there are several threads. */
    void saved() {
        limitRecorded = false;
        limitBehindImage();
        recordLimit();
    }

    private void limitBehindImage() {
        replayLimit = multiple ? ReplayLimit.MULTIPLE : null;
    }

    private void recordLimit() {
        if (replayLimit != null && logged && !replaying && !limitRecorded) {
            limitRecorded = true;
            record(LIMIT, replayLimit.code());
        }
    }

    /** Counts polls that failed, at most {@link #POLLS_MOST} at once. */
    void failed(int count) {
        polls += count;
    }

    /** Whether the relay must be told of failed polls, in a frame of their own. */
    boolean hasManyPolls() {
        return polls - pollsTold >= POLLS_MOST;
    }

    // ---- telling

    /** Whether something must be told before the next frame. */
    boolean isDue() {
        return due;
    }

    /** Bytes of the events that the relay was not told of. */
    int untoldBytes() {
        return untold.position();
    }

    /** Writes them into a frame that was begun. */
    void tell(FrameView frame, ByteBuffer payload) {
        int count = untold.position() / Wire.EVENT_BYTES;
        frame.events(events - count + 1, count, (int) polls);
        pollsTold = polls;
        payload.put(untold.flip());
        untold.clear();
        due = false;
    }

    /** What the next frame says of failed polls: the low 32 bits of all. */
    int tellPolls() {
        turns++;
        pollsTold = polls();
        return (int) pollsTold;
    }

    /** All failed polls since the rank's start, but for those behind an event that may not be told yet: they may not be either. */
    long polls() {
        return silent && untold.position() > 0 ? polls - ((int) polls - untold.getInt(0)) : polls;
    }

    /** The same, those too that will fail again. */
    long pollsKnown() {
        return Math.max(polls(), pollsKnown);
    }

    /** All events since the rank's start, those too that will be handed out. */
    long events() {
        return Math.max(events, received);
    }

    /** Grows with whatever is observed. */
    long observed() {
        return events + polls;
    }

    /** Whether all that was observed was observed before this process began, too. */
    boolean isObservedBefore() {
        return replaying && !silent;
    }

    /** The program receives, which need not be said to anybody. */
    void received() {
        turns++;
    }

    long turns() {
        return turns;
    }

    // ---- observing again

    /** Takes a part of what the relay was told before. */
    void onEvents(ByteBuffer frame, FrameView view) throws WireException {
        int count = view.events();
        if (!replaying || ended || count > 0 && view.firstEvent() != received + 1) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "EVENTS from " + view.firstEvent() + " on, " + (replaying && !ended ? "expected " + (received + 1) : "live"));
        }
        if (count < 0 || view.length() != Wire.EVENTS_HEADER_BYTES + (long) count * Wire.EVENT_BYTES) {
            throw new WireException(CloseReason.MALFORMED_FRAME, view + " with " + count + " events");
        }
        int at = frame.position() + Wire.EVENTS_HEADER_BYTES;
        for (int i = 0; i < count; i++, at += Wire.EVENT_BYTES) {
            take(new Item(++received, learn(frame.getInt(at)), frame.get(at + Integer.BYTES), frame.getLong(at + Long.BYTES)));
        }
        learn(view.eventsFailedPolls());
        ended = (view.flags() & FrameView.END) != 0;
        settle();
    }

    /** The relay tells the low 32 bits of polls that failed, in steps of less than 2^31; of fewer than are known, too. @return all of them */
    private long learn(int told) {
        long all = pollsKnown + (told - (int) pollsKnown);
        pollsKnown = Math.max(pollsKnown, all);
        return all;
    }

    /** From here on the answer is known; what the relay says of it again, after a break, is no news. */
    void started() {
        origin = Hello.NO_IMAGE;
    }

    boolean isStartKnown() {
        return origin != 0;
    }

    int origin() {
        return origin;
    }

    /** The relay says where the program asked whether it is restored, and what it is to hear; all of that has come. */
    void onStart(CheckpointNotice checkpointNotice) throws WireException {
        if (isStartKnown()) {
            return;
        }
        if (!replaying || ended) {
            throw new WireException(CloseReason.NOT_EXPECTED, "POINT(" + checkpointNotice.kind() + ") of what is live");
        }
        items.add(new Item(received, learn(checkpointNotice.failedPolls()), START, checkpointNotice.number()));
        if (checkpointNotice.number() > 0) {
            received = checkpointNotice.events();
            limitRecorded = false; // What has come of it is the prologue's.
        }
        origin = checkpointNotice.number() > 0 ? Math.toIntExact(checkpointNotice.number()) : Hello.NO_IMAGE;
    }

    /** An image has come, behind which the next items come; so many polls had failed before it. */
    void goOnBehind(long pollsThen) {
        pollsKnown = pollsThen;
    }

    /** What the program observes when it asks whether it is restored: {@link #start} follows, or {@link #jump}. @return the image's number, or 0 */
    long restored() throws DivergedException {
        return next(START, "Checkpoint.restored()");
    }

    /** The process goes on where it is. */
    void start() {
        settle();
    }

    /** The process goes on where an image was made: so much had been observed there. */
    void jump(long eventsThen, long pollsThen) {
        events = eventsThen;
        polls = pollsThen;
        pollsTold = pollsThen;
        limitBehindImage();
        settle();
    }

    /** That the rank was limited is no matter of order. */
    private void take(Item item) {
        if (item.kind == LIMIT) {
            limitRecorded = true;
        } else {
            items.add(item);
            if (item.kind == TAKEN && item.value >>> Integer.SIZE != 0) {
                takingBack.put((int) (item.value >>> Integer.SIZE) - 1, item.number);
            }
        }
    }

    /** The last event that was made or handed out. */
    long lastObserved() {
        return events;
    }

    /** The last event of the past, as far as it has come, by which a receive of this context was taken back; 0 if there was none. */
    long lastTakingBack(int context) {
        return takingBack.isEmpty() ? 0 : takingBack.getOrDefault(context, 0L);
    }

    /** Keeps whether an operation is taken back. */
    void taken(Operation operation) {
        long where = operation instanceof PostedReceive postedReceive ? postedReceive.context + 1L : 0;
        record(TAKEN, operation.isCancelled() ? where << Integer.SIZE | 1 : 0);
    }

    /** Whether what the rank observes next was observed before: see {@link #isUndecided}. */
    boolean isReplaying() {
        return replaying;
    }

    /** Whether what the rank receives comes unasked: it may have received it before. Until then it posts nothing. */
    boolean isCatchingUp() {
        return catchingUp;
    }

    /** Whether it is not known yet what comes next: more must be read. */
    boolean isUndecided() {
        return replaying && !ended && items.isEmpty() && pollsKnown <= polls;
    }

    /** A poll in a replay: true if it failed before; then it is counted. */
    boolean failsAgain() {
        if ((items.isEmpty() ? pollsKnown : items.peek().polls) <= polls) {
            return false;
        }
        polls++;
        settle();
        return true;
    }

    /**
     * The value of the event that comes next in a replay.
     *
     * @param call what the program asks for, in words
     * @throws DivergedException if something else comes next
     */
    long next(int kind, String call) throws DivergedException {
        Item next = items.peek();
        if (next == null || next.kind != kind || next.polls != polls) {
            throw diverged(call);
        }
        items.remove();
        events = next.number;
        if (kind != START) {
            settle();
        }
        return next.value;
    }

    /** The message that a probe found before. */
    Envelope foundAgain() throws DivergedException {
        long sourceAndTag = next(FOUND, "a probe");
        long bytes = next(MORE, "a probe");
        long content = next(MORE, "a probe");
        int elements = (int) (content >> Byte.SIZE);
        return new Envelope((int) (sourceAndTag >> Integer.SIZE), (int) sourceAndTag, bytes, elements, (int) content & 0xff);
    }

    /** What happens in a replay to a program that asks for something else than before. */
    DivergedException diverged(String call) {
        Item next = items.peek();
        String expected = next != null
                ? name(next.kind) + " as event " + next.number + " after " + next.polls + " failed polls"
                : replaying ? "a failed poll, of " + pollsKnown : "what it did then";
        return new DivergedException("was started again and does not do what it did before: expected " + expected
                + ", found " + call + " after event " + events + " and " + polls
                + " failed polls; make it depend on nothing but its arguments, its messages, MPI.Wtime, MPI.Random and MPI.Get_processor_name");
    }

    private static String name(int kind) {
        return switch (kind) {
            case DONE -> "a test that is true";
            case ANY -> "a wait for any of several";
            case FOUND -> "a probe that finds something";
            case TAKEN -> "a cancel";
            case VALUE -> "Wtime, Random or Get_processor_name";
            case START -> "Checkpoint.restored()";
            default -> "an unknown event (" + kind + ")";
        };
    }

    /** Notices the end of the replay: of the events, and behind it of the failed polls. */
    private void settle() {
        due |= isLiveDue() && !silent;
        if (replaying && ended && items.isEmpty() && pollsKnown <= polls) {
            replaying = false;
            pollsTold = polls;
            recordLimit();
        }
    }

    /** Whether all that was known before was handed out, and the relay must be told so. */
    boolean isLiveDue() {
        return ended && !live && items.isEmpty();
    }

    /** Whether the relay knows that nothing is observed again. */
    boolean isLive() {
        return live;
    }

    /** The relay is told. */
    void live() {
        live = true;
        catchingUp = false;
        silent = false;
        due = untold.position() > 0;
    }
}
