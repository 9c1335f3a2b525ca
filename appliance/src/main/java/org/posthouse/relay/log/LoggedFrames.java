package org.posthouse.relay.log;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.posthouse.core.Job;
import org.posthouse.core.JournalDamaged;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.logstore.InitHistory;
import org.posthouse.logstore.PayloadReader;
import org.posthouse.logstore.file.LogException;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.io.FrameBuilder;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/**
 * Rebuilds frames of logged messages: headers from what the core knows, payload read from the log or from a rank's
 * prologue. Confined to the thread that holds the monitor of the appenders.
 */
final class LoggedFrames {
    private final Object turn;
    private final PayloadReader log;
    private final RestartPoints points;
    private final FrameBuilder frames = new FrameBuilder();

    /**
     * @param turn the monitor
     * @param log reads payload; closed with this object
     * @param points has the readers of prologues
     */
    LoggedFrames(Object turn, PayloadReader log, RestartPoints points) {
        this.turn = turn;
        this.log = log;
        this.points = points;
    }

    /** See {@link org.posthouse.core.Journal#head}. */
    Parcel head(long job, Message message, boolean payload) {
        int bytes = payload && message.form() == FrameType.SEND ? (int) message.bytes() : 0;
        ByteBuf frame = frames.message(job, message, bytes);
        if (bytes > 0) {
            readBack(job, message, 0, frame, Wire.MESSAGE_HEADER_BYTES);
        }
        return new BufferParcel(frame, 0, frame.readableBytes(), Wire.MESSAGE_HEADER_BYTES);
    }

    /** See {@link org.posthouse.core.Journal#piece}. */
    Parcel piece(long job, Message message, long offset) {
        int bytes = (int) Math.min(Wire.PAYLOAD_BYTES_MAX, message.bytes() - offset);
        ByteBuf frame = frames.chunk(job, message, offset, bytes);
        readBack(job, message, offset, frame, Wire.CHUNK_HEADER_BYTES);
        return new BufferParcel(frame, 0, frame.readableBytes(), Wire.CHUNK_HEADER_BYTES);
    }

    /** Reads the payload into the frame, behind its header; releases the frame if that fails. */
    private void readBack(long job, Message message, long offset, ByteBuf frame, int headerBytes) {
        assert Thread.holdsLock(turn);
        ByteBuffer payload = frame.internalNioBuffer(headerBytes, frame.readableBytes() - headerBytes);
        int rank = message.destination();
        PayloadReader from = InitHistory.has(message.logPlace()) ? points.payloads(job, rank) : log;
        try {
            if (message.form() == FrameType.SEND) {
                from.readArrival(job, rank, message.logPosition(), message.logPlace(), payload);
            } else {
                from.readChunk(job, rank, message.logPosition(), offset, message.chunkPlace(offset), payload);
            }
        } catch (LogException e) {
            frame.release();
            String what = message + " of job " + Job.hexId(job) + ": " + e.getMessage();
            throw new JournalDamaged(what, e);
        }
    }

    /** Closes these files of the log, which are being deleted. */
    void forget(List<Path> gone) {
        log.forget(gone);
    }

    void close() {
        log.close();
    }
}
