package org.posthouse.launch.supervise;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.posthouse.launch.job.ExitStatus;
import org.posthouse.wire.RankFailed;

/** Deaths of ranks that the job's program is told of and survives ({@code --on-failure}). Confined to the job's thread. */
final class SurvivedDeaths {
    private final boolean allowed;
    private final boolean replaced;

    /** Whether a rank is started again first, so that its relay is told when that is not done any more. */
    private final boolean isLogged;

    private final int[] homeOf;
    private final int size;
    private final long job;
    private final Consumer<RankFailed> relays;
    private final JobNotices notices;
    private final BitSet dead = new BitSet();

    /** By rank, the first end of one of its processes that was an error of the program, though another took its place. */
    private final Map<Integer, ProgramError> errors = new TreeMap<>();

    private record ProgramError(int status, String notice) {}

    /** Of the last process of each dead rank. */
    private final int[] incarnations;

    /**
     * @param allowed whether the program survives deaths
     * @param replaced whether other processes take the places of the dead
     * @param isLogged whether ranks may be started again first
     * @param homeOf the relay of each rank
     * @param relays informs the rank's relay, which may not have noticed
     */
    SurvivedDeaths(
            boolean allowed, boolean replaced, boolean isLogged, int[] homeOf, long job, Consumer<RankFailed> relays, JobNotices notices) {
        this.allowed = allowed;
        this.replaced = replaced;
        this.isLogged = isLogged;
        this.homeOf = homeOf;
        this.size = homeOf.length;
        this.incarnations = new int[size];
        this.job = job;
        this.relays = relays;
        this.notices = notices;
    }

    boolean areAllowed() {
        return allowed;
    }

    /** Whether other processes take the places of the dead. */
    boolean areReplaced() {
        return replaced;
    }

    /**
     * The rank's process has ended, and not as it should or before its relay said so: others wait for it no longer.
     *
     * @param incarnation the number of the process among those of its rank
     */
    void processEnded(int rank, int incarnation) {
        if (allowed && !isLogged) {
            relays.accept(new RankFailed(job, rank + size * (incarnation - 1), incarnation));
        }
    }

    /** The rank's process has died, and another is to take its place. */
    void replaced(int rank, RankTable ranks) {
        if (!ExitStatus.isAccident(ranks.status(rank)) && !ranks.couldNotStart(rank)) {
            errors.putIfAbsent(rank, error(ranks, rank));
        }
    }

    private static ProgramError error(RankTable ranks, int rank) {
        return new ProgramError(Math.max(1, ranks.status(rank)), notice(ranks, rank));
    }

    /** The rank's process has died, and no other takes its place, as no communicator of all ranks can be made any more. */
    void notReplaced(int rank, int incarnation, RankTable ranks) {
        errors.remove(rank, error(ranks, rank)); // It is judged as one of the dead.
        died(rank, incarnation, ranks, ranks.isFinalized(rank) ? "" : ", and gets no new process, as another rank has called MPI.Finalize");
    }

    /**
     * The rank has died, of which its relay has told the others, or is to tell them in a logged job; or it has failed after Finalize, of which they are
     * told nothing.
     *
     * @param incarnation of its last process
     * @param why it is not started again, as the rest of a sentence; may be empty
     */
    void died(int rank, int incarnation, RankTable ranks, String why) {
        if (!dead.get(rank)) {
            dead.set(rank);
            incarnations[rank] = incarnation;
            tell(rank);
            notices.print(notice(ranks, rank) + why + (ranks.isFinalized(rank)
                    ? " after MPI.Finalize: the program is not told"
                    : ": the program is told, and goes on without it"));
        }
    }

    private void tell(int rank) {
        if (isLogged) {
            relays.accept(new RankFailed(job, rank, incarnations[rank]));
        }
    }

    /** The relay is connected again, and may not have been told. */
    void relayBack(int relay) {
        dead.stream().filter(rank -> homeOf[rank] == relay).forEach(this::tell);
    }

    boolean isDead(int rank) {
        return dead.get(rank);
    }

    /**
     * Fails a job at whose end no rank has called Finalize, or in which a rank ended by itself with an error, by the lowest such rank. A job that has lost ranks
     * by accident only has succeeded.
     */
    void judgeEnd(RankTable ranks, JobVerdict verdict) {
        errors.forEach((rank, error) -> verdict.failRank(rank, error.status, error.notice + ", though another process took its place"));
        boolean none = dead.cardinality() == size && ranks.finalized() == 0;
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
