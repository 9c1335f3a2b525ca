package org.posthouse.status;

import java.util.List;
import java.util.Objects;

/**
 * One rank of a job. Immutable.
 *
 * @param rank              its number, 0 to size - 1
 * @param site              the site it runs at
 * @param relay             the id of its home relay
 * @param state             what it is doing
 * @param incarnation       the count of its starts, 1 for the first
 * @param messagesSent      messages it sent and the relay accepted
 * @param messagesDelivered messages its mailbox delivered, as all counts since the relay's start
 * @param bytesSent         payload bytes of {@code messagesSent}
 * @param bytesDelivered    payload bytes of {@code messagesDelivered}
 * @param unexpected        messages in its mailbox that wait for a receive, now
 * @param posted            receives in its mailbox that wait for a message, now
 * @param blockedIn         the call that it has been inside for seconds, in the program's terms; empty if none is known
 * @param blockedSince      when that was heard first, in milliseconds since 1970 UTC; 0 if none is known
 * @param node              name of the node that runs it; empty if it runs beside its launcher, or that is not known
 * @param lastDeliveryAt    when a message was delivered to it last, in milliseconds since 1970 UTC, to the second; 0 if
 *                          that is not known
 * @param lastCheckpointAt  when it took its last checkpoint, in milliseconds since 1970 UTC; 0 if it has taken none since its
 *                          home relay started
 * @param followers         processes that follow it, by their numbers
 */
public record RankStatus(
        int rank,
        String site,
        String relay,
        State state,
        int incarnation,
        long messagesSent,
        long messagesDelivered,
        long bytesSent,
        long bytesDelivered,
        int unexpected,
        int posted,
        String blockedIn,
        long blockedSince,
        String node,
        long lastDeliveryAt,
        long lastCheckpointAt,
        List<FollowerStatus> followers) {

    /** Refuses nulls. */
    public RankStatus {
        Objects.requireNonNull(site, "site");
        Objects.requireNonNull(relay, "relay");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(blockedIn, "blockedIn");
        node = node == null ? "" : node; // A relay of an earlier version does not tell it.
        followers = followers == null ? List.of() : List.copyOf(followers); // Nor these.
    }

    /** A rank that nobody follows. */
    public RankStatus(
            int rank, String site, String relay, State state, int incarnation, long messagesSent, long messagesDelivered, long bytesSent,
            long bytesDelivered, int unexpected, int posted, String blockedIn, long blockedSince, String node, long lastDeliveryAt, long lastCheckpointAt) {
        this(
                rank, site, relay, state, incarnation, messagesSent, messagesDelivered, bytesSent, bytesDelivered, unexpected, posted, blockedIn,
                blockedSince, node, lastDeliveryAt, lastCheckpointAt, List.of());
    }

    /** A rank without counters: those are at its home relay. */
    public static RankStatus uncounted(int rank, State state, int incarnation) {
        return new RankStatus(rank, "", "", state, incarnation, 0, 0, 0, 0, 0, 0, "", 0, "", 0, 0);
    }

    /** The same rank with its place and the call in which it is blocked. */
    public RankStatus with(String newSite, String newRelay, String newBlockedIn, long newBlockedSince) {
        return new RankStatus(
                rank, newSite, newRelay, state, incarnation, messagesSent, messagesDelivered, bytesSent, bytesDelivered, unexpected, posted,
                newBlockedIn, newBlockedSince, node, lastDeliveryAt, lastCheckpointAt, followers);
    }

    /** The same rank with its node and the times of its last delivery and checkpoint. */
    public RankStatus at(String newNode, long newLastDeliveryAt, long newLastCheckpointAt) {
        return new RankStatus(
                rank, site, relay, state, incarnation, messagesSent, messagesDelivered, bytesSent, bytesDelivered, unexpected, posted, blockedIn,
                blockedSince, newNode, newLastDeliveryAt, newLastCheckpointAt, followers);
    }

    /** The same with another number: a relay knows each process of a rebuilt rank by its own. */
    public RankStatus numbered(int newRank) {
        return new RankStatus(
                newRank, site, relay, state, incarnation, messagesSent, messagesDelivered, bytesSent, bytesDelivered, unexpected, posted, blockedIn,
                blockedSince, node, lastDeliveryAt, lastCheckpointAt, followers);
    }

    /** The same rank with these followers. */
    public RankStatus followedBy(List<FollowerStatus> newFollowers) {
        return new RankStatus(
                rank, site, relay, state, incarnation, messagesSent, messagesDelivered, bytesSent, bytesDelivered, unexpected, posted, blockedIn,
                blockedSince, node, lastDeliveryAt, lastCheckpointAt, newFollowers);
    }

    /** The state of a rank. */
    public enum State {
        /** Its process has not said HELLO yet. */
        WAITING,
        /** Connected to its home relay. */
        CONNECTED,
        /** It is being given its earlier deliveries again. */
        REPLAYING,
        /** It called Finalize. */
        FINALIZED,
        /** Its connection broke, and it, or its next process, is awaited. */
        AWAY,
        /** Its connection broke before Finalize, and nobody is awaited. */
        LOST
    }
}
