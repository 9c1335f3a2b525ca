package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Wire;

/**
 * A process of a {@link ReplicaModel}: a program of polls, receives and sends, and the library below it as leader, as
 * follower, or in the replay between the two. It reads each frame at once.
 */
final class ReplicaProcess {
    /** A call of the program. */
    enum Call {
        POLL,
        RECEIVE,
        SEND,
        FINALIZE
    }

    private final Frames frames;
    private final int rank;
    private final List<Call> program;
    private final IntUnaryOperator fault;

    /** Whether it claims what a process without the fault would, as if nobody compared. */
    private final boolean claimsWhatIsRight;

    /** What the program has observed. */
    final List<String> observed = new ArrayList<>();

    /** Frames on the way to the relay. */
    final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();

    int incarnation;
    boolean follows;
    boolean dead;

    /** How it ended; null while it runs. */
    String end;

    private int next;
    private boolean live;
    private boolean historyEnded;
    private boolean asked;
    private int failedPolls;
    private int failedPollsKnown;
    private int events;
    private boolean unreported;

    /** The failed polls before each event of the history that is to be observed. */
    private final ArrayDeque<Integer> history = new ArrayDeque<>();

    private final Map<Long, Integer> arrived = new HashMap<>();
    private long received;
    private final List<Integer> sent = new ArrayList<>();
    private final List<Integer> right = new ArrayList<>();
    private long accepted;

    /**
     * @param fault what becomes of the payload of its messages
     * @param claimsWhatIsRight whether what it claims has not that fault
     */
    ReplicaProcess(Frames frames, int rank, int incarnation, boolean follows, List<Call> program, IntUnaryOperator fault, boolean claimsWhatIsRight) {
        this.claimsWhatIsRight = claimsWhatIsRight;
        this.frames = frames;
        this.rank = rank;
        this.incarnation = incarnation;
        this.follows = follows;
        this.live = !follows;
        this.program = program;
        this.fault = fault;
    }

    int rank() {
        return rank;
    }

    private void write(ByteBuffer frame) {
        if (unreported) {
            unreported = false;
            ByteBuffer report = frames.events(events, 1);
            new FrameView().wrap(report, 0).events(events, 1, failedPolls);
            out.add(report);
        }
        out.add(frame);
    }

    private void observe(String what) {
        observed.add(what);
        asked = false;
        next++;
    }

    /** Runs the program as far as it can. */
    void run() {
        while (end == null && !dead && step()) {
            // On to the next call.
        }
    }

    private boolean step() {
        return switch (program.get(next)) {
            case POLL -> poll();
            case RECEIVE -> receive();
            case SEND -> send();
            case FINALIZE -> close();
        };
    }

    /** It has observed all of its history: the next call is a new one. False if it has to wait for more history. */
    private boolean goesLive() {
        if (!historyEnded || !history.isEmpty()) {
            return false;
        }
        live = true;
        out.add(frames.live());
        return true;
    }

    private boolean poll() {
        if (live) {
            boolean asks = !asked;
            if (asks) {
                asked = true;
                write(frames.probe(false, 0, Wire.ANY, rank, 0, next, failedPolls));
            }
            return false;
        }
        boolean isNext = !history.isEmpty() && history.peek() == failedPolls;
        if (!isNext && failedPolls < failedPollsKnown) {
            failedPolls++;
            observe("nothing");
            return true;
        }
        if (isNext) {
            history.remove();
            observe("something");
            return true;
        }
        return goesLive();
    }

    private boolean receive() {
        long ordinal = received + 1;
        if (arrived.containsKey(ordinal)) {
            received = ordinal;
            observe("got " + arrived.get(ordinal));
            return true;
        }
        if (live && !asked) {
            asked = true;
            ByteBuffer post = frames.post(0, Wire.ANY, rank, 0, (int) ordinal, failedPolls);
            new FrameView().wrap(post, 0).ordinal(ordinal);
            write(post);
        }
        return !live && goesLive();
    }

    private boolean send() {
        right.add(observed.hashCode() & 0x3f);
        sent.add(fault.applyAsInt(right.getLast()));
        write(message(sent.size()));
        next++;
        return true;
    }

    private ByteBuffer message(long sequence) {
        int payload = sent.get((int) sequence - 1);
        boolean claims = follows || sequence <= accepted;
        ByteBuffer frame = frames.message(claims ? FrameType.RESENT : FrameType.SEND, 0, rank, 1 - rank, 0, sequence, 1);
        FrameView view = new FrameView().wrap(frame, 0);
        if (claims) {
            byte[] content = {(byte) (claimsWhatIsRight ? right.get((int) sequence - 1) : payload)};
            ByteBuffer claim = frames.resent(rank, 1 - rank, sequence);
            new FrameView().wrap(claim, 0).content(1, 1, 1).checksum(MessageChecksum.piece(ByteBuffer.wrap(content)));
            return claim;
        }
        view.failedPolls(failedPolls);
        if (incarnation > 1) {
            view.flags(view.flags() | FrameView.AGAIN);
        }
        return frame.put(Wire.MESSAGE_HEADER_BYTES, (byte) payload);
    }

    private boolean close() {
        if (!live && !follows) {
            return goesLive();
        }
        if (!asked) {
            asked = true;
            write(frames.finalizing(failedPolls));
        }
        return false;
    }

    // ---- what it reads

    void answered(boolean found) {
        if (found) {
            events++;
            unreported = true;
            observe("something");
        } else {
            failedPolls++;
            observe("nothing");
        }
        run();
    }

    void delivered(long ordinal, int payload) {
        arrived.put(ordinal, payload);
        run();
    }

    void history(int count, int failedPollsBefore, boolean ends) {
        failedPollsKnown = failedPollsBefore;
        for (int i = 0; i < count; i++) {
            events++;
            history.add(failedPollsBefore);
        }
        historyEnded = ends;
        run();
    }

    /** It leads; the relay has its messages up to this one. */
    void promoted(int nextIncarnation, long acceptedUpTo) {
        incarnation = nextIncarnation;
        follows = false;
        asked = false;
        accepted = acceptedUpTo;
        for (long sequence = accepted + 1; sequence <= sent.size(); sequence++) {
            write(message(sequence));
        }
        run();
    }

    /** The payload of a message that it has sent, or would have; -1 if it was not that far. */
    int sentAs(int sequence) {
        return sequence <= sent.size() ? sent.get(sequence - 1) : -1;
    }

    /** Whether the frame of this message has not reached the relay. */
    boolean isUnderWay(int sequence) {
        return out.stream().map(frame -> new FrameView().wrap(frame, 0)).anyMatch(view -> view.type() == FrameType.RESENT && view.sequence() == sequence);
    }

    void ends(String how) {
        end = how;
    }

    /** All that its further behaviour follows from. */
    @Override
    public String toString() {
        return rank + "." + incarnation + (follows ? " follows" : live ? " live" : " replays") + (dead ? " dead" : "") + " " + end + " at " + next + asked
                + observed + history + historyEnded + failedPollsKnown + arrived + accepted + unreported + sent
                + out.stream().map(frame -> new FrameView().wrap(frame, 0).toString()).toList();
    }
}
