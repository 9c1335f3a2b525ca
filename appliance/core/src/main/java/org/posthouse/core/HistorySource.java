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
     * @param replay the rank's number for this reading; answers to an earlier one come to nothing
     * @param deliveries so many of its first deliveries are not wanted
     * @param events so many of its first events are not wanted
     * @param originKnown whether the process knows where it continues behind its prologue, so that no place is chosen
     *     for it
     */
    void begin(HomedRank rank, int replay, long deliveries, long events, boolean originKnown);

    /** Answers with the next steps; after {@link HistoryStep.End}, with what was logged since, and the end again. */
    void more(HomedRank rank, int replay);

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
