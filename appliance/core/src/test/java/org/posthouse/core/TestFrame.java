package org.posthouse.core;

import java.nio.ByteBuffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A frame that just arrived, header checked as a connection does it; it may be held once. */
final class TestFrame implements Frame {
    private final ByteBuffer bytes;
    private final ParcelLedger ledger;
    private final FrameView view;
    private boolean held;

    TestFrame(ByteBuffer bytes, ParcelLedger ledger) {
        this.bytes = bytes;
        this.ledger = ledger;
        this.view = new FrameView().wrap(bytes, 0);
        try {
            if (view.checkHeader(bytes.capacity()) != bytes.capacity()) {
                throw new AssertionError(view + " in " + bytes.capacity() + " bytes");
            }
        } catch (WireException e) {
            throw new AssertionError("a test built a bad frame: " + view, e);
        }
    }

    @Override
    public FrameView view() {
        return view;
    }

    @Override
    public ByteBuffer payload() {
        int header = view.type() == FrameType.CHUNK ? Wire.CHUNK_HEADER_BYTES : Wire.MESSAGE_HEADER_BYTES;
        return bytes.slice(header, bytes.capacity() - header);
    }

    @Override
    public ByteBuffer copy() {
        return bytes.duplicate();
    }

    @Override
    public Parcel hold() {
        if (held) {
            throw new AssertionError("a frame was held twice: " + view);
        }
        held = true;
        return new TestParcel(ledger, bytes);
    }
}
