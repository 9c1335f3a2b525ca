package org.posthouse.launch.reserve;

import org.posthouse.launch.place.NodeAllocation;

/** What the caller of a {@link ReservationRound} is to do, in the order of the list. */
public sealed interface ReservationStep {
    /**
     * Send RESERVE to an agent, with the job's key and a time of {@link ReservationRound#TTL_MS}.
     *
     * @param agent the agent's number
     * @param want slots, at least 1
     */
    record Ask(long agent, int want) implements ReservationStep {}

    /**
     * Send CONFIRM to an agent.
     *
     * @param agent the agent's number
     * @param slots that the job keeps, at least 1; the agent frees the others
     */
    record Keep(long agent, int slots) implements ReservationStep {}

    /**
     * Send RELEASE to an agent.
     *
     * @param agent the agent's number
     */
    record GiveBack(long agent) implements ReservationStep {}

    /**
     * Call {@link ReservationRound#onTime} at this time, if no later step names another.
     *
     * @param timeNs on the caller's monotonic clock
     */
    record WaitUntil(long timeNs) implements ReservationStep {}

    /** Fetch the nodes' offers again, and pass them to {@link ReservationRound#onNodes}. */
    record AskNodes() implements ReservationStep {}

    /**
     * The slots are reserved and confirmed: stage and start.
     *
     * @param allocation the node of each rank
     */
    record Allocated(NodeAllocation allocation) implements ReservationStep {}

    /**
     * There are too few slots; nothing is held any more.
     *
     * @param why one line for people
     */
    record Failed(String why) implements ReservationStep {}
}
