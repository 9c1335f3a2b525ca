package org.posthouse.core;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** The rules that the frames of one message must keep, for every class that checks them. */
final class TransferRules {
    private TransferRules() {}

    /**
     * A chunk follows the bytes before it, stays within the granted bytes, and is of whole pieces unless it is the
     * last. Smaller pieces would cost the relay far more memory than credit of their sender.
     *
     * @param bytes payload bytes of the whole message
     */
    static void checkChunk(FrameView view, int chunkBytes, long arrived, long granted, long bytes) throws WireException {
        boolean isWhole = chunkBytes == bytes - arrived || chunkBytes < bytes - arrived && chunkBytes % Wire.PAYLOAD_BYTES_MAX == 0;
        if (!isWhole || view.offset() != arrived) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "chunk of " + chunkBytes + " bytes at offset " + view.offset() + ", expected whole pieces of " + Wire.PAYLOAD_BYTES_MAX
                            + " bytes, or all that is left, from offset " + arrived + " of a message of " + bytes + " bytes");
        }
        if (arrived + chunkBytes > granted) {
            throw new WireException(
                    CloseReason.CREDIT_EXCEEDED, "chunk up to byte " + (arrived + chunkBytes) + ", cleared up to " + granted);
        }
    }

    /** The frame that begins a message: ranks inside the job, and a payload that fits its form. */
    static void checkBegin(FrameView view, int jobSize, int payloadBytes) throws WireException {
        if (view.destination() < 0 || view.destination() >= jobSize) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    view.type() + " to rank " + view.destination() + " of a job of " + jobSize + " ranks");
        }
        long bytes = view.messageBytes();
        boolean fits = view.type() == FrameType.SEND ? bytes == payloadBytes : bytes >= 0 && payloadBytes == 0;
        if (!fits || (view.type() == FrameType.EAGER && bytes == 0)) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    view.type() + " of " + bytes + " bytes with " + payloadBytes + " payload bytes in its frame");
        }
        if (view.type() == FrameType.EAGER && bytes > Wire.EAGER_BYTES_MAX) {
            throw new WireException(
                    CloseReason.LIMIT, "EAGER of " + bytes + " bytes, at most " + Wire.EAGER_BYTES_MAX + "; offer longer ones");
        }
        if (bytes > Wire.MESSAGE_BYTES_MAX) {
            throw new WireException(CloseReason.LIMIT, "OFFER of " + bytes + " bytes, at most " + Wire.MESSAGE_BYTES_MAX);
        }
        if (view.type() == FrameType.OFFER && (view.flags() & FrameView.STORABLE) != 0 && bytes > Wire.EAGER_BYTES_MAX) {
            throw new WireException(
                    CloseReason.LIMIT, "OFFER(STORABLE) of " + bytes + " bytes, at most " + Wire.EAGER_BYTES_MAX);
        }
        if (view.tag() == Wire.ANY) {
            throw new WireException(CloseReason.MALFORMED_FRAME, view.type() + " with the wildcard " + Wire.ANY + " as its tag");
        }
    }

    /** Payload bytes in a frame that begins a message. */
    static int beginBytes(FrameView view) throws WireException {
        return payloadBytes(view, Wire.MESSAGE_HEADER_BYTES, Wire.PAYLOAD_BYTES_MAX);
    }

    /** Payload bytes in a CHUNK: of a logged job a piece at most, as its log has a record for each frame. */
    static int chunkBytes(FrameView view, boolean logged) throws WireException {
        return payloadBytes(view, Wire.CHUNK_HEADER_BYTES, logged ? Wire.PAYLOAD_BYTES_MAX : Wire.CHUNK_BYTES_MAX);
    }

    private static int payloadBytes(FrameView view, int headerBytes, int most) throws WireException {
        int bytes = view.length() - headerBytes;
        if (bytes > most) {
            throw new WireException(CloseReason.FRAME_TOO_LONG, view.type() + " with " + bytes + " payload bytes, at most " + most);
        }
        return bytes;
    }
}
