package org.posthouse.core;

/**
 * Reads the histories of ranks from the log, outside the core's strand. Asked by the core; it answers with {@link
 * StorageResults#historyRead}, in the strand, some steps at a time.
 */
public interface HistorySource {
    /**
     * Begins to read a rank's history, and answers with the first steps. They may begin too early, never too late.
     * Polls that had failed before the first of them are one of them.
     *
     * @param replay the rank's number for this reading; answers to an ended one come to nothing.
     *     Several of one rank may be open: its own, and those of its followers
     * @param deliveries so many of its first deliveries are not wanted
     * @param events so many of its first events are not wanted
     * @param originKnown whether the process knows where it continues behind its prologue, so that no place is chosen
     *     for it
     * @param follows whether the process follows the rank's leader. It then begins at the rank's first record, never at an image,
     *     and the log keeps what it has not got
     * @param upTo the last log position that is wanted: nothing of a later record is answered
     */
    void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown, boolean follows, long upTo);

    /**
     * Answers with the next steps; after {@link HistoryStep.End}, with what was logged since, and the end again.
     *
     * @param upTo as above, and no less than before; the end is there at the latest
     */
    void more(HomedRank rank, int replay, long upTo);

    /** A follower was sent all of its rank's history up to this log position, or more. */
    void reached(HomedRank rank, int replay, long position);

    /** Ends the reading: the rest of the rank's history is not needed. */
    void end(HomedRank rank, int replay);

    /**
     * Compares a suppressed send of a restarted rank with the logged message, and reports a difference to {@link
     * StorageResults#diverged}.
     */
    void resent(long job, int source, ResendClaim resendClaim);

    /** A job has ended. */
    void forget(long job);
}
