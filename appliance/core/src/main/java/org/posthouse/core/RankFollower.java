package org.posthouse.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;
import org.posthouse.wire.Confirmed;

/**
 * One follower of a rank: its place in the history, and its claims, which are the checksums of the messages that it
 * would have sent. Confined to the relay core.
 *
 * <p>A claim is <i>early</i> until the leader has sent that message. Then the two are compared, and the claim is
 * <i>agreed</i>. It is confirmed when the message is stable.
 */
final class RankFollower {
    /** Limit of unconfirmed claims, about 3 MiB. A follower at the limit waits with its next send. */
    static final int UNCONFIRMED_MAX = Confirmed.UNCONFIRMED_MAX;

    /** Number of stable messages, or of their bytes, that is worth a confirmation. */
    private static final int MESSAGES_WORTH = 64;

    private static final long BYTES_WORTH = 1 << 20;

    /** Follower furthest in the history first; of equal ones, the older process. */
    static final Comparator<RankFollower> BEST_FIRST = Comparator.<RankFollower>comparingLong(follower -> follower.replay.reached())
            .reversed()
            .thenComparingInt(RankFollower::incarnation);

    private record Agreed(ResendClaim claim, long handled) {}

    private record Channel(int context, int destination) {}

    private final FollowerPort port;
    private final Replay replay;
    private final boolean isAgain;
    private final int incarnation;
    private final Map<TransferId, ResendClaim> early = new HashMap<>();
    private PriorityQueue<Agreed> agreed = byNumber();

    /** Stable messages that are not confirmed yet, and their bytes. */
    private final List<TransferId> stable = new ArrayList<>();

    private long stableBytes;

    /** Messages whose confirmation the follower waits for. */
    private final Set<TransferId> awaited = new HashSet<>();

    /** The last message of each channel that it has claimed on this connection. */
    private final Map<Channel, Long> claimed = new HashMap<>();

    private boolean finalizing;

    /** Measures how far it is behind. */
    private final FollowerLag lag;

    /** @param isAgain whether it had another connection, over which some of its messages may have been confirmed */
    RankFollower(FollowerPort port, Replay replay, int incarnation, boolean isAgain) {
        this.port = port;
        this.replay = replay;
        this.incarnation = incarnation;
        this.isAgain = isAgain;
        this.lag = new FollowerLag(replay);
    }

    private static PriorityQueue<Agreed> byNumber() {
        return new PriorityQueue<>(Comparator.comparingLong(Agreed::handled));
    }

    FollowerLag lag() {
        return lag;
    }

    FollowerState state(RankCounters counters) {
        long behind = counters.messagesDelivered() + counters.events() - replay.reached();
        return new FollowerState(incarnation, behind, replay.reachedPosition());
    }

    FollowerPort port() {
        return port;
    }

    Replay replay() {
        return replay;
    }

    /** The number of its process among all of the rank. */
    int incarnation() {
        return incarnation;
    }

    /** Number of its claims that are not confirmed. */
    int unconfirmed() {
        return early.size() + agreed.size() + stable.size();
    }

    /** Notes the claim's place in its channel; false if claims before it are missing. One that has come again does not claim what was confirmed. */
    boolean claims(TransferId message) {
        Channel channel = new Channel(message.context(), message.peer());
        long last = claimed.getOrDefault(channel, 0L);
        claimed.put(channel, Math.max(last, message.sequence()));
        return isAgain || last == 0 || message.sequence() <= last + 1;
    }

    /** The leader has not sent this message whole. */
    void early(ResendClaim claim) {
        early.put(claim.id(), claim);
    }

    /** The claim that waits for the leader's message, which is here now; null if there is none. */
    ResendClaim takeEarly(TransferId message) {
        return early.remove(message);
    }

    Map<TransferId, ResendClaim> early() {
        return early;
    }

    /**
     * The leader has sent the same.
     *
     * @param handled see {@link SentChecksums.Sent#handled}
     */
    void agreed(ResendClaim claim, long handled) {
        agreed.add(new Agreed(claim, handled));
    }

    /** The receive of an offer has begun, or it was taken back: it is stable when the relay has handled so many of the leader's kept frames. */
    void cleared(TransferId message, long handled) {
        Agreed waiting = agreed.stream()
                .filter(one -> one.handled() == SentChecksums.Sent.UNCLEARED && one.claim().id().equals(message))
                .findFirst()
                .orElse(null);
        if (waiting != null) {
            agreed.remove(waiting);
            agreed(waiting.claim(), handled);
        }
    }

    /**
     * The next leader numbers its kept frames anew.
     *
     * @param lost whether a message counts as not sent until the next leader has sent it again; the others are stable
     */
    void leaderChanged(Predicate<TransferId> lost) {
        PriorityQueue<Agreed> before = agreed;
        agreed = byNumber();
        for (Agreed one : before) {
            if (lost.test(one.claim().id())) {
                early(one.claim());
            } else {
                agreed(one.claim(), one.handled() == SentChecksums.Sent.UNCLEARED ? SentChecksums.Sent.UNCLEARED : 0);
            }
        }
    }

    /** The follower waits for the confirmation of this message. */
    void awaits(TransferId message) {
        awaited.add(message);
    }

    /** So many of the leader's kept frames are stable: confirms the messages in them when that is worth a frame, or awaited. */
    void stable(long safe) {
        boolean isAwaited = false;
        while (!agreed.isEmpty() && agreed.peek().handled() <= safe) {
            Agreed next = agreed.remove();
            isAwaited |= awaited.remove(next.claim().id());
            stable.add(next.claim().id());
            stableBytes += next.claim().bytes();
        }
        if (isAwaited || stable.size() >= MESSAGES_WORTH || stableBytes >= BYTES_WORTH) {
            port.confirmed(List.copyOf(stable));
            stable.clear();
            stableBytes = 0;
        }
    }

    void beginFinalize() {
        finalizing = true;
    }

    /** Whether it has called Finalize and was not answered. */
    boolean isFinalizing() {
        return finalizing;
    }
}
