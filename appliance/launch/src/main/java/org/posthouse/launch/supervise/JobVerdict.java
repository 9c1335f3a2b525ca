package org.posthouse.launch.supervise;

import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.ExitStatuses;

/**
 * The end of a job: success, its first failure, or the reason why this launcher leaves it for another one. The first
 * of these counts, and later ones change nothing. Confined to the job's thread.
 */
final class JobVerdict {
    private final long job;
    private final boolean mayBeLeft;

    /** The end of the job that another launcher has decided, perhaps without telling all relays; null if none has. */
    private JobStatusReport.End decided;

    private CloseNotice failure;

    /** The rank whose end the failure is; {@link JobTimers#NOBODY} if it is none's. */
    private int failedRank = JobTimers.NOBODY;

    /** The reason why the job is left for another launcher; null unless it is. */
    private String left;

    private int leftStatus = ExitStatuses.LEFT;

    private boolean closing;

    /** @param mayBeLeft whether another launcher could continue the job */
    JobVerdict(long job, boolean mayBeLeft) {
        this.job = job;
        this.mayBeLeft = mayBeLeft;
    }

    /** Another launcher has decided the end. */
    void decided(JobStatusReport.End end) {
        decided = end;
    }

    /** Whether another launcher has decided the end. */
    boolean isDecided() {
        return decided != null;
    }

    /** Whether another launcher could continue the job. */
    boolean mayBeLeft() {
        return mayBeLeft;
    }

    /** Whether the job has neither failed nor been left. */
    boolean isOpen() {
        return failure == null && left == null;
    }

    /** Whether the job is open, and its end is not being sent to its relays. */
    boolean isRunning() {
        return !closing && isOpen();
    }

    /** Whether the end is being sent to the relays. */
    boolean isClosing() {
        return closing;
    }

    /** Whether the job has failed. */
    boolean hasFailed() {
        return failure != null;
    }

    /** Whether the job is not over, but left for another launcher. */
    boolean isLeft() {
        return left != null;
    }

    /** The job fails, unless it has ended. */
    void fail(int status, String cause) {
        if (isOpen()) {
            failure = new CloseNotice(job, status, JobTimers.NOBODY, cause);
        }
    }

    /** The job fails because a rank's process has ended with this status, unless it has ended. */
    void failRank(int rank, int status, String cause) {
        if (isOpen()) {
            failedRank = rank;
        }
        fail(status, cause);
    }

    /**
     * Of several ranks that have failed, the lowest gives the job its status, as with {@code mpirun}.
     *
     * @param how the rank's end, for people
     */
    void lowestFailed(int rank, int status, String how) {
        if (!closing && rank < failedRank) {
            failedRank = rank;
            failure = new CloseNotice(job, status, JobTimers.NOBODY, failure.text() + "; " + how + ", the lowest that failed");
        }
    }

    /** The job is left for another launcher, unless it has ended. */
    void leave(String why) {
        if (isOpen()) {
            left = decided == null ? why : "it is over, and not all its relays know: " + why;
        }
    }

    /** As {@link #leave}. No launcher can continue the job before a relay's data is brought back. */
    void leaveLost(String why) {
        leave(why);
        leftStatus = ExitStatuses.LOST;
    }

    /** Leaves the job if another launcher could continue it. Otherwise the job fails. */
    void leaveOrFail(int status, String why) {
        if (mayBeLeft) {
            leave(why);
        } else {
            fail(status, why);
        }
    }

    /** Begins to close the job. @return the reason of its end for the relays */
    CloseNotice close() {
        closing = true;
        return notice(job, end());
    }

    /** The reason of a job's end for the relays. A failure with status 0 must not look like success. */
    static CloseNotice notice(long job, JobStatusReport.End end) {
        boolean finished = end.status() == 0 && end.cause().isEmpty();
        int status = end.status() == 0 && !finished ? 1 : end.status();
        return new CloseNotice(job, status, JobTimers.NOBODY, finished ? "finished" : end.cause());
    }

    /** The end of the job itself, without regard to {@link #leave}. */
    JobStatusReport.End end() {
        if (failure != null) {
            return new JobStatusReport.End(failure.code(), failure.text(), false);
        }
        return decided != null ? decided : new JobStatusReport.End(0, "", false);
    }

    /** The end of the job for this launcher. */
    JobStatusReport.End endHere() {
        return left != null ? new JobStatusReport.End(leftStatus, left, true) : end();
    }
}
