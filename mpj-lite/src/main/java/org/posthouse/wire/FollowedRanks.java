package org.posthouse.wire;

import java.util.BitSet;

/**
 * The ranks of a job without a log that other processes follow. Their relays keep the histories of these ranks in memory.
 *
 * @param followers number of processes that follow each of them, [0, {@link #FOLLOWERS_MAX}]; 0: nobody follows
 * @param ranks the world ranks; not to be changed
 */
public record FollowedRanks(int followers, BitSet ranks) {
    /** More processes of one rank cost more than they save. */
    public static final int FOLLOWERS_MAX = 15;

    /** No rank is followed, or the followers read a log. */
    public static final FollowedRanks NONE = new FollowedRanks(0, new BitSet());

    /** Those of which there is more than one process. @param degrees number of processes of each rank; those above 1 are the same */
    public static FollowedRanks of(int... degrees) {
        BitSet ranks = new BitSet();
        int followers = 0;
        for (int rank = 0; rank < degrees.length; rank++) {
            ranks.set(rank, degrees[rank] > 1);
            followers = Math.max(followers, degrees[rank] - 1);
        }
        return followers == 0 ? NONE : new FollowedRanks(followers, ranks);
    }

    /** Whether any rank is followed. */
    public boolean areAny() {
        return followers > 0;
    }

    /** Number of processes that follow this rank. */
    public int of(int rank) {
        return ranks.get(rank) ? followers : 0;
    }

    void write(FrameWriter out) {
        int words = RankSet.words(ranks);
        out.i32(followers).i32(words);
        RankSet.write(out, ranks, words);
    }

    /** @param size number of the job's ranks */
    static FollowedRanks read(FrameReader in, int size) throws WireException {
        int followers = in.i32("followers");
        BitSet ranks = RankSet.read(in, RankSet.readWords(in));
        if (followers < 1 || followers > FOLLOWERS_MAX || ranks.isEmpty() || ranks.length() > size) {
            throw new WireException(
                    CloseReason.LIMIT,
                    in.type() + " of a job of " + size + " ranks with " + followers + " followers of each of ranks " + ranks + ", expected 1 to "
                            + FOLLOWERS_MAX
                            + " of ranks of the job");
        }
        return new FollowedRanks(followers, ranks);
    }
}
