package org.posthouse.mpj.determinant;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The determinants of the rank, in program order. Failed polls are only counted. Other outcomes are numbered events; a
 * logged job keeps them until they are reported to the relay. After a restart this class returns the reported outcomes
 * one by one. A program that asks for anything else has diverged (docs/wire.md, replay).
 *
 * <p>Guarded by the endpoint's lock. During replay, a caller first waits until {@link #isUndecided} is false.
 */
public final class DeterminantLog {
    /** Kinds of items, as on the wire. MORE continues the item before. */
    static final int MORE = 0;

    /** A test was true; the value is 0. */
    public static final int DONE = 1;

    /** One of several operations was waited for; the value is its index. */
    public static final int ANY = 2;

    /**
     * A probe found a message. The value is source and tag; two MORE follow, with its bytes and with its elements and
     * datatype.
     */
    public static final int FOUND = 3;

    /**
     * An operation was to be cancelled. The value is 0 if it is not gone, else 1; for a receive, its context plus one
     * is in the upper half.
     */
    public static final int TAKEN = 4;

    /** The program asked for a value that another process would not have; the value is that. */
    public static final int VALUE = 5;

    /** A replay is not guaranteed from here on; the value is the code of a {@link ReplayLimit}. */
    public static final int LIMIT = Wire.EVENT_LIMIT;

    /**
     * A rank is dead, or an operation has ended because of a death or a revocation; the value is a {@link FailureEvent}. It has no place in the order of
     * the other events.
     */
    public static final int FAILED = 7;

    /**
     * A call has failed, and no operation with it: a probe, or the wait for a receive of any source. The value names the receive; of a probe it is negative:
     * -1 for any source, -2 for a revoked communicator, -3 - r for the dead rank r.
     */
    public static final int RAISED = 8;

    /** The program has learned more of failures; the value is the number of deaths that it knows, or -1: that a communicator is revoked. */
    public static final int LEARNED = 9;

    /**
     * In a replay only: the program asked whether it is restored. The value is the number of the image where it
     * continues, or 0.
     */
    static final int START = -1;

    /** Most failed polls that one frame may report, so that its 32 bits are never ambiguous. */
    public static final int POLLS_MOST = 1 << 30;

    /** Room kept free for the next items: a probe's three, and a limit. */
    private static final int ITEMS_AT_ONCE = 4;

    private record Item(long number, long polls, int kind, long value) {}

    private boolean logged;

    /** Whether the process follows a leader, of whom the history is. */
    private boolean follows;

    private ByteBuffer untold = ByteBuffer.allocate(0);

    /** Number of the last event that was recorded or replayed. */
    private long events;

    private long polls;
    private long pollsTold;

    /**
     * Count of events and frames, except VALUEs and the frames that report them. It tells whether anything but the
     * clock proceeds.
     */
    private long turns;

    /** Whether a report is due: of events, or that the replay is over. */
    private boolean due;

    /** The first limit since the last image; null if there is none. */
    private ReplayLimit replayLimit;

    /** Whether that limit is in the history behind the image. */
    private boolean limitRecorded;

    /** The one that an earlier process has recorded there; null if none has. */
    private ReplayLimit limitInHistory;

    /** Whether several threads may make calls at any time, also behind every image. */
    private boolean multiple;

    /** True from WELCOME until the program has observed its whole known history again. */
    private boolean replaying;

    /** Whether END has come from the relay, and whether LIVE was sent. */
    private boolean ended;

    private boolean live;

    /** True from the greeting, if there is a history, until LIVE was sent. */
    private boolean catchingUp;

    /** Whether nothing may be reported before LIVE. In that case LIVE is not combined with another frame. */
    private boolean silent;

    /** The next items, in order. {@code received} is the number of the last one; {@code pollsKnown} goes beyond it. */
    private final ArrayDeque<Item> items = new ArrayDeque<>();

    private long received;

    /** The {@link #FAILED} events of the history that nobody has taken. */
    private List<Long> failedBefore = new ArrayList<>();

    /** For each context, the last item by which a receive was cancelled. */
    private final Map<Integer, Long> takingBack = new HashMap<>();

    /**
     * Where the process continues behind its prologue: an image's number, {@link Hello#NO_IMAGE}, or 0 while that is
     * unknown.
     */
    private int origin;

    private long pollsKnown;

    /**
     * Handles the relay's WELCOME on the first connection.
     *
     * @param again whether this process replays an earlier one
     */
    public void open(boolean logged, boolean again) {
        this.logged = logged;
        replaying = again;
        catchingUp = again;
        if (logged) {
            untold = ByteBuffer.allocate(Wire.EVENTS_MAX * Wire.EVENT_BYTES);
        }
    }

    /** Whether the history is that of a leader, which is not over before this process leads. */
    public void follow(boolean isFollower) {
        follows = isFollower;
    }

    /**
     * Handles a reconnection. The relay continues the history from where it was, to its end. Only this process may have
     * gone beyond that end.
     *
     * @param again whether the rank is still replaying; otherwise nothing new is reported until it is live
     */
    public void reopen(boolean again) {
        replaying = true;
        catchingUp = true;
        ended = false;
        live = false;
        received = events();
        silent = !again;
        due = false;
    }

    /** Whether the job is logged. */
    public boolean isLogged() {
        return logged;
    }

    // ---- recording

    /** Records an event, if the job is logged. */
    public void record(int kind, long value) {
        if (!logged) {
            return;
        }
        if (!untold.hasRemaining()) {
            untold = ByteBuffer.allocate(2 * untold.capacity()).put(untold.flip()); // Many operations have failed at once.
        }
        untold.putInt((int) polls).putInt(kind << 3 * Byte.SIZE).putLong(value);
        events++;
        due = !silent;
        turns += kind == VALUE ? 0 : 1;
    }

    /** Records that a probe found this message. */
    void found(Envelope envelope) {
        if (logged) {
            record(FOUND, (long) envelope.source() << Integer.SIZE | envelope.tag() & 0xffffffffL);
            record(MORE, envelope.bytes());
            record(MORE, (long) envelope.elements() << Byte.SIZE | envelope.datatype());
        }
    }

    /** Whether a report is needed before anything else is recorded. */
    public boolean isFull() {
        return logged && untold.remaining() < ITEMS_AT_ONCE * Wire.EVENT_BYTES;
    }

    /**
     * Records, once until the next image, that no replay is guaranteed from here on. During a replay this waits for its
     * end.
     */
    public void limit(ReplayLimit reason) {
        multiple |= reason == ReplayLimit.MULTIPLE;
        replayLimit = replayLimit == null ? reason : replayLimit;
        recordLimit();
    }

    /** The first limit since the last image, of an earlier process too; null if there is none. */
    public ReplayLimit limitSoFar() {
        return replayLimit != null ? replayLimit : limitInHistory;
    }

    /** Whether the program has asked for several threads that make calls at once. */
    public boolean isMultiple() {
        return multiple;
    }

    /**
     * Handles a saved image. A process that starts there needs nothing from before it, except that there are several
     * threads.
     */
    public void saved() {
        limitRecorded = false;
        limitInHistory = null;
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

    /** Counts failed polls, at most {@link #POLLS_MOST} at once. */
    public void failed(int count) {
        polls += count;
    }

    /** Whether failed polls must be reported in a frame of their own. */
    boolean hasManyPolls() {
        return polls - pollsTold >= POLLS_MOST;
    }

    // ---- reporting

    /** Whether something must be reported before the next frame. */
    boolean isDue() {
        return due;
    }

    /** Bytes of the unreported events that go into one frame. */
    public int untoldBytes() {
        return Math.min(untold.position(), Wire.EVENTS_MAX * Wire.EVENT_BYTES);
    }

    /** Number of frames that the unreported events need. */
    int untoldFrames() {
        int most = Wire.EVENTS_MAX * Wire.EVENT_BYTES;
        return (untold.position() + most - 1) / most;
    }

    /** Writes so many unreported events into a frame that was begun. */
    public void tell(FrameView frame, ByteBuffer payload) {
        int bytes = untoldBytes();
        long first = events - untold.position() / Wire.EVENT_BYTES + 1;
        boolean isAll = bytes == untold.position();
        frame.events(first, bytes / Wire.EVENT_BYTES, isAll ? (int) polls : untold.getInt(bytes - Wire.EVENT_BYTES));
        pollsTold = isAll ? polls : pollsTold;
        untold.flip();
        payload.put(untold.slice(0, bytes));
        untold.position(bytes).compact();
        due = untold.position() > 0;
    }

    /** The low 32 bits of all failed polls, for the next frame. */
    public int tellPolls() {
        turns++;
        pollsTold = polls();
        return (int) pollsTold;
    }

    /**
     * All failed polls since the rank's start that may be reported. Polls behind an event that may not be reported yet
     * are excluded.
     */
    public long polls() {
        return silent && untold.position() > 0 ? polls - ((int) polls - untold.getInt(0)) : polls;
    }

    /** All failed polls since the rank's start, including those of the history that will be replayed. */
    public long pollsKnown() {
        return Math.max(polls(), pollsKnown);
    }

    /** All events since the rank's start, including those that will be replayed. */
    public long events() {
        return Math.max(events, received);
    }

    /** A counter that grows with each observation. */
    long observed() {
        return events + polls;
    }

    /** Whether an earlier process observed all that this process has observed. */
    public boolean isObservedBefore() {
        return replaying && !silent;
    }

    /** Counts a receive of the program. It is not reported. */
    public void received() {
        turns++;
    }

    /** Number of actions of the program that may end a loop on the clock, receives included. */
    public long turns() {
        return turns;
    }

    // ---- replay

    /** Reads a part of the history from the relay. */
    public void onEvents(ByteBuffer frame, FrameView view) throws WireException {
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

    /**
     * Extends a count of failed polls, of which the relay sends the low 32 bits. The steps are below 2^31, and the
     * count may be lower than the known one.
     *
     * @return the whole count
     */
    private long learn(int told) {
        long all = pollsKnown + (told - (int) pollsKnown);
        pollsKnown = Math.max(pollsKnown, all);
        return all;
    }

    /** Marks the answer to the restore question as known. After a break the relay repeats it, and that is ignored. */
    public void started() {
        origin = Hello.NO_IMAGE;
    }

    /** Whether the answer to the restore question is known. */
    public boolean isStartKnown() {
        return origin != 0;
    }

    /** The answer to the restore question; 0 until it is known. */
    public int origin() {
        return origin;
    }

    /**
     * Handles the relay's notice of where the program asked whether it is restored, and of the answer. The history up
     * to there is complete.
     */
    public void onStart(CheckpointNotice checkpointNotice) throws WireException {
        if (isStartKnown()) {
            return;
        }
        if (!replaying || ended) {
            throw new WireException(CloseReason.NOT_EXPECTED, "POINT(" + checkpointNotice.kind() + ") of what is live");
        }
        items.add(new Item(received, learn(checkpointNotice.failedPolls()), START, checkpointNotice.number()));
        if (checkpointNotice.number() > 0) {
            received = checkpointNotice.events();
            limitRecorded = false; // A limit so far belongs to the prologue.
            limitInHistory = null;
        }
        origin = checkpointNotice.number() > 0 ? Math.toIntExact(checkpointNotice.number()) : Hello.NO_IMAGE;
    }

    /** Sets the count of failed polls before an image. The next items follow the image. */
    public void goOnBehind(long pollsThen) {
        pollsKnown = pollsThen;
    }

    /**
     * The program's restore question. {@link #start} or {@link #jump} follows.
     *
     * @return the image's number, or 0
     */
    public long restored() throws DivergedException {
        return next(START, "Checkpoint.restored()");
    }

    /** Continues the process where it is. */
    public void start() {
        settle();
    }

    /** Continues the process at an image, with the counts of events and polls observed there. */
    public void jump(long eventsThen, long pollsThen) {
        events = eventsThen;
        polls = pollsThen;
        pollsTold = pollsThen;
        limitBehindImage();
        settle();
    }

    /** Takes an item. A limit has no place in the order of the events. */
    private void take(Item item) {
        if (item.kind == LIMIT) {
            limitRecorded = true;
            limitInHistory = ReplayLimit.of(item.value);
        } else if (item.kind == FAILED) {
            failedBefore.add(item.value);
        } else {
            items.add(item);
            if (item.kind == TAKEN && item.value >>> Integer.SIZE != 0) {
                takingBack.put((int) (item.value >>> Integer.SIZE) - 1, item.number);
            }
        }
    }

    /** Removes and returns the {@link #FAILED} events of the history that have come. */
    public List<Long> takeFailed() {
        if (failedBefore.isEmpty()) {
            return List.of();
        }
        List<Long> taken = failedBefore;
        failedBefore = new ArrayList<>();
        return taken;
    }

    /** Whether the next event of a replay is known, and is this one, here. */
    public boolean isNext(int kind, long value) {
        Item next = items.peek();
        return next != null && next.kind == kind && next.value == value && next.polls == polls;
    }

    /** Whether the next event of a replay is known, and is of this kind, here. */
    boolean isNext(int kind) {
        Item next = items.peek();
        return next != null && next.kind == kind && next.polls == polls;
    }

    /** Number of the last event that was recorded or replayed. */
    public long lastObserved() {
        return events;
    }

    /**
     * Number of the last known event of the history by which a receive of this context was cancelled; 0 if there was
     * none.
     */
    public long lastTakingBack(int context) {
        return takingBack.isEmpty() ? 0 : takingBack.getOrDefault(context, 0L);
    }

    /** Records whether an operation was cancelled. */
    void taken(Operation operation) {
        long where = operation instanceof PostedReceive postedReceive ? postedReceive.context + 1L : 0;
        record(TAKEN, operation.isCancelled() ? where << Integer.SIZE | 1 : 0);
    }

    /** Whether the rank's next observation was made before: see {@link #isUndecided}. */
    public boolean isReplaying() {
        return replaying;
    }

    /**
     * Whether messages come unrequested, because the rank may have received them before. Until this ends it posts no
     * receive.
     */
    public boolean isCatchingUp() {
        return catchingUp;
    }

    /** Whether the next item is still unknown, so that the rank must read more. */
    public boolean isUndecided() {
        return replaying && !ended && items.isEmpty() && pollsKnown <= polls;
    }

    /** A poll during replay: true if it failed before. It is counted then. */
    boolean failsAgain() {
        if ((items.isEmpty() ? pollsKnown : items.peek().polls) <= polls) {
            return false;
        }
        polls++;
        settle();
        return true;
    }

    /**
     * The value of the next event of a replay.
     *
     * @param call what the program asks for, in words
     * @throws DivergedException if the next event is another one
     */
    public long next(int kind, String call) throws DivergedException {
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

    /** The message that a probe found in the earlier process. */
    Envelope foundAgain() throws DivergedException {
        long sourceAndTag = next(FOUND, "a probe");
        long bytes = next(MORE, "a probe");
        long content = next(MORE, "a probe");
        int elements = (int) (content >> Byte.SIZE);
        return new Envelope((int) (sourceAndTag >> Integer.SIZE), (int) sourceAndTag, bytes, elements, (int) content & 0xff);
    }

    /** The error of a replaying program that asks for something else than its earlier process. */
    DivergedException diverged(String call) {
        Item next = items.peek();
        String expected = next != null
                ? name(next.kind) + " as event " + next.number + " after " + next.polls + " failed polls"
                : replaying ? "a failed poll, of " + pollsKnown : "what it did then";
        String who = follows ? "follows, and does not do what its leader did" : "was started again and does not do what it did before";
        return new DivergedException(who + ": expected " + expected + ", found " + call + " after event " + events + " and " + polls
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
            case RAISED -> "a call that fails";
            case LEARNED -> "getFailed, ackFailed or isRevoked";
            default -> "an unknown event (" + kind + ")";
        };
    }

    /** Detects the end of the replay: first of the events, then of the failed polls behind them. */
    private void settle() {
        due |= isLiveDue() && !silent;
        if (replaying && ended && items.isEmpty() && pollsKnown <= polls) {
            replaying = false;
            events = Math.max(events, received);
            pollsTold = polls;
            recordLimit();
        }
    }

    /** Whether the known history is used up, so that LIVE must be sent. */
    boolean isLiveDue() {
        return ended && !live && items.isEmpty();
    }

    /** Whether the relay knows that the replay is over. */
    public boolean isLive() {
        return live;
    }

    /** Marks LIVE as sent. */
    void live() {
        live = true;
        events = Math.max(events, received); // The last ones may have no place in the order.
        catchingUp = false;
        silent = false;
        due = untold.position() > 0;
    }
}
