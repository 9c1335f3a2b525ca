package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * A communicator is revoked: nothing more is sent or received in its two contexts.
 *
 * @param job the job's id
 * @param context of its point-to-point messages, which is even; that of its collectives is the next one
 * @param members the world ranks of the communicator: others may have another one with the same contexts
 */
public record Revocation(long job, int context, BitSet members) {
    public ByteBuffer encode() {
        int words = RankSet.words(members);
        FrameWriter out = new FrameWriter(FrameType.REVOKE, job, FrameType.REVOKE.bytesMax()).i32(context).i32(words);
        RankSet.write(out, members, words);
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static Revocation decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int context = in.i32("context");
        BitSet members = RankSet.read(in, RankSet.readWords(in));
        in.end();
        if (context < 0 || (context & 1) != 0 || members.isEmpty()) {
            throw new WireException(CloseReason.MALFORMED_FRAME,
                    "REVOKE of context " + context + " and " + members.cardinality() + " ranks, expected an even context and 1 rank or more");
        }
        return new Revocation(new FrameView().wrap(frame, frame.position()).job(), context, members);
    }
}
