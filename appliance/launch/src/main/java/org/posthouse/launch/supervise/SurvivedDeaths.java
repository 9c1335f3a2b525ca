package org.posthouse.launch.supervise;

import java.util.BitSet;
import java.util.function.Consumer;
import org.posthouse.launch.job.ExitStatus;
import org.posthouse.wire.RankFailed;

/** Deaths of ranks that the job's program is told of and survives ({@code --on-failure}). Confined to the job's thread. */
final class SurvivedDeaths {
    private static final int FIRST_PROCESS = 1;

    private final boolean allowed;
    private final int size;
    private final long job;
    private final Consumer<RankFailed> relays;
    private final JobNotices notices;
    private final BitSet dead = new BitSet();

    /**
     * @param allowed whether the program survives deaths
     * @param relays informs the rank's relay, which may not have noticed
     */
    SurvivedDeaths(boolean allowed, int size, long job, Consumer<RankFailed> relays, JobNotices notices) {
        this.allowed = allowed;
        this.size = size;
        this.job = job;
        this.relays = relays;
        this.notices = notices;
    }

    boolean areAllowed() {
        return allowed;
    }

    /** The rank's process has ended, and not as it should or before its relay said so: others wait for it no longer. */
    void processEnded(int rank) {
        if (allowed) {
            relays.accept(new RankFailed(job, rank, FIRST_PROCESS));
        }
    }

    /** @param notice how the rank ended, for people */
    void died(int rank, String notice) {
        if (!dead.get(rank)) {
            dead.set(rank);
            notices.print(notice + ": the program is told, and goes on without it");
        }
    }

    /**
     * Fails a job at whose end no rank has finished, or in which a rank ended by itself with an error, by the lowest such rank. A job that has lost ranks
     * by accident only has succeeded.
     */
    void judgeEnd(RankTable ranks, JobVerdict verdict) {
        boolean none = dead.cardinality() == size;
        for (int rank = dead.nextSetBit(0); rank >= 0 && verdict.isOpen(); rank = dead.nextSetBit(rank + 1)) {
            if (none || !ExitStatus.isAccident(ranks.status(rank))) {
                int status = ranks.status(rank) == 0 ? 1 : ranks.status(rank);
                verdict.failRank(rank, status, none ? "no rank has finished: " + ranks.deathNotice(rank) : notice(ranks, rank));
            }
        }
    }

    /** How a rank ended, for people. */
    static String notice(RankTable ranks, int rank) {
        return ranks.status(rank) == 0 ? "rank " + rank + " exited without calling MPI.Finalize" : ranks.deathNotice(rank);
    }
}
