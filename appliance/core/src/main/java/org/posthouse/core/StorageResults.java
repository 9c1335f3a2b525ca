package org.posthouse.core;

import java.util.List;

/**
 * Takes what the {@link HistorySource} has read and the {@link CheckpointImages} have written. Called in the core's
 * strand. A result that nobody waits for any more is dropped. Part of {@link RelayCore}.
 */
public final class StorageResults {
    private final OpenJobs jobs;
    private final RecoveryFrames recoveryFrames;
    private final Checkpoints checkpoints;
    private final RankLifecycle lives;

    StorageResults(OpenJobs jobs, RecoveryFrames recoveryFrames, Checkpoints checkpoints, RankLifecycle lives) {
        this.lives = lives;
        this.jobs = jobs;
        this.recoveryFrames = recoveryFrames;
        this.checkpoints = checkpoints;
    }

    /**
     * The next steps of a rank's history were read.
     *
     * @param replay the rank's number of the replay that they were read for
     */
    public void historyRead(HomedRank rank, int replay, List<HistoryStep> steps) {
        RankFollower follower = follower(rank, replay);
        if (isReplayed(rank, replay)) {
            rank.job().guarded(() -> recoveryFrames.past(rank, steps));
        } else if (follower != null) {
            lives.followers().read(rank, follower, steps);
        }
    }

    /**
     * A rank's history cannot be read: its job fails. If a follower needs it, or a process that was one, only that process is dropped: it may
     * have observed less than the images that the log was cut for.
     */
    public void historyUnreadable(HomedRank rank, int replay, String why) {
        RankFollower follower = follower(rank, replay);
        if (isReplayed(rank, replay) && (rank.followedAs() > 0 || rank.job().isInMemory())) {
            lives.unreadable(rank, why);
        } else if (isReplayed(rank, replay)) {
            rank.job().fail(new JournalDamaged("the history of " + rank + ": " + why, null));
        } else if (follower != null) {
            lives.followers().unreadable(rank, follower, why);
        }
    }

    private static RankFollower follower(HomedRank rank, int replay) {
        return rank.followers() == null ? null : rank.followers().reading(replay);
    }

    private static boolean isReplayed(HomedRank rank, int replay) {
        return rank.replay() != null && rank.replay().number() == replay;
    }

    /** A restarted rank's sends differ from those of its earlier process: tells the job's launcher. */
    public void diverged(long id, int source, ResendClaim resendClaim, String difference) {
        Job job = jobs.job(id);
        if (job != null) {
            job.diverged(source, resendClaim.context(), resendClaim.destination(), resendClaim.sequence(), difference);
        }
    }

    /**
     * Bytes of a rank's image were written.
     *
     * @param save the rank's number of the image
     * @param bytes written so far
     */
    public void imageWritten(HomedRank rank, int save, long bytes) {
        checkpoints.written(rank, save, bytes);
    }

    /** A rank's image is on the disk. */
    public void imageStored(HomedRank rank, int save, CheckpointImage image) {
        rank.job().guarded(() -> checkpoints.kept(rank, save, image));
    }

    /** A rank's image could not be stored. */
    public void imageFailed(HomedRank rank, int save) {
        checkpoints.failed(rank, save);
    }
}
