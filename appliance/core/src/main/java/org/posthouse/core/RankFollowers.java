package org.posthouse.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The followers of one rank, and the checksums of its leader's messages. Compares the two. Confined to the relay core.
 */
final class RankFollowers {
    private final HomedRank rank;
    private final SentChecksums sent = new SentChecksums();
    private final List<RankFollower> followers = new ArrayList<>();

    /** The highest incarnation of any process that followed. */
    private int incarnationMax;

    RankFollowers(HomedRank rank) {
        this.rank = rank;
    }

    void add(RankFollower follower) {
        followers.add(follower);
        incarnationMax = Math.max(incarnationMax, follower.incarnation());
    }

    void remove(RankFollower follower) {
        followers.remove(follower);
    }

    /** A copy, so that one may be removed meanwhile. */
    List<RankFollower> all() {
        return List.copyOf(followers);
    }

    /** The follower on this connection, or null. */
    RankFollower on(RankPort port) {
        return followers.stream().filter(follower -> follower.port() == port).findFirst().orElse(null);
    }

    /** The follower with this incarnation, or null. */
    RankFollower numbered(int incarnation) {
        return followers.stream().filter(follower -> follower.incarnation() == incarnation).findFirst().orElse(null);
    }

    /** The follower whose history is read under this number, or null. */
    RankFollower reading(int replay) {
        return followers.stream().filter(follower -> follower.replay().number() == replay).findFirst().orElse(null);
    }

    /** The follower that leads next, or null if there is none. */
    RankFollower best() {
        return followers.stream().min(RankFollower.BEST_FIRST).orElse(null);
    }

    /** An incarnation above those of all processes of the rank. */
    int nextIncarnation() {
        return Math.max(rank.incarnation(), incarnationMax) + 1;
    }

    // ---- comparing

    /** The frame of a message from the leader; see {@link SentChecksums#add(Frame)}. */
    ResendClaim sum(Frame frame) {
        return sent.add(frame);
    }

    /**
     * The leader's message was accepted whole: compares it with the early claims.
     *
     * @return the followers that would have sent something else, with the difference
     */
    List<Divergence> accepted(ResendClaim whole) {
        TransferId message = whole.id();
        long handled = rank.safety().handled();
        sent.add(message, whole, handled);
        List<Divergence> differ = new ArrayList<>();
        for (RankFollower follower : followers) {
            ResendClaim claim = follower.takeEarly(message);
            if (claim != null) {
                compare(follower, claim, new SentChecksums.Sent(whole, handled), differ);
            }
        }
        return differ;
    }

    private static void compare(RankFollower follower, ResendClaim claim, SentChecksums.Sent message, List<Divergence> differ) {
        String difference = claim.difference(message.claim());
        if (difference.isEmpty()) {
            follower.agreed(claim, message.handled());
        } else {
            differ.add(new Divergence(follower, claim.id(), difference));
        }
    }

    /**
     * A follower's claim. If this core does not know the message's checksum any more, the log of its destination is
     * asked, as for a restarted rank.
     *
     * @return the divergence; empty if there is none
     */
    List<Divergence> claimed(RankFollower follower, ResendClaim claim, Runnable askLog) {
        TransferId message = claim.id();
        List<Divergence> differ = new ArrayList<>();
        SentChecksums.Sent known = sent.of(message);
        if (known != null) {
            compare(follower, claim, known, differ);
        } else if (rank.repeats().isGone(message)) {
            follower.agreed(claim, 0);
        } else if (isWhole(message)) {
            follower.agreed(claim, rank.safety().handled());
            askLog.run();
        } else {
            follower.early(claim);
        }
        return differ;
    }

    /** Whether the leader has sent this message whole. */
    private boolean isWhole(TransferId message) {
        HomedRank to = rank.job().homed(message.peer());
        if (to == null) {
            return message.sequence() <= rank.outgoing().lastSequence(message.context(), message.peer())
                    && rank.outgoing().open(message) == null
                    && !rank.safety().keptByNobody().contains(message);
        }
        Message open = to.receives().openMessage(message.context(), rank.rank(), message.sequence());
        return message.sequence() <= to.mailbox().lastSequence(message.context(), rank.rank()) && (open == null || open.isComplete());
    }

    /** The rank has taken this message back: followers keep it no longer. */
    void gone(TransferId message) {
        for (RankFollower follower : followers) {
            ResendClaim claim = follower.takeEarly(message);
            if (claim != null) {
                follower.agreed(claim, 0);
            }
        }
    }

    /** More frames of the leader are stable. */
    void safer() {
        long safe = rank.safety().safe();
        followers.forEach(follower -> follower.stable(safe));
    }

    /**
     * Another process leads. Messages that only the earlier one kept count as not sent until it has sent them again.
     * Call it after {@link StabilityTracker#connect}.
     */
    void leaderChanged() {
        Set<TransferId> lost = rank.safety().keptByNobody();
        sent.leaderChanged(lost::contains);
        followers.forEach(follower -> follower.leaderChanged(lost::contains));
    }

    /** A follower whose message differs from the leader's. */
    record Divergence(RankFollower follower, TransferId message, String difference) {}
}
