package org.posthouse.relay.log;

import java.nio.ByteBuffer;
import org.posthouse.core.CheckpointImage;
import org.posthouse.core.Journal;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.Receive;
import org.posthouse.core.RecoveryPoint;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.RankLog;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.io.BufferParcel;

/**
 * The journal of all shards, kept in the relay's one message log: turns each event into a record. Thread-safe: it uses the
 * log under the monitor of the appender.
 *
 * <p>An append copies into mapped memory, on the thread that matched the message. A read copies at most one frame of 64
 * KiB, nearly always from the page cache.
 */
public final class LogJournal implements Journal {
    private final LogAppender appender;
    private final LoggedFrames frames;
    private final RestartPoints points;
    private final LogSpace room;

    /** Guarded by {@link #appender}. */
    private final ByteBuffer[] payload = new ByteBuffer[1];

    LogJournal(LogAppender appender, LoggedFrames frames, RestartPoints points, LogSpace room) {
        this.appender = appender;
        this.frames = frames;
        this.points = points;
        this.room = room;
    }

    @Override
    public void arrival(long job, Message message, Parcel head) {
        log(job, message, head, null);
    }

    @Override
    public void arrivalDelivered(
            long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {
        log(job, message, head, new LogRecord.Receipt(incarnation, delivery, receive.ordinal()));
    }

    private void log(long job, Message message, Parcel head, LogRecord.Receipt receipt) {
        LogRecord.Arrival record = new LogRecord.Arrival(
                job,
                message.destination(),
                message.context(),
                message.source(),
                message.tag(),
                message.sequence(),
                message.datatype(),
                message.elements(),
                message.bytes(),
                form(message),
                message.isStorable(),
                receipt);
        synchronized (appender) {
            long position = appender.append(job, log -> log.appendArrival(record, payload(head)));
            message.logged(position, appender.place());
        }
    }

    @Override
    public long chunk(long job, Message message, long offset, Parcel chunk) {
        synchronized (appender) {
            appender.append(job, log -> log.appendChunk(job, message.destination(), message.logPosition(), offset, payload(chunk)));
            return appender.place();
        }
    }

    private static LogRecord.Form form(Message message) {
        return switch (message.form()) {
            case SEND -> LogRecord.Form.SEND;
            case EAGER -> LogRecord.Form.EAGER;
            case OFFER -> LogRecord.Form.OFFER;
            default -> throw new IllegalStateException(message + " came as " + message.form());
        };
    }

    @Override
    public void delivery(long job, int rank, int incarnation, long delivery, Message message) {
        appender.append(job, log -> log.appendDelivery(new LogRecord.Delivery(
                job,
                rank,
                new LogRecord.Receipt(incarnation, delivery, message.receive().ordinal()),
                message.context(),
                message.source(),
                message.sequence(),
                message.logPosition(),
                message.logPlace())));
    }

    @Override
    public void polls(long job, int rank, int incarnation, long failedPolls) {
        appender.append(job, log -> log.append(new LogRecord.Polls(job, rank, incarnation, failedPolls)));
    }

    @Override
    public void events(
            long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {
        appender.append(job, log -> log.appendEvents(new LogRecord.Events(job, rank, incarnation, count, first, limited), payload(items)));
    }

    @Override
    public void incarnation(long job, int rank, int incarnation) {
        appender.append(job, log -> log.append(new LogRecord.Incarnation(job, rank, incarnation, 0, 0)));
    }

    @Override
    public void promoted(long job, int rank, int incarnation, int follower) {
        appender.append(job, log -> log.append(new LogRecord.Incarnation(job, rank, incarnation, LogRecord.Incarnation.PROMOTED, follower)));
    }

    @Override
    public void withdrawn(long job, Message offer) {
        appender.append(job, log -> log.appendWithdrawn(new LogRecord.Withdrawn(
                job,
                offer.destination(),
                offer.context(),
                offer.source(),
                offer.sequence(),
                offer.logPosition())));
    }

    @Override
    public void failed(long job, int rank, ByteBuffer frame) {
        synchronized (appender) {
            appender.append(job, log -> log.appendFailed(new LogRecord.Failed(job, rank), frame));
            if (rank >= 0) {
                room.lookSoon(); // Nobody needs its records any more.
            }
        }
    }

    @Override
    public void agreed(long job, ByteBuffer frame) {
        appender.append(job, log -> log.appendAgreed(new LogRecord.Agreed(job), frame));
    }

    @Override
    public void finalized(long job, int rank, int incarnation) {
        appender.append(job, log -> log.append(new LogRecord.Finalized(job, rank, incarnation, false)));
    }

    /** A failure to log this does no harm: the records that the rank needed stay in the log. */
    @Override
    public void done(long job, int rank, int incarnation) {
        synchronized (appender) {
            if (appender.log() != null && !isDone(job, rank)) {
                appender.tryAppend(
                        "has a rank that is done", job,
                        () -> appender.appendOptional(job, log -> log.append(new LogRecord.Finalized(job, rank, incarnation, true))));
                if (isDone(job, rank)) {
                    points.needsNone(job, rank);
                }
                room.lookSoon();
            }
        }
    }

    private boolean isDone(long job, int rank) {
        MessageLog log = appender.log();
        RankLog history = log.book().rank(job, rank);
        log.handOver();
        return history != null && history.done();
    }

    /**
     * Stops logging for the job. A message that could not be read back may be logged as delivered, and no record may
     * follow it.
     */
    @Override
    public void giveUp(long job, String why) {
        appender.giveUp(job, why);
    }

    @Override
    public boolean isBroken(long job) {
        return appender.isBroken(job);
    }

    @Override
    public long position() {
        return appender.position();
    }

    @Override
    public void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image) {
        synchronized (appender) {
            appender.append(job, log -> log.append(new LogRecord.CheckpointTaken(job, rank, point(at, image))));
            if (!at.waits().isEmpty()) {
                room.pinned(at.pin(), at.waits());
            }
            room.lookSoon();
        }
    }

    /**
     * The log's record of a point from which a rank can be restarted. {@code image} is null if the point is the start
     * of its program.
     */
    public static Checkpoint point(RecoveryPoint at, CheckpointImage image) {
        return new Checkpoint(
                image == null ? 0 : image.number(),
                image == null ? 0 : image.bytes(),
                at.pin(),
                at.events(),
                at.deliveries(),
                at.polls(),
                image == null ? 0 : image.crc(),
                image == null,
                at.out(),
                at.err());
    }

    @Override
    public boolean hasAmpleRoom() {
        synchronized (appender) {
            MessageLog log = appender.log();
            if (log == null) {
                return false; // The relay has stopped after the message that asks was logged.
            }
            try {
                return log.hasAmpleRoom();
            } finally {
                log.handOver();
            }
        }
    }

    @Override
    public boolean holds() {
        return room.holds();
    }

    @Override
    public Parcel head(long job, Message message, boolean payload) {
        synchronized (appender) {
            return frames.head(job, message, payload);
        }
    }

    @Override
    public Parcel piece(long job, Message message, long offset) {
        synchronized (appender) {
            return frames.piece(job, message, offset);
        }
    }

    private ByteBuffer[] payload(Parcel parcel) {
        assert Thread.holdsLock(appender);
        BufferParcel frame = (BufferParcel) parcel;
        payload[0] = frame.buffer().nioBuffer(frame.payloadIndex(), frame.payloadBytes());
        return payload;
    }
}
