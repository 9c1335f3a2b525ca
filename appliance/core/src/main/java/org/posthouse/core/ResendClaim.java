package org.posthouse.core;

import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * The description of a suppressed send of a restarted rank: its channel's destination, its number, its tag, and the
 * size, type and checksum of its content. If two claims of the same message differ, the rank has diverged.
 *
 * @param bytes of the payload
 * @param checksum of the payload, see {@link org.posthouse.wire.MessageChecksum}
 */
public record ResendClaim(
        int context, int destination, long sequence, int tag, long bytes, int elements, int datatype, int checksum) {
    static ResendClaim of(FrameView resent) {
        return new ResendClaim(
                resent.context(),
                resent.destination(),
                resent.sequence(),
                resent.tag(),
                resent.messageBytes(),
                resent.elements(),
                resent.datatype(),
                resent.checksum());
    }

    /** What the frame says that begins a message: all but the checksum. */
    static ResendClaim head(FrameView begin) {
        return new ResendClaim(
                begin.context(),
                begin.destination(),
                begin.sequence(),
                begin.tag(),
                begin.messageBytes(),
                begin.elements(),
                begin.datatype(),
                0);
    }

    ResendClaim with(int checksum) {
        return new ResendClaim(context, destination, sequence, tag, bytes, elements, datatype, checksum);
    }

    TransferId id() {
        return new TransferId(context, destination, sequence);
    }

    /** The differences from the earlier send, for people; empty if there are none. */
    public String difference(ResendClaim before) {
        StringBuilder differs = new StringBuilder();
        if (before.tag != tag) {
            differs.append("tag ").append(Wire.tag(tag)).append(" instead of ").append(Wire.tag(before.tag));
        }
        differs(differs, "bytes", before.bytes, bytes);
        differs(differs, "elements", before.elements, elements);
        differs(differs, "datatype", before.datatype, datatype);
        if (differs.isEmpty() && before.checksum != checksum) {
            differs.append("other content in ").append(bytes).append(" bytes");
        }
        return differs.toString();
    }

    private static void differs(StringBuilder differs, String what, long before, long now) {
        if (before != now) {
            differs.append(differs.isEmpty() ? "" : ", ").append(what).append(' ').append(now).append(" instead of ").append(before);
        }
    }
}
