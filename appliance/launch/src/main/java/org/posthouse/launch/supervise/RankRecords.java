package org.posthouse.launch.supervise;

import org.posthouse.launch.job.JobSignal;

/**
 * Records what the next process of a rank needs, and the next launcher of the job: finished ranks, checkpoints, and
 * marks in the kept output. Called by the job's thread.
 */
public interface RankRecords {
    /**
     * The rank has ended as it should. {@link JobSignal.Kept} of process 0 follows when a later launcher would know.
     */
    void done(int rank);

    /**
     * A checkpoint was taken; image 0 is the end of the prologue. The bytes are those that the rank had printed to its
     * streams by then.
     *
     * @return whether that is news
     */
    boolean checkpointed(int rank, int image, long outBytes, long errBytes);

    /**
     * The rank saves. {@link JobSignal.Kept} follows when the output that its process had printed by then is kept.
     */
    void saves(int rank, int incarnation, long outBytes, long errBytes);

    /** A stream is kept up to this point, and the process's host is about to forget it. May block for the disk. */
    void outputKept(JobSignal.OutputKept kept);

    /** The rank made a call that cannot be replayed. */
    void limited(int rank, String why);

    /** The kept output of the rank has a mark, which another launcher may need. */
    void placed(JobSignal.Placed place);

    /** Makes all marks so far survive the failure that the job is to survive. */
    void keepPlaces();
}
