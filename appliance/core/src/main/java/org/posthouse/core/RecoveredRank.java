package org.posthouse.core;

import java.util.List;

/**
 * The logged state of one rank that is at home at the relay, for {@link RelayCore#restore}.
 *
 * @param rank its world rank
 * @param incarnation of the process that was admitted last; 0 if none was
 * @param followedAs the number that this process had as a follower; 0 if it never followed
 * @param finalized whether that process has called Finalize
 * @param deliveries number of its last delivery
 * @param events number of its last event
 * @param failedPolls polls that have failed
 * @param channels into its mailbox, each with the last sequence number that came
 * @param takenBack offers to it that their sources took back
 * @param messages unmatched or incomplete messages to it: {@link Message#recovered}, in the order of their arrival. The
 *     core owns them from then on
 * @param limited whether it cannot be replayed behind its last checkpoint
 * @param marks where in its output its checkpoints stand, older ones first
 */
public record RecoveredRank(
        int rank,
        int incarnation,
        int followedAs,
        boolean finalized,
        long deliveries,
        long events,
        long failedPolls,
        List<Channel> channels,
        List<Channel> takenBack,
        List<Message> messages,
        boolean limited,
        List<Mark> marks) {
    /** A place in the stream of messages from {@code source} in one context. */
    public record Channel(int context, int source, long sequence) {}

    /** The position of an image in the rank's output, or for 0 that of the end of its prologue. */
    public record Mark(long image, long out, long err) {}

    /** A rank of which the log has no record. */
    public static RecoveredRank nothing(int rank) {
        return new RecoveredRank(rank, 0, 0, false, 0, 0, 0, List.of(), List.of(), List.of(), false, List.of());
    }
}
