package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.posthouse.core.CheckpointImage;
import org.posthouse.core.Journal;
import org.posthouse.core.JournalBroken;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.Receive;
import org.posthouse.core.RecoveryPoint;
import org.posthouse.logstore.MemoryLog;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.io.FrameBuilder;
import org.posthouse.relay.log.LogJournal;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** The journal of a {@link SimHost}, over a log in memory: what {@link LogJournal} writes, and reads back. */
final class SimLog implements Journal {
    private final FrameBuilder frames = new FrameBuilder();
    private final SimHost host;
    private final MemoryLog log;

    SimLog(SimHost host, MemoryLog log) {
        this.host = host;
        this.log = log;
    }

    @Override
    public void arrival(long job, Message message, Parcel head) {
        arrival(job, message, head, null);
    }

    @Override
    public void arrivalDelivered(
            long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {
        arrival(job, message, head, new Receipt(incarnation, delivery, receive.ordinal()));
    }

    private void arrival(long job, Message message, Parcel head, Receipt receipt) {
        LogRecord.Form form = LogRecord.Form.valueOf(message.form().name());
        long position = append(
                new LogRecord.Arrival(
                        job, message.destination(), message.context(), message.source(), message.tag(), message.sequence(),
                        message.datatype(), message.elements(), message.bytes(), form, message.isStorable(), receipt),
                payload(head));
        message.logged(position, MemoryLog.place(position));
    }

    private static ByteBuffer payload(Parcel parcel) {
        BufferParcel frame = (BufferParcel) parcel;
        return frame.buffer().nioBuffer(frame.payloadIndex(), frame.payloadBytes());
    }

    @Override
    public long chunk(long job, Message message, long offset, Parcel chunk) {
        return MemoryLog.place(append(
                new LogRecord.Chunk(job, message.destination(), message.logPosition(), offset, 0), payload(chunk)));
    }

    @Override
    public void delivery(long job, int rank, int incarnation, long delivery, Message message) {
        Receipt receipt = new Receipt(incarnation, delivery, message.receive().ordinal());
        append(new LogRecord.Delivery(
                job, rank, receipt, message.context(), message.source(), message.sequence(), message.logPosition(), message.logPlace()));
    }

    @Override
    public void polls(long job, int rank, int incarnation, long failedPolls) {
        append(new LogRecord.Polls(job, rank, incarnation, failedPolls));
    }

    @Override
    public void events(long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {
        append(new LogRecord.Events(job, rank, incarnation, count, first, limited), payload(items));
    }

    @Override
    public void incarnation(long job, int rank, int incarnation) {
        append(new LogRecord.Incarnation(job, rank, incarnation, 0, 0));
    }

    @Override
    public void promoted(long job, int rank, int incarnation, int follower) {
        if (host.world().has(PlantedFault.UNLOGGED_PROMOTION)) {
            return;
        }
        append(new LogRecord.Incarnation(job, rank, incarnation, LogRecord.Incarnation.PROMOTED, follower));
    }

    @Override
    public void withdrawn(long job, Message offer) {
        append(new LogRecord.Withdrawn(
                job, offer.destination(), offer.context(), offer.source(), offer.sequence(), offer.logPosition()));
    }

    @Override
    public void failed(long job, int rank, ByteBuffer frame) {
        if (host.world().has(rank < 0 ? PlantedFault.UNLOGGED_REVOCATION : PlantedFault.UNLOGGED_DEATH)) {
            return;
        }
        append(new LogRecord.Failed(job, rank), frame);
        host.look();
    }

    @Override
    public void agreed(long job, ByteBuffer frame) {
        if (host.world().has(PlantedFault.UNLOGGED_AGREEMENT)) {
            return;
        }
        append(new LogRecord.Agreed(job), frame);
    }

    @Override
    public void finalized(long job, int rank, int incarnation) {
        append(new LogRecord.Finalized(job, rank, incarnation, false));
    }

    @Override
    public void done(long job, int rank, int incarnation) {
        if (host.takes(job)) {
            log.append(new LogRecord.Finalized(job, rank, incarnation, true));
        }
        host.look();
    }

    @Override
    public void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image) {
        append(new LogRecord.CheckpointTaken(job, rank, LogJournal.point(at, image)));
        host.world().trace(() -> "  relay " + host.number() + " logs at " + log.position() + " of rank " + rank + " " + LogJournal.point(at, image));
        host.look();
    }

    private long append(LogRecord record, ByteBuffer... payload) {
        if (!host.tryLog(record.job())) {
            throw new JournalBroken("not logged: " + record, null);
        }
        return log.append(record, payload);
    }

    @Override
    public void giveUp(long job, String why) {
        host.giveUp(job);
    }

    @Override
    public boolean isBroken(long job) {
        return host.isBroken(job);
    }

    @Override
    public long position() {
        return log.position();
    }

    @Override
    public boolean holds() {
        return host.isFull();
    }

    @Override
    public boolean hasAmpleRoom() {
        return !host.isFull() && host.world().random().nextInt(20) > 0;
    }

    @Override
    public Parcel head(long job, Message message, boolean payload) {
        int bytes = payload && message.form() == FrameType.SEND ? (int) message.bytes() : 0;
        ByteBuf frame = frames.message(job, message, bytes);
        return filled(frame, Wire.MESSAGE_HEADER_BYTES, bytes, message.logPlace());
    }

    @Override
    public Parcel piece(long job, Message message, long offset) {
        int bytes = (int) Math.min(Wire.PAYLOAD_BYTES_MAX, message.bytes() - offset);
        ByteBuf frame = frames.chunk(job, message, offset, bytes);
        boolean whole = message.form() == FrameType.SEND;
        return filled(frame, Wire.CHUNK_HEADER_BYTES, bytes, whole ? message.logPlace() : message.chunkPlace(offset));
    }

    private Parcel filled(ByteBuf frame, int headerBytes, int bytes, long place) {
        if (bytes > 0) {
            ByteBuffer payload = log.payload(place);
            if (payload.remaining() != bytes) {
                throw new AssertionError(payload.remaining() + " bytes at place " + place + ", expected " + bytes);
            }
            frame.setBytes(headerBytes, payload);
        }
        return new BufferParcel(frame, 0, frame.readableBytes(), headerBytes);
    }
}
