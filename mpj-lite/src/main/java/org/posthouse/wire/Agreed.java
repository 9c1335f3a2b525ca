package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * The result of an agreement, the same for all members.
 *
 * @param job the job's id
 * @param context of the communicator's point-to-point messages
 * @param number of the agreement, as in {@link Agree}
 * @param kind what was agreed on
 * @param flags bitwise AND of the flags of all that took part
 * @param communicator which of the communicators that agreements make of the job it is, from 1; 0 of {@link Agree.Kind#AGREE}, and of
 *     {@link Agree.Kind#REBUILD} if there is none, as some rank has called Finalize
 * @param unacknowledged whether some living member had not acknowledged one of the failed
 * @param members world ranks of the communicator; of {@link Agree.Kind#REBUILD} the processes in it, or those that wait in vain
 * @param failed those of them that are dead
 */
public record Agreed(
        long job,
        int context,
        int number,
        Agree.Kind kind,
        int flags,
        int communicator,
        boolean unacknowledged,
        BitSet members,
        BitSet failed) {
    public ByteBuffer encode() {
        int words = RankSet.words(members);
        FrameWriter out = new FrameWriter(FrameType.AGREED, job, FrameType.AGREED.bytesMax())
                .i32(context)
                .i32(number)
                .i32(kind.ordinal())
                .i32(flags)
                .i32(communicator)
                .i32(unacknowledged ? 1 : 0)
                .i32(words)
                .i32(0);
        RankSet.write(out, members, words);
        RankSet.write(out, failed, words);
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing or out of range
     */
    public static Agreed decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int context = in.i32("context");
        int number = in.i32("number");
        Agree.Kind kind = Agree.Kind.of(in.i32("kind"), "AGREED");
        int flags = in.i32("flags");
        int communicator = in.i32("communicators made");
        int unacknowledged = in.i32("unacknowledged");
        int words = RankSet.readWords(in);
        in.zero32();
        BitSet members = RankSet.read(in, words);
        BitSet failed = RankSet.read(in, words);
        in.end();
        if (unacknowledged < 0 || unacknowledged > 1 || members.isEmpty()) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "AGREED with unacknowledged " + unacknowledged + " and members " + members);
        }
        return new Agreed(
                new FrameView().wrap(frame, frame.position()).job(), context, number, kind, flags, communicator, unacknowledged == 1, members, failed);
    }
}
