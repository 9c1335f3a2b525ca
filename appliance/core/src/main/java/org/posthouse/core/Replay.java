package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Brings a rank's process to where the rank is (docs/wire.md, replay): one that has just started, or one whose connection broke
 * and which knows most of it. Hands out what it does not know of its history in the order of the log, unasked, as fast as its
 * connection takes it; the rank finds out which of its receives each message is for, and posts none before it is live. Confined to the
 * relay core.
 *
 * <p>It holds some steps of the history and no table of it: what brakes it is {@link RankPort#writable}.
 */
final class Replay {
    /** Failed polls that are told at once; as a rank does. */
    private static final int POLLS_AT_ONCE = 1 << 30;

    /** Steps that wait here, below which more are asked for. */
    static final int AHEAD_MIN = 512;

    private final HomedRank rank;
    private final RankPort port;
    private final Historian historian;
    private final Headway headway;
    private final int number;
    private final long startNanos;
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
     * @param headway what the process has of it
     * @param number the rank's number for it
     */
    Replay(HomedRank rank, RankPort port, Headway headway, Historian historian, int number, long startNanos) {
        this.rank = rank;
        this.port = port;
        this.headway = headway;
        this.deliveries = headway.deliveries();
        this.events = headway.events();
        this.polls = headway.failedPolls();
        this.pollsTold = headway.failedPolls();
        this.historian = historian;
        this.number = number;
        this.startNanos = startNanos;
        this.eventsBefore = headway == Headway.NONE ? Long.MAX_VALUE : rank.events();
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
        return deliveries - jumpedOver - headway.deliveries();
    }

    Headway headway() {
        return headway;
    }

    /** The rank's connection. */
    RankPort port() {
        return port;
    }

    /** How the rank's connection looks to the core meanwhile. */
    RankPort senderOnly() {
        return new SenderOnly(rank, this);
    }

    void begin() {
        historian.begin(rank, number, headway.readFrom(), headway.events(), headway.originKnown());
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

    /** Hands out what can be, as far as the rank reads. */
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
        if (delivered.number() <= headway.deliveries()) {
            long has = headway.has(delivered.message());
            if (delivered.arrived() < delivered.message().bytes()) {
                given.put(delivered.message(), has);
            }
            return pass(delivered.message(), has, delivered.arrived());
        }
        requireNext("delivery", delivered.number(), deliveries + 1);
        deliveries++;
        tellPolls();
        Message message = delivered.message();
        Parcel head = rank.job().journal().head(rank.job().id(), message, true);
        long rides = head.payloadBytes();
        port.push(message, delivered.ordinal(), head);
        return pass(message, rides, delivered.arrived());
    }

    /** Where the rank had asked whether it is restored it hears the answer again; what follows depends on it. */
    private boolean start(Past.PrologueEnd prologue) {
        if (headway.originKnown()) {
            return true; // A process that has lost its connection has heard it.
        }
        boolean jumps = prologue.number() > 0;
        Job job = rank.job();
        port.point(new CheckpointNotice(
                job.id(),
                jumps ? CheckpointNotice.Kind.JUMP : CheckpointNotice.Kind.READY,
                (int) polls,
                prologue.number(),
                prologue.bytes(),
                prologue.events(),
                0,
                0,
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
        boolean known = told.first() + told.count() - 1 <= headway.events();
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

    /** What is told are 32 bits: so it is told in steps that these can tell. */
    private boolean learn(Past.Polls known) {
        polls = Math.max(polls, known.failed());
        while (polls - pollsTold > POLLS_AT_ONCE) {
            pollsTold += POLLS_AT_ONCE;
            port.events(events + 1, 0, (int) pollsTold, null, false);
        }
        return true;
    }

    /** Else the rank would have to read on, behind what it is given next, to know whether a poll before that fails. */
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
            port.events(events + 1, 0, (int) Math.max(headway.failedPolls(), rank.failedPolls()), null, true);
        }
        return true;
    }

    /** Whether the rank has been given all of its history, and what comes for it now goes behind that. */
    boolean isHandedOut() {
        return ended;
    }

    /** Whether the history, which was logged up to {@code position}, is handed out up to there; false if it has ended. */
    boolean comesTo(long position) {
        if (!ended) {
            until = position;
        }
        return !ended;
    }

    /** The rank has observed all of it again. */
    void requireEnded() throws WireException {
        if (!ended) {
            throw new WireException(CloseReason.NOT_EXPECTED, "LIVE from " + rank + " before the end of its history");
        }
    }
}
