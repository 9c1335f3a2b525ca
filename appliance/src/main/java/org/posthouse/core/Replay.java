package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Point;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Brings a rank's process to where the rank is (DESIGN section 5): one that has just started, or one whose connection broke
 * and which knows most of it. Hands out what it does not know of its history in the order of the log, and no
 * delivery before the rank has posted the receive that got it. What the rank posts meanwhile is parked; what is left of
 * it when the history has ended waits in the mailbox like any other receive. Confined to the relay core.
 *
 * <p>It never looks ahead in the history and needs no table of it: a receive depends only on what was logged before the
 * message that it got (docs/plans/recovery.md, 2.6).
 */
final class Replay {
    /** Steps that wait here, below which more are asked for. */
    static final int AHEAD_MIN = 512;

    private record Parked(int context, long ordinal) {}

    private final HomedRank rank;
    private final RankPort port;
    private final Historian historian;
    private final Progress progress;
    private final int number;
    private final long startNanos;
    private final Map<Parked, Receive> parked = new LinkedHashMap<>();
    private final ArrayDeque<Past> ahead = new ArrayDeque<>();

    /** Messages that the process was given before, of which it has the bytes up to here. */
    private final Map<Message, Long> given = new HashMap<>();

    /** A message whose bytes are being handed out, from {@link #offset} up to {@link #upTo}. */
    private Message passing;

    private long offset;
    private long upTo;

    /** The history ends at this position of the log at the earliest. */
    private long until;

    private long deliveries;

    /** Deliveries that the rank need not see again, because an image has what came of them. */
    private long jumpedOver;

    /** Events that were told before the process came on this connection; what it tells now is no history to it. */
    private final long eventsBefore;

    /** The last event handed out; failed polls that the history has come to, and those that were told. */
    private long events;

    private long polls;
    private long pollsTold;
    private boolean asked = true;
    private boolean endRead;
    private boolean ended;

    /**
     * @param progress what the process has of it
     * @param number the rank's number for it
     */
    Replay(HomedRank rank, RankPort port, Progress progress, Historian historian, int number, long startNanos) {
        this.rank = rank;
        this.port = port;
        this.progress = progress;
        this.deliveries = progress.deliveries();
        this.events = progress.events();
        this.polls = progress.failedPolls();
        this.pollsTold = progress.failedPolls();
        this.historian = historian;
        this.number = number;
        this.startNanos = startNanos;
        this.eventsBefore = progress == Progress.NONE ? Long.MAX_VALUE : rank.events();
        this.until = rank.job().journal().position();
    }

    int number() {
        return number;
    }

    long startNanos() {
        return startNanos;
    }

    /** Deliveries handed out so far. */
    long deliveries() {
        return deliveries - jumpedOver - progress.deliveries();
    }

    Progress progress() {
        return progress;
    }

    /** The rank's connection. */
    RankPort port() {
        return port;
    }

    /** How the rank's connection looks to the core meanwhile. */
    RankPort senderOnly() {
        return new SenderOnly();
    }

    void begin() {
        historian.begin(rank, number, progress.readFrom(), progress.events());
    }

    /** The rank, or the core, does not go on with it. */
    void stop() {
        if (!ended) {
            historian.end(rank, number);
        }
    }

    /** The next steps of the history. */
    void past(List<Past> steps) {
        asked = false;
        ahead.addAll(steps);
        endRead = !ahead.isEmpty() && ahead.getLast() instanceof Past.End;
        goOn();
    }

    /** Hands out what can be: as far as the rank reads, and has posted receives. */
    void goOn() {
        while (!ended && port.writable() && (passing == null ? handOut() : passPiece())) {
            askForMore();
        }
        askForMore();
    }

    private void askForMore() {
        if (!asked && !endRead && ahead.size() < AHEAD_MIN) {
            asked = true;
            historian.more(rank, number);
        }
    }

    /** One step; false if it has to wait. */
    private boolean handOut() {
        Past step = ahead.peek();
        boolean done =
                switch (step) {
                    case null -> false;
                    case Past.Delivered delivered -> deliver(delivered);
                    case Past.Piece piece -> pass(piece);
                    case Past.Events events -> tell(events);
                    case Past.Polls polls -> learn(polls);
                    case Past.PrologueEnd prologue -> start(prologue);
                    case Past.ImagePiece piece -> pass(piece);
                    case Past.End end -> end(end);
                };
        if (done) {
            ahead.remove();
        }
        return done;
    }

    private boolean deliver(Past.Delivered delivered) {
        if (delivered.number() <= progress.deliveries()) {
            long has = progress.has(delivered.message());
            if (delivered.arrived() < delivered.message().bytes()) {
                given.put(delivered.message(), has);
            }
            return pass(delivered.message(), has, delivered.arrived());
        }
        Receive receive = parked.remove(new Parked(delivered.context(), delivered.ordinal()));
        if (receive == null) {
            tellPolls();
            return false;
        }
        requireNext("delivery", delivered.number(), ++deliveries);
        Message message = delivered.message();
        message.match(receive);
        Parcel head = rank.job().journal().head(rank.job().id(), message, true);
        long rides = head.payloadBytes();
        port.deliver(message, head);
        return pass(message, rides, delivered.arrived());
    }

    /** Where the rank had asked whether it is restored it hears the answer again; what follows depends on it. */
    private boolean start(Past.PrologueEnd prologue) {
        if (prologue.deliveries() < progress.deliveries() || prologue.events() < progress.events()) {
            return true; // A process that has lost its connection has heard it.
        }
        boolean jumps = prologue.number() > 0;
        Job job = rank.job();
        job.report(JobEvent.OUTPUT, rank.rank(), Math.toIntExact(prologue.number()), "");
        port.point(new Point(
                job.id(),
                jumps ? Point.Kind.JUMP : Point.Kind.READY,
                (int) polls,
                prologue.number(),
                prologue.bytes(),
                prologue.events(),
                0,
                0));
        if (jumps) {
            jumpedOver = prologue.deliveries() - deliveries;
            deliveries = prologue.deliveries();
            events = prologue.events();
            polls = prologue.polls();
        }
        pollsTold = polls;
        return true;
    }

    private boolean pass(Past.ImagePiece piece) {
        port.image(piece);
        return true;
    }

    private boolean pass(Past.Piece piece) {
        piece.message().loggedPiece(piece.bytes(), piece.place());
        long has = given.getOrDefault(piece.message(), 0L);
        return pass(piece.message(), Math.max(has, piece.offset()), piece.offset() + piece.bytes());
    }

    private boolean pass(Message message, long from, long to) {
        if (from < to) {
            passing = message;
            offset = from;
            upTo = to;
        }
        return true;
    }

    private boolean passPiece() {
        port.chunk(rank.job().journal().piece(rank.job().id(), passing, offset));
        offset += Wire.PAYLOAD_BYTES_MAX;
        if (offset >= upTo) {
            passing = null;
        }
        return true;
    }

    private boolean tell(Past.Events told) {
        boolean known = told.first() + told.count() - 1 <= progress.events();
        if (known || told.first() > eventsBefore) {
            return true;
        }
        requireNext("event", told.first(), events + 1);
        pollsTold = polls;
        events = told.first() + told.count() - 1;
        port.events(told.first(), told.count(), (int) polls, told.items(), false);
        return true;
    }

    /** A record that is passed over unseen would show here: the log's checksums are of what is read. */
    private void requireNext(String what, long found, long expected) {
        if (found != expected) {
            throw new JournalDamaged(
                    "the history of " + rank + " has " + what + " " + found + " where " + expected + " was expected", null);
        }
    }

    private boolean learn(Past.Polls known) {
        polls = Math.max(polls, known.failed());
        return true;
    }

    /** What the rank has to wait for may need polls that fail before. */
    private void tellPolls() {
        if (polls != pollsTold) {
            pollsTold = polls;
            port.events(events + 1, 0, (int) polls, null, false);
        }
    }

    private boolean end(Past.End end) {
        if (end.position() < until) {
            endRead = false;
        } else {
            ended = true;
            historian.end(rank, number);
            port.events(events + 1, 0, (int) Math.max(progress.failedPolls(), rank.failedPolls()), null, true);
        }
        return true;
    }

    /** Whether the history, which was logged up to {@code position}, is handed out up to there; false if it has ended. */
    boolean comesTo(long position) {
        if (!ended) {
            until = position;
        }
        return !ended;
    }

    /** The rank posts a receive: one that history has a message for, or one that will wait. */
    void park(Receive receive) {
        parked.put(new Parked(receive.context(), receive.ordinal()), receive);
        goOn();
    }

    /** Takes a receive back that history took back. */
    boolean cancel(int context, long ordinal) {
        return parked.remove(new Parked(context, ordinal)) != null;
    }

    boolean mayPark() {
        return parked.size() < Mailbox.RECEIVES_MAX;
    }

    /** The rank has observed all of it again. @return the receives that nothing has matched, in the order of their posts */
    List<Receive> live() throws WireException {
        if (!ended) {
            throw new WireException(Reason.NOT_EXPECTED, "LIVE from " + rank + " before the end of its history");
        }
        return List.copyOf(parked.values());
    }

    /** The rank sends and hears about what it sends; what it receives comes out of its history. */
    private final class SenderOnly implements RankPort {
        @Override
        public void deliver(Message message, Parcel head) {
            throw new IllegalStateException(message + " is delivered to " + rank + ", which is replayed");
        }

        @Override
        public void push(Message message, Parcel head) {
            throw new IllegalStateException(message + " is pushed to " + rank + ", which is logged");
        }

        @Override
        public void ended(int context, int round, Round.End why, long pushedCost) {
            throw new IllegalStateException("a round of " + rank + ", which is logged");
        }

        /** The log has it, and the history will come to it; unless all of it was handed out. */
        @Override
        public void chunk(Parcel chunk) {
            if (comesTo(rank.job().journal().position())) {
                chunk.release();
            } else {
                port.chunk(chunk);
            }
        }

        @Override
        public void clear(int context, int destination, long sequence, long upTo) {
            port.clear(context, destination, sequence, upTo);
        }

        @Override
        public void credit(long bytes, int messages) {
            port.credit(bytes, messages);
        }

        @Override
        public void probeAnswer(int request, Message found) {
            throw new IllegalStateException("a probe of " + rank + ", which is replayed");
        }

        @Override
        public void cancelled(int request, boolean gone) {
            port.cancelled(request, gone);
        }

        @Override
        public void withdrawn(int context, int destination, long sequence, boolean gone) {
            port.withdrawn(context, destination, sequence, gone);
        }

        /** What it was told then is in its history; what it is to be told now it will ask for again. */
        @Override
        public void mismatch(Stall stall) {}

        @Override
        public void events(long first, int count, int failedPolls, ByteBuffer items, boolean end) {
            port.events(first, count, failedPolls, items, end);
        }

        /** It is told when it is live. */
        @Override
        public void point(Point point) {
            throw new IllegalStateException(point + " for " + rank + ", which is replayed");
        }

        @Override
        public void image(Past.ImagePiece piece) {
            throw new IllegalStateException("an image for " + rank + " that is not of its history");
        }

        @Override
        public void ack(long safe, long handled) {
            port.ack(safe, handled);
        }

        @Override
        public void move() {
            throw new IllegalStateException(rank + " is replayed and cannot move");
        }

        @Override
        public void finalized() {
            port.finalized();
        }

        @Override
        public void aborted(Notice notice) {
            port.aborted(notice);
        }

        @Override
        public void close(Notice why) {
            port.close(why);
        }

        /** What depends on the rank's reading waits until it is live. */
        @Override
        public boolean writable() {
            return false;
        }
    }
}
