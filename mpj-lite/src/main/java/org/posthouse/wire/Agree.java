package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * A rank's part in an agreement of a communicator's members.
 *
 * @param job the job's id
 * @param context of the communicator's point-to-point messages
 * @param rank world rank that takes part
 * @param number which agreement of the communicator it is, from 1; 1 of {@link Kind#REBUILD}
 * @param kind what is agreed on
 * @param flags the rank's flags
 * @param members world ranks of the communicator; of {@link Kind#REBUILD} the process itself
 * @param acknowledged the failed members that the rank has acknowledged
 */
public record Agree(
        long job, int context, int rank, int number, Kind kind, int flags, BitSet members, BitSet acknowledged) {
    /**
     * The rank whose home relay decides all agreements of its job. One place gives the new communicators their numbers, because agreements of different
     * communicators may be under way at once, and a rank that is in both must get different numbers.
     */
    public static final int COORDINATOR = 0;

    /** What the members agree on. */
    public enum Kind {
        /** Their flags, and which of them have failed. */
        AGREE,
        /** The same, and a communicator of those that have not failed. */
        SHRINK,
        /**
         * A communicator of one living process for each rank of the job. It has no number, as a new process does not know how many there were
         * before. Flags 0: the rank has called Finalize, and takes part in none any more.
         */
        REBUILD;

        static Kind of(int code, String frame) throws WireException {
            if (code < 0 || code >= values().length) {
                throw new WireException(CloseReason.MALFORMED_FRAME, frame + " of kind " + code + ", expected 0 to " + (values().length - 1));
            }
            return values()[code];
        }
    }

    public ByteBuffer encode() {
        int words = RankSet.words(members);
        FrameWriter out = new FrameWriter(FrameType.AGREE, job, FrameType.AGREE.bytesMax())
                .i32(context)
                .i32(COORDINATOR)
                .i32(rank)
                .i32(number)
                .i32(kind.ordinal())
                .i32(flags)
                .i32(0)
                .i32(words);
        RankSet.write(out, members, words);
        RankSet.write(out, acknowledged, words);
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static Agree decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int context = in.i32("context");
        int coordinator = in.i32("coordinator");
        int rank = in.i32("rank");
        int number = in.i32("number");
        Kind kind = Kind.of(in.i32("kind"), "AGREE");
        int flags = in.i32("flags");
        in.zero32();
        int words = RankSet.readWords(in);
        BitSet members = RankSet.read(in, words);
        BitSet acknowledged = RankSet.read(in, words);
        in.end();
        if (context < 0 || (context & 1) != 0 || number < 1 || rank < 0 || !members.get(rank) || coordinator != COORDINATOR) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "AGREE " + number + " of rank " + rank + " in context " + context + " with coordinator " + coordinator + " and members " + members);
        }
        return new Agree(new FrameView().wrap(frame, frame.position()).job(), context, rank, number, kind, flags, members, acknowledged);
    }
}
