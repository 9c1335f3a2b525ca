package org.posthouse.mpj.coll;

import java.nio.ByteBuffer;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/**
 * A message that a rank forwards as it came, and stores for itself only then. Objects are not serialized again, and the
 * ranks behind it do not wait for their deserialization here, nor for its success. For one message.
 */
final class RelayedBlock implements Sink, Content {
    private final Sink own;
    private Envelope envelope;
    private byte[] bytes;

    RelayedBlock(Sink own) {
        this.own = own;
    }

    @Override
    public void begin(Envelope envelope) {
        this.envelope = envelope;
        bytes = new byte[Math.toIntExact(envelope.bytes())];
    }

    @Override
    public void read(long at, ByteBuffer in) {
        in.get(bytes, (int) at, in.remaining());
    }

    @Override
    public void end() {
        // The bytes are forwarded; store reads them.
    }

    /** Gives the message, which must have come, to the rank's own sink. */
    void store() throws ReceiveException {
        own.begin(envelope);
        own.read(0, ByteBuffer.wrap(bytes));
        own.end();
    }

    @Override
    public long bytes() {
        return bytes.length;
    }

    @Override
    public int elements() {
        return envelope.elements();
    }

    @Override
    public int datatype() {
        return envelope.datatype();
    }

    @Override
    public void write(long from, ByteBuffer out) {
        out.put(bytes, (int) from, out.remaining());
    }
}
