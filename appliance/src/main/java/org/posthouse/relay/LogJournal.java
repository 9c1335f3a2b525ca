package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.JournalFull;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.LogStats;
import org.posthouse.logstore.MessageLog;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Wire;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards' journal over the relay's one message log, which has one writer at a time: shards take turns. Appends are
 * copies into mapped memory and are made where the message is matched; opening and closing block and are not.
 */
final class LogJournal implements Journal {
    private static final Logger LOG = LoggerFactory.getLogger(LogJournal.class);

    private final ByteBuffer[] payload = new ByteBuffer[1];
    private volatile MessageLog log;

    /** Opens the log, and so recovers and verifies it. Blocks. */
    Void open(Path folder) {
        log = MessageLog.open(LogConfig.of(folder));
        return null;
    }

    /** Blocks. */
    Void close() {
        MessageLog open = log;
        log = null;
        if (open != null) {
            open.close();
        }
        return null;
    }

    /** The journal of a job that is to be logged. */
    synchronized Journal forJob(JobOpen job) {
        checkRoom(log.appendJobOpened(new LogRecord.JobOpened(job.job(), job.size(), job.name())), job.job());
        return this;
    }

    /** Whether jobs can be logged. */
    boolean isOpen() {
        return log != null;
    }

    /** The job has ended: nothing of it is needed any more. */
    synchronized void jobClosed(long job) {
        if (log.appendJobClosed(new LogRecord.JobClosed(job)) == MessageLog.NO_ROOM) {
            LOG.warn("job {} has ended, which could not be logged: the log's disk is nearly full", Job.hexId(job));
        }
    }

    /** Thread-safe; empty without a log. */
    Optional<LogStats> stats() {
        return Optional.ofNullable(log).map(MessageLog::stats);
    }

    @Override
    public synchronized long arrival(long job, Message message, Parcel head) {
        LogRecord.Arrival record = new LogRecord.Arrival(
                job,
                message.destination(),
                message.context(),
                message.source(),
                message.tag(),
                message.sequence(),
                message.datatype(),
                message.elements(),
                message.bytes());
        return checkRoom(log.appendArrival(record, payload(head, Wire.MESSAGE_HEADER_BYTES)), job);
    }

    @Override
    public synchronized void chunk(long job, Message message, long offset, Parcel chunk) {
        checkRoom(
                log.appendChunk(
                        job, message.destination(), message.logPosition(), offset, payload(chunk, Wire.CHUNK_HEADER_BYTES)),
                job);
    }

    @Override
    public synchronized void delivery(long job, int rank, int incarnation, long delivery, long failedPolls, Message message) {
        checkRoom(
                log.appendDelivery(new LogRecord.Delivery(
                        job,
                        rank,
                        incarnation,
                        delivery,
                        failedPolls,
                        message.context(),
                        message.source(),
                        message.sequence(),
                        message.logPosition())),
                job);
    }

    @Override
    public synchronized void polls(long job, int rank, int incarnation, long failedPolls) {
        checkRoom(log.appendPolls(new LogRecord.Polls(job, rank, incarnation, failedPolls)), job);
    }

    private ByteBuffer[] payload(Parcel parcel, int headerBytes) {
        ByteBuf frame = ((BufferParcel) parcel).frame();
        payload[0] = frame.nioBuffer(frame.readerIndex() + headerBytes, parcel.payloadBytes());
        return payload;
    }

    private static long checkRoom(long position, long job) {
        if (position == MessageLog.NO_ROOM) {
            throw new JournalFull("job " + Job.hexId(job) + " cannot be logged: the log's disk is nearly full");
        }
        return position;
    }
}
