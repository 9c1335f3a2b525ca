package org.posthouse.relay.log;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Log space reserved for the messages that the ranks of each open job may have under way, at most half of the log
 * (docs/adr/0070). Thread-safe.
 *
 * <p>A job reserves for all its ranks when it is opened. After a while the room of ranks that have not connected is
 * released, until they connect. Only new jobs are refused. Ranks, recovered jobs, and jobs to which a launcher comes
 * back are not.
 *
 * <p>An owner's first job may reserve all of it. A further job of the same owner must leave a quarter for other owners.
 */
public final class LogReservations {
    /** The share of one owner with several jobs. */
    private static final double OWNER_SHARE = 0.75;

    private final LogWatermarks logWatermarks;
    private final Map<Long, Reservation> jobs = new HashMap<>();

    private record Reservation(String owner, long bytes) {}

    LogReservations(LogWatermarks logWatermarks) {
        this.logWatermarks = logWatermarks;
    }

    /**
     * Reserves room for a new job.
     *
     * @return why that is refused, in words that continue "the job"; empty if it was reserved
     */
    synchronized Optional<String> tryReserve(long job, String owner, long bytes) {
        if (!logWatermarks.fits(bytes)) {
            return Optional.of("may have " + bytes + " bytes under way, other jobs " + logWatermarks.underWayBytes() + ", and the log may take "
                    + logWatermarks.limitBytes() + " bytes, of which that must be half at most");
        }
        long own = ownedBy(owner);
        long most = (long) (logWatermarks.limitBytes() / 2 * OWNER_SHARE);
        if (own > 0 && own + bytes > most) {
            return Optional.of("may have " + bytes + " bytes under way, other jobs of " + owner + " " + own + ", and the jobs of one owner together "
                    + most + " at most, so that others find room");
        }
        reserve(job, owner, bytes);
        return Optional.empty();
    }

    /** Reserves room for a job that continues, whether there is room or not. An existing reservation is kept. */
    public synchronized void reserve(long job, String owner, long bytes) {
        if (jobs.putIfAbsent(job, new Reservation(owner, bytes)) == null) {
            logWatermarks.mayCome(bytes);
        }
    }

    /** Changes the reservation to what the present ranks of the job may have under way. */
    public synchronized void resize(long job, long bytes) {
        Reservation before = jobs.get(job);
        if (before != null && before.bytes != bytes) {
            jobs.put(job, new Reservation(before.owner, bytes));
            logWatermarks.mayCome(bytes - before.bytes);
        }
    }

    /** Sets the owner of a job whose launcher has come back to this process of the relay. */
    public synchronized void own(long job, String owner) {
        jobs.computeIfPresent(job, (id, before) -> new Reservation(owner, before.bytes));
    }

    /** Releases the room of a job that has ended or was not opened. */
    synchronized void release(long job) {
        Reservation before = jobs.remove(job);
        if (before != null) {
            logWatermarks.mayCome(-before.bytes);
        }
    }

    /** Bytes reserved for this job; 0 if there are none. */
    synchronized long of(long job) {
        Reservation reservation = jobs.get(job);
        return reservation == null ? 0 : reservation.bytes;
    }

    /** Bytes reserved for an owner's jobs. */
    public synchronized long ownedBy(String owner) {
        return jobs.values().stream().filter(job -> job.owner.equals(owner)).mapToLong(Reservation::bytes).sum();
    }

    /** Number of jobs with a reservation. */
    public synchronized int count() {
        return jobs.size();
    }
}
