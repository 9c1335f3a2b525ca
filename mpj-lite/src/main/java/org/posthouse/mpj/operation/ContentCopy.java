package org.posthouse.mpj.operation;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Wire;

/**
 * A copy of a message's bytes, which the program may change meanwhile. Kept in pieces, so that no long message needs one
 * array. Immutable.
 */
public final class ContentCopy implements Content {
    private final long bytes;
    private final int elements;
    private final int datatype;

    /** Each of {@link Wire#PAYLOAD_BYTES_MAX} bytes; the last one has the rest. */
    private final byte[][] pieces;

    private final int checksum;

    /** Copies the content, and computes its checksum. */
    public ContentCopy(Content from) {
        bytes = from.bytes();
        elements = from.elements();
        datatype = from.datatype();
        pieces = new byte[Math.toIntExact((bytes + Wire.PAYLOAD_BYTES_MAX - 1) / Wire.PAYLOAD_BYTES_MAX)][];
        MessageChecksum sum = new MessageChecksum();
        for (int i = 0; i < pieces.length; i++) {
            long at = (long) i * Wire.PAYLOAD_BYTES_MAX;
            pieces[i] = new byte[(int) Math.min(bytes - at, Wire.PAYLOAD_BYTES_MAX)];
            ByteBuffer piece = ByteBuffer.wrap(pieces[i]);
            from.write(at, piece.order(ByteOrder.LITTLE_ENDIAN));
            sum.add(MessageChecksum.piece(piece.clear()));
        }
        checksum = sum.value();
    }

    /** The checksum of the bytes, as in RESENT. */
    public int checksum() {
        return checksum;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public int elements() {
        return elements;
    }

    @Override
    public int datatype() {
        return datatype;
    }

    @Override
    public void write(long from, ByteBuffer out) {
        for (int i = (int) (from / Wire.PAYLOAD_BYTES_MAX); out.hasRemaining(); i++) {
            out.put(pieces[i], 0, Math.min(pieces[i].length, out.remaining()));
        }
    }
}
