package org.posthouse.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The followers of one rank, and the checksums of its leader's messages. Compares the two. Confined to the relay core.
 */
final class RankFollowers {
    private final HomedRank rank;
    private final SentChecksums sent = new SentChecksums();
    private final List<RankFollower> followers = new ArrayList<>();

    /** By channel, the last message of which a claim was compared with the log: other followers claim the same again. */
    private final Map<TransferId, Long> comparedWithLog = new HashMap<>();

    /**
     * Channels to other relays with early claims, of which this core knew nothing, as the relay was started again. What the leader does
     * not send again of them is stable.
     */
    private final Set<TransferId> forgotten = new HashSet<>();

    /** The rank's {@link RankCounters#recorded} when that had last changed, and a log position that its last record is not behind. */
    private long recorded = -1;

    private long recordedPosition;

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

    /**
     * An incarnation above those of all processes of the rank that are known here. It is odd: the launcher gives even ones to processes that it
     * starts beside others, of which some may not be known here.
     */
    int nextIncarnation() {
        return (Math.max(rank.incarnation(), incarnationMax) + 1) | 1;
    }

    /**
     * A log position that no record of the rank's history is behind. Call it whenever the log has grown.
     *
     * @param logPosition the position of the log's last record
     */
    long lastRecord(long logPosition) {
        if (recorded != rank.counters().recorded()) {
            recorded = rank.counters().recorded();
            recordedPosition = logPosition;
        }
        return recordedPosition;
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
        SentChecksums.Sent accepted = new SentChecksums.Sent(whole, isUncleared(whole) ? SentChecksums.Sent.UNCLEARED : handled);
        sent.add(accepted);
        if (!forgotten.isEmpty() && forgotten.remove(channel(message))) {
            followers.forEach(follower -> agreeBefore(follower, message, handled));
        }
        List<Divergence> differ = new ArrayList<>();
        for (RankFollower follower : followers) {
            ResendClaim claim = follower.takeEarly(message);
            if (claim != null) {
                compare(follower, claim, accepted, differ);
            }
        }
        return differ;
    }

    /** Whether the message is an offer without bytes, of which nothing more comes, and whose receive has not begun. */
    private boolean isUncleared(ResendClaim whole) {
        if (whole.bytes() > 0) {
            return false;
        }
        HomedRank to = rank.job().homed(whole.destination());
        Message open = to == null ? null : to.receives().openMessage(whole.context(), rank.rank(), whole.sequence());
        return to == null ? rank.outgoing().open(whole.id()) != null : open != null && !Deliveries.hasComeWhole(open);
    }

    /** The receive of an offer has begun. */
    void cleared(TransferId message) {
        SentChecksums.Sent offered = sent.of(message);
        if (offered != null && offered.handled() == SentChecksums.Sent.UNCLEARED) {
            SentChecksums.Sent cleared = new SentChecksums.Sent(offered.claim(), rank.safety().handled());
            sent.add(cleared);
            followers.forEach(follower -> follower.cleared(message, cleared.handled()));
            safer();
        }
    }

    /** The leader sends in order: what it has not sent again of the channel before this message, it need not. */
    private void agreeBefore(RankFollower follower, TransferId message, long handled) {
        for (TransferId claimed : List.copyOf(follower.early().keySet())) {
            if (channel(claimed).equals(channel(message)) && claimed.sequence() < message.sequence() && isWhole(claimed)) {
                follower.agreed(follower.takeEarly(claimed), handled);
            }
        }
    }

    /** The channel of a message, as the message with number 0. */
    private static TransferId channel(TransferId message) {
        return new TransferId(message.context(), message.peer(), 0);
    }

    /** Whether the leader may have sent this message before this core began. It sends only those again that are not stable. */
    boolean mayHaveForgotten(TransferId message) {
        return rank.job().homed(message.peer()) == null && rank.outgoing().isRestored();
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
     * asked, as for a restarted rank, but only for the follower that claims the message first: the log is read in its order.
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
            if (rank.replay() == null && isFirstOf(message)) { // A leader that is replayed claims the same, at another pace.
                askLog.run();
            }
        } else {
            if (rank.job().homed(message.peer()) == null && rank.outgoing().isForgotten(message.context(), message.peer())) {
                forgotten.add(channel(message));
            }
            follower.early(claim);
        }
        return differ;
    }

    /** How this message of a process that leads now differs from what was sent before; empty if it does not, or if that is not known. */
    String differenceFromSent(ResendClaim claim) {
        SentChecksums.Sent known = sent.of(claim.id());
        return known == null ? "" : claim.difference(known.claim());
    }

    private boolean isFirstOf(TransferId message) {
        boolean first = message.sequence() > comparedWithLog.getOrDefault(channel(message), 0L);
        if (first) {
            comparedWithLog.put(channel(message), message.sequence());
        }
        return first;
    }

    /**
     * The leader has sent more of a message of which it had sent a part before anybody followed, so that it was not summed. If it is
     * whole now, its early claims count as agreed.
     *
     * @return one of those claims, to compare with the log; null if there is none, or more follows
     */
    ResendClaim acceptedUnsummed(TransferId message) {
        if (followers.stream().noneMatch(follower -> follower.early().containsKey(message)) || !isWhole(message)) {
            return null;
        }
        ResendClaim claimed = null;
        for (RankFollower follower : followers) {
            ResendClaim claim = follower.takeEarly(message);
            if (claim != null) {
                follower.agreed(claim, rank.safety().handled());
                claimed = claim;
            }
        }
        return claimed;
    }

    /** The leader has finalized. It has sent what is claimed on channels to other relays that this core has forgotten in a restart. */
    void finalized() {
        for (RankFollower follower : followers) {
            for (TransferId message : List.copyOf(follower.early().keySet())) {
                if (isForgottenOfFinalized(message)) {
                    follower.agreed(follower.takeEarly(message), 0);
                }
            }
        }
        safer();
    }

    private boolean isForgottenOfFinalized(TransferId message) {
        return rank.state() == RankState.FINALIZED && mayHaveForgotten(message);
    }

    /** Whether the leader has sent this message whole. */
    private boolean isWhole(TransferId message) {
        HomedRank to = rank.job().homed(message.peer());
        if (to == null) {
            return isForgottenOfFinalized(message) || message.sequence() <= rank.outgoing().lastSequence(message.context(), message.peer())
                    && rank.outgoing().open(message) == null
                    && !rank.safety().keptByNobody().contains(message);
        }
        Message open = to.receives().openMessage(message.context(), rank.rank(), message.sequence());
        return message.sequence() <= to.mailbox().lastSequence(message.context(), rank.rank())
                && (open == null || (open.bytes() > 0 ? open.isComplete() : Deliveries.hasComeWhole(open)));
    }

    /** The rank has taken this message back: followers keep it no longer. */
    void gone(TransferId message) {
        sent.gone(message);
        for (RankFollower follower : followers) {
            follower.cleared(message, 0);
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
