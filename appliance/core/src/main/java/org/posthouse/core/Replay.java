package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Replays a rank's history to its process (docs/wire.md, replay). The process has just started, or its connection broke
 * and it knows most of the history. Sends the unknown part in the order of the log, unasked, as fast as the connection
 * takes it. The rank finds the receive that each message is for, and posts none before it is live. Confined to the
 * relay core.
 *
 * <p>It holds some steps of the history and no table of it. {@link RankPort#writable} limits its speed.
 */
final class Replay {
    /** Failed polls that are reported at once, as a rank does. */
    private static final int POLLS_AT_ONCE = 1 << 30;

    /** Number of waiting steps below which more are requested. */
    static final int AHEAD_MIN = 512;

    private final HomedRank rank;
    private final RankPort port;
    private final HistorySource historySource;
    private final ResumePoint resumePoint;
    private final int number;
    private final long startNanos;
    private final ArrayDeque<HistoryStep> ahead = new ArrayDeque<>();
    private final List<Runnable> behindHistory = new ArrayList<>();

    /** Messages that the process was given before, with the offset up to which it has their bytes. */
    private final Map<Message, Long> given = new HashMap<>();

    /** The message whose bytes are being sent, from {@link #offset} up to {@link #upTo}. */
    private Message passing;

    private long offset;
    private long upTo;

    /** The history ends at this log position at the earliest. */
    private long until;

    private long deliveries;

    /** Deliveries that the rank need not see again, because an image includes their effects. */
    private long jumpedOver;

    /**
     * Number of events reported before the process connected here. Later ones are not part of its history.
     */
    private long eventsBefore;

    /**
     * Number of the last event sent to the rank; then the failed polls that the history has reached, and those reported
     * to the rank.
     */
    private long events;

    private long polls;
    private long pollsTold;
    private boolean asked;
    private boolean endRead;
    private boolean ended;

    /** Whether the process follows the rank's leader: its history does not end, and it gets only what is safe. */
    private boolean following;

    private boolean wasFollowing;

    /** Number of steps and pieces that were sent. */
    long moves() {
        return moves;
    }

    /** Whether its history is being read: the rank has had a process. */
    boolean isBegun() {
        return begun;
    }

    /** The log position up to which a follower may know the history. */
    private long safe;

    /** The log position up to which the history was read. */
    private long read = -1;

    private boolean begun;

    /** What the process was sent over its earlier connection; null once this has begun. */
    private Replay before;

    /** Number of steps and pieces that were sent. */
    private long moves;

    /**
     * @param headway the part of the history that the process has
     * @param number the rank's number of this replay
     */
    Replay(HomedRank rank, RankPort port, ResumePoint resumePoint, HistorySource historySource, int number, long startNanos) {
        this.rank = rank;
        this.port = port;
        this.resumePoint = resumePoint;
        this.deliveries = resumePoint.deliveries();
        this.events = resumePoint.events();
        this.polls = resumePoint.failedPolls();
        this.pollsTold = resumePoint.failedPolls();
        this.historySource = historySource;
        this.number = number;
        this.startNanos = startNanos;
        this.eventsBefore = resumePoint == ResumePoint.NONE ? Long.MAX_VALUE : rank.counters().events();
        this.until = rank.job().journal().position();
    }

    /** The history of a follower: it goes on until {@link #lead}. */
    static Replay following(
            HomedRank rank, RankPort port, ResumePoint resumePoint, HistorySource historySource, int number, long startNanos) {
        Replay replay = new Replay(rank, port, resumePoint, historySource, number, startNanos);
        replay.following = true;
        replay.eventsBefore = Long.MAX_VALUE;
        return replay;
    }

    /** The follower leads from here on: its history ends where the log ends now. */
    void lead() {
        following = false;
        wasFollowing = true;
        until = rank.job().journal().position();
    }

    /** Whether the process was a follower when it came. */
    boolean wasFollowing() {
        return wasFollowing;
    }

    /** Goes on after {@link #lead}. */
    void resume() {
        if (begun) {
            goOn();
        } else {
            begin();
        }
    }

    /** The log is safe up to this position: a follower gets what it has not. */
    void logSafe(long position) {
        safe = position;
        if (begun) {
            askForMore();
        } else if (rank.incarnation() > 0) {
            begin();
        }
    }

    /** How far the process was brought in its rank's history: deliveries and events. */
    long reached() {
        return deliveries + events;
    }

    /** The log position up to which a follower was sent all of the history; -1 if nothing was read yet. */
    long reachedPosition() {
        return read;
    }

    int number() {
        return number;
    }

    long startNanos() {
        return startNanos;
    }

    /** Deliveries sent so far. */
    long deliveries() {
        return deliveries - jumpedOver - resumePoint.deliveries();
    }

    ResumePoint headway() {
        return resumePoint;
    }

    /** The rank's connection. */
    RankPort port() {
        return port;
    }

    /** The rank's connection as the core sees it during the replay. */
    RankPort senderOnly() {
        return new ReplayPort(rank, this);
    }

    /** The process has come over another connection: its history is kept for the earlier one until it is read for this one. */
    void takesOverFrom(Replay earlier) {
        before = earlier;
    }

    private void stopBefore() {
        if (before != null) {
            before.stop();
            before = null;
        }
    }

    void begin() {
        begun = true;
        asked = true;
        historySource.begin(rank, number, resumePoint.readFrom(), resumePoint.events(), resumePoint.originKnown(), following || wasFollowing, upTo());
        stopBefore();
    }

    /** The last log position that the process may know of. */
    private long upTo() {
        return following ? safe : Long.MAX_VALUE;
    }

    /** Stops the replay: the rank or the core does not continue it. */
    void stop() {
        stopBefore();
        if (begun && !ended) {
            historySource.end(rank, number);
        }
    }

    /** Adds the next steps of the history. */
    void past(List<HistoryStep> steps) {
        asked = false;
        ahead.addAll(steps);
        endRead = !ahead.isEmpty() && ahead.getLast() instanceof HistoryStep.End;
        goOn();
    }

    /** Sends as many steps as the rank reads. */
    void goOn() {
        while (!ended && port.writable() && (passing == null ? handOut() : passPiece())) {
            moves++;
            askForMore();
        }
        askForMore();
    }

    private void askForMore() {
        if (begun && !asked && !endRead && ahead.size() < AHEAD_MIN && (!following || upTo() > read)) {
            asked = true;
            historySource.more(rank, number, upTo());
        }
    }

    /** Sends one step; false if it has to wait. */
    private boolean handOut() {
        HistoryStep step = ahead.peek();
        boolean done =
                switch (step) {
                    case null -> false;
                    case HistoryStep.Delivered delivered -> deliver(delivered);
                    case HistoryStep.Piece piece -> pass(piece);
                    case HistoryStep.Events events -> tell(events);
                    case HistoryStep.Polls polls -> learn(polls);
                    case HistoryStep.PrologueEnd prologue -> start(prologue);
                    case HistoryStep.ImagePiece piece -> pass(piece);
                    case HistoryStep.Reached reached -> reached(reached.position());
                    case HistoryStep.End end -> end(end);
                };
        if (done) {
            ahead.remove();
        }
        return done;
    }

    private boolean deliver(HistoryStep.Delivered delivered) {
        if (delivered.number() <= resumePoint.deliveries()) {
            long has = resumePoint.has(delivered.message());
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

    /** Repeats the answer to the rank's question whether it is restored; what follows depends on it. */
    private boolean start(HistoryStep.PrologueEnd prologue) {
        if (resumePoint.originKnown()) {
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

    private boolean pass(HistoryStep.ImagePiece piece) {
        port.image(piece);
        return true;
    }

    private boolean pass(HistoryStep.Piece piece) {
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

    private boolean tell(HistoryStep.Events told) {
        boolean known = told.first() + told.count() - 1 <= resumePoint.events();
        if (known || told.first() > eventsBefore) {
            return true;
        }
        requireNext("event", told.first(), events + 1);
        pollsTold = polls;
        events = told.first() + told.count() - 1;
        port.events(told.first(), told.count(), (int) polls, told.items(), false);
        return true;
    }

    /** Detects a record that was skipped unnoticed. The log's checksums cover only what is read. */
    private void requireNext(String what, long found, long expected) {
        if (found != expected) {
            throw new JournalDamaged(
                    "the history of " + rank + " has " + what + " " + found + " where " + expected + " was expected", null);
        }
    }

    /** Splits the count into steps that 32 bits can express, since reports carry 32 bits. */
    private boolean learn(HistoryStep.Polls known) {
        polls = Math.max(polls, known.failed());
        while (polls - pollsTold > POLLS_AT_ONCE) {
            pollsTold += POLLS_AT_ONCE;
            port.events(events + 1, 0, (int) pollsTold, null, false);
        }
        return true;
    }

    /**
     * Reports failed polls early. The rank would otherwise have to read past the next delivery to know whether a poll
     * before it fails.
     */
    private void tellPolls() {
        if (polls != pollsTold) {
            pollsTold = polls;
            port.events(events + 1, 0, (int) polls, null, false);
        }
    }

    /** All of the history up to this position was sent. */
    private boolean reached(long position) {
        read = position;
        if (following || wasFollowing && rank.job().isInMemory()) { // A leader that comes again reads the log from where it knows.
            historySource.reached(rank, number, read);
        }
        return true;
    }

    private boolean end(HistoryStep.End end) {
        reached(end.position());
        if (following) {
            tellPolls();
            endRead = false;
        } else if (end.position() < until) {
            endRead = false;
        } else {
            ended = true;
            historySource.end(rank, number);
            port.events(events + 1, 0, (int) Math.max(resumePoint.failedPolls(), rank.counters().failedPolls()), null, true);
            behindHistory.forEach(Runnable::run);
            behindHistory.clear();
        }
        return true;
    }

    /** Whether the rank has been sent all of its history, so that new frames for it follow that. */
    boolean isHandedOut() {
        return ended;
    }

    /** Does this now, or behind the last frame of the history. */
    void whenHandedOut(Runnable action) {
        if (ended) {
            action.run();
        } else {
            behindHistory.add(action);
        }
    }

    /** Whether the history, which was logged up to {@code position}, is sent up to there; false if it has ended. */
    boolean comesTo(long position) {
        if (!ended) {
            until = position;
        }
        return !ended;
    }

    /** The rank has observed all of its history again. */
    void requireEnded() throws WireException {
        if (!ended) {
            throw new WireException(CloseReason.NOT_EXPECTED, "LIVE from " + rank + " before the end of its history");
        }
    }
}
