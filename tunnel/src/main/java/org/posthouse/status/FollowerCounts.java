package org.posthouse.status;

/**
 * What became of processes that followed ranks of this relay, since its start.
 *
 * @param promoted those that lead their ranks where the leader had ended
 * @param lost     those that were lost, or dropped for any reason
 * @param diverged those of them that would have sent something else than their leaders
 */
public record FollowerCounts(long promoted, long lost, long diverged) {
    /** Nothing has happened yet. */
    public static final FollowerCounts NONE = new FollowerCounts(0, 0, 0);
}
