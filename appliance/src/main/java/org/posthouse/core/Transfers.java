package org.posthouse.core;

import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** The rules that the frames of one message keep, whoever checks them. */
final class Transfers {
    private Transfers() {}

    /**
     * A chunk follows the bytes before it, stays within what was granted, and is full unless it is the last: smaller
     * ones would cost the relay far more memory than they take of their sender's credit.
     *
     * @param bytes payload bytes of the whole message
     */
    static void checkChunk(FrameView view, int chunkBytes, long arrived, long granted, long bytes) throws WireException {
        if (chunkBytes != Math.min(Wire.PAYLOAD_BYTES_MAX, bytes - arrived) || view.offset() != arrived) {
            throw new WireException(
                    Reason.MALFORMED_FRAME,
                    "chunk of " + chunkBytes + " bytes at offset " + view.offset() + ", expected offset " + arrived
                            + " of a message of " + bytes + " bytes");
        }
        if (arrived + chunkBytes > granted) {
            throw new WireException(
                    Reason.CREDIT_EXCEEDED, "chunk up to byte " + (arrived + chunkBytes) + ", cleared up to " + granted);
        }
    }

    /** The frame that begins a message: ranks inside the job, and a payload that fits its form. */
    static void checkBegin(FrameView view, int jobSize, int payloadBytes) throws WireException {
        if (view.destination() < 0 || view.destination() >= jobSize) {
            throw new WireException(
                    Reason.MALFORMED_FRAME,
                    view.type() + " to rank " + view.destination() + " of a job of " + jobSize + " ranks");
        }
        long bytes = view.messageBytes();
        boolean fits = view.type() == FrameType.SEND ? bytes == payloadBytes : bytes >= 0 && payloadBytes == 0;
        if (!fits || (view.type() == FrameType.EAGER && bytes == 0)) {
            throw new WireException(
                    Reason.MALFORMED_FRAME,
                    view.type() + " of " + bytes + " bytes with " + payloadBytes + " payload bytes in its frame");
        }
        if (view.type() == FrameType.EAGER && bytes > Wire.EAGER_BYTES_MAX) {
            throw new WireException(
                    Reason.LIMIT, "EAGER of " + bytes + " bytes, at most " + Wire.EAGER_BYTES_MAX + "; offer longer ones");
        }
        if (bytes > Wire.MESSAGE_BYTES_MAX) {
            throw new WireException(Reason.LIMIT, "OFFER of " + bytes + " bytes, at most " + Wire.MESSAGE_BYTES_MAX);
        }
        if (view.type() == FrameType.OFFER && (view.flags() & FrameView.STORABLE) != 0 && bytes > Wire.EAGER_BYTES_MAX) {
            throw new WireException(
                    Reason.LIMIT, "OFFER(STORABLE) of " + bytes + " bytes, at most " + Wire.EAGER_BYTES_MAX);
        }
        if (view.tag() == Wire.ANY) {
            throw new WireException(Reason.MALFORMED_FRAME, view.type() + " with the wildcard " + Wire.ANY + " as its tag");
        }
    }

    /** Payload bytes in a frame whose header has {@code headerBytes}. */
    static int payloadBytes(FrameView view, int headerBytes) throws WireException {
        int bytes = view.length() - headerBytes;
        if (bytes > Wire.PAYLOAD_BYTES_MAX) {
            throw new WireException(
                    Reason.FRAME_TOO_LONG, view.type() + " with " + bytes + " payload bytes, at most " + Wire.PAYLOAD_BYTES_MAX);
        }
        return bytes;
    }
}
