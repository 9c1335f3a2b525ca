package org.posthouse.core;

import java.nio.ByteBuffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/** A parcel on the heap that fails loudly when it is used twice. */
final class TestParcel implements Parcel {
    private final ParcelLedger ledger;
    private final ByteBuffer frame;
    private final int source;
    private final int payloadBytes;
    private final boolean credited;
    private boolean open = true;
    private boolean settled;

    TestParcel(ParcelLedger ledger, ByteBuffer frame) {
        this.ledger = ledger;
        this.frame = frame;
        FrameView view = new FrameView().wrap(frame, 0);
        this.source = view.source();
        int header = switch (view.type()) {
            case CHUNK -> Wire.CHUNK_HEADER_BYTES;
            case IMAGE -> Wire.IMAGE_HEADER_BYTES;
            default -> Wire.MESSAGE_HEADER_BYTES;
        };
        this.payloadBytes = view.length() - header;
        this.credited = view.type() == FrameType.SEND || view.type() == FrameType.EAGER;
        ledger.opened(source, payloadBytes, credited);
    }

    @Override
    public int payloadBytes() {
        return payloadBytes;
    }

    @Override
    public void settle() {
        ledger.settled(settled ? 0 : 1);
        settled = true;
    }

    @Override
    public void release() {
        take();
    }

    /** The frame, which the parcel gives up. */
    ByteBuffer take() {
        if (!open) {
            throw new AssertionError("a parcel was passed on or released twice");
        }
        open = false;
        ledger.closed(source, payloadBytes, credited);
        ledger.settled(settled ? -1 : 0);
        return frame;
    }

    /** A copy of the payload. */
    ByteBuffer payload() {
        byte[] bytes = new byte[payloadBytes];
        frame.get(frame.capacity() - payloadBytes, bytes);
        return ByteBuffer.wrap(bytes);
    }

    FrameView view() {
        return new FrameView().wrap(frame, 0);
    }
}
