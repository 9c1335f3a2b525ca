package org.posthouse.status;

import java.util.List;
import java.util.Objects;

/**
 * One job as one relay knows it. Immutable.
 *
 * @param id         job id, 1 to 32 lower-case hexadecimal digits
 * @param name       what the user calls it, usually the main class
 * @param size       number of ranks the job was started with
 * @param durability none, process, host or copies
 * @param onFailure  what becomes of it when a rank dies: restart, abort, blank, shrink, rebuild, restart,blank or restart,shrink
 * @param state      e.g. STARTING, RUNNING, FINISHED, FAILED
 * @param startedAt  milliseconds since 1970 UTC
 * @param ranks      the ranks this relay knows of; the home relay of a rank has its counters
 * @param divergences messages that ranks which were started again would have sent otherwise than before, since the
 *         start of their relays
 * @param divergence  the first of them, in words; empty if there was none
 * @param launcherAwaitedUntil milliseconds since 1970 UTC until which its launcher may come back before the job is
 *         ended; 0 if it is there
 * @param standsStillSince milliseconds since 1970 UTC since when all of its ranks that have not called Finalize wait,
 *         for a minute at least; 0 if they do not, as far as is known
 * @param owner who opened it, as its relay knows him: the host that its launcher's connection came from; empty if that
 *         is not known
 * @param reservedBytes room in the log that is reserved for what its ranks may have under way; 0 if it is not logged
 * @param pinnedBytes of the log from the oldest record on that one of its ranks needs: no more of it than that can go
 *         before this job; 0 if none does
 */
public record JobStatus(
        String id, String name, int size, String durability, String onFailure, String state, long startedAt, List<RankStatus> ranks,
        long divergences, String divergence, long launcherAwaitedUntil, long standsStillSince, String owner, long reservedBytes, long pinnedBytes) {

    /** Copies the ranks and refuses nulls. */
    public JobStatus {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(durability, "durability");
        Objects.requireNonNull(onFailure, "onFailure");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(divergence, "divergence");
        Objects.requireNonNull(owner, "owner");
        ranks = List.copyOf(ranks);
    }

    /** A job that has ended stays in the snapshot for people to see; a rank that it lost is nothing to act on. */
    public boolean live() {
        return state.equals("STARTING") || state.equals("RUNNING");
    }

    /** The same job with these ranks. */
    public JobStatus with(List<RankStatus> newRanks) {
        return new JobStatus(
                id, name, size, durability, onFailure, state, startedAt, newRanks, divergences, divergence, launcherAwaitedUntil, standsStillSince, owner,
                reservedBytes, pinnedBytes);
    }

    /** The job as this relay and another one know it, with the ranks of the one that started it first. */
    public JobStatus merge(JobStatus other) {
        JobStatus head = other.startedAt < startedAt ? other : this;
        return new JobStatus(
                head.id, head.name, head.size, head.durability, head.onFailure, head.state, head.startedAt, head.ranks,
                divergences + other.divergences,
                divergence.isEmpty() ? other.divergence : divergence,
                soonest(launcherAwaitedUntil, other.launcherAwaitedUntil),
                Math.max(standsStillSince, other.standsStillSince),
                head.owner,
                reservedBytes + other.reservedBytes,
                pinnedBytes + other.pinnedBytes);
    }

    /** The first relay to end the job ends it for all. */
    private static long soonest(long a, long b) {
        return a == 0 || b == 0 ? Math.max(a, b) : Math.min(a, b);
    }
}
