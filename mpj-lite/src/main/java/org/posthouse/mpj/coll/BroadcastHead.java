package org.posthouse.mpj.coll;

import java.nio.ByteBuffer;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/**
 * The first message of a broadcast that a rank receives: its data, or an announcement. An announcement has the datatype
 * {@link Base#ANNOUNCED}, and contains the data's bytes (8 bytes), elements (4) and datatype (4), little-endian. As a
 * content, this is the announcement. For one broadcast.
 */
final class BroadcastHead implements Sink, Content {
    private static final int BYTES = 16;

    /** Destination of the data; null at the root. */
    private final Sink own;
    /** Envelope of the data; null until the message has come. */
    private Envelope message;

    private boolean announcement;

    /**
     * The head of a message from another rank.
     *
     * @param own destination of the data, if the message has them
     */
    BroadcastHead(Sink own) {
        this.own = own;
    }

    /** The root's own head. */
    static BroadcastHead of(Region region, int count) {
        BroadcastHead head = new BroadcastHead(null);
        head.message = region.envelope(count);
        return head;
    }

    /** Envelope of the data. */
    Envelope message() {
        return message;
    }

    /** Whether the data are still to come. */
    boolean isAnnouncement() {
        return announcement;
    }

    /** Whether the path is unknown: the sender has failed, or broadcasts objects and the others do not. */
    boolean isSpoiled() {
        return message == null || message.datatype() == Base.SPOILED || message.datatype() == Base.OBJECT.code();
    }

    @Override
    public void begin(Envelope envelope) throws ReceiveException {
        announcement = envelope.datatype() == Base.ANNOUNCED;
        message = envelope;
        if (!announcement) {
            own.begin(envelope);
        }
    }

    @Override
    public ByteBuffer inPlace(Envelope envelope) {
        return envelope.datatype() == Base.ANNOUNCED ? null : own.inPlace(envelope);
    }

    @Override
    public void read(long at, ByteBuffer in) {
        if (announcement) {
            message = new Envelope(message.source(), message.tag(), in.getLong(), in.getInt(), in.getInt());
        } else {
            own.read(at, in);
        }
    }

    @Override
    public void end() throws ReceiveException {
        if (!announcement) {
            own.end();
        }
    }

    @Override
    public long bytes() {
        return BYTES;
    }

    @Override
    public int elements() {
        return 1;
    }

    @Override
    public int datatype() {
        return Base.ANNOUNCED;
    }

    @Override
    public void write(long from, ByteBuffer out) {
        out.putLong(message.bytes()).putInt(message.elements()).putInt(message.datatype());
    }
}
