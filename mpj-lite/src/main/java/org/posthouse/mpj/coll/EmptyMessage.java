package org.posthouse.mpj.coll;

import java.nio.ByteBuffer;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/** The empty message, and room for it. Stateless. */
final class EmptyMessage implements Content, Sink {
    static final EmptyMessage EMPTY = new EmptyMessage();

    private EmptyMessage() {}

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public int elements() {
        return 0;
    }

    @Override
    public int datatype() {
        return Base.BYTE.code();
    }

    @Override
    public void write(long from, ByteBuffer out) {
        // There are no bytes to write.
    }

    @Override
    public void begin(Envelope envelope) throws ReceiveException {
        if (envelope.elements() != 0) {
            throw new ReceiveException(
                    ReceiveException.Kind.TRUNCATE,
                    "message of " + envelope.elements() + " " + Base.nameOf(envelope.datatype())
                            + " elements, expected an empty one: do all ranks call the same collective?");
        }
    }

    @Override
    public void read(long at, ByteBuffer in) {
        // There are no bytes to read.
    }

    @Override
    public void end() {
        // The arrival itself is the information.
    }
}
