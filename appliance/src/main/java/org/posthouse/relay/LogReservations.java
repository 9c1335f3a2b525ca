package org.posthouse.relay;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Room in the log that is reserved for what the ranks of each open job may have under way, half of the log at most (docs/adr/0070). Thread-safe.
 *
 * <p>A job reserves for all its ranks when it is opened. Those that have not come after a while have no room reserved any more, until they come.
 * What goes on, be it a rank, a job from the log or one that its launcher comes back to, is never refused: only new jobs are.
 *
 * <p>An owner's first job may take all that there is. Beside another of his own a job may take so much only that a quarter is left for other owners.
 */
final class LogReservations {
    /** Of what may be reserved, one owner may have so much when he has several jobs. */
    private static final double OWNER_SHARE = 0.75;

    private final Pressure pressure;
    private final Map<Long, Reservation> jobs = new HashMap<>();

    private record Reservation(String owner, long bytes) {}

    LogReservations(Pressure pressure) {
        this.pressure = pressure;
    }

    /**
     * Reserves so much for a new job.
     *
     * @return why it cannot be, in words that go on behind "the job"; empty if it is
     */
    synchronized Optional<String> tryReserve(long job, String owner, long bytes) {
        if (!pressure.fits(bytes)) {
            return Optional.of("may have " + bytes + " bytes under way, other jobs " + pressure.underWayBytes() + ", and the log may take "
                    + pressure.limitBytes() + " bytes, of which that must be half at most");
        }
        long own = ownedBy(owner);
        long most = (long) (pressure.limitBytes() / 2 * OWNER_SHARE);
        if (own > 0 && own + bytes > most) {
            return Optional.of("may have " + bytes + " bytes under way, other jobs of " + owner + " " + own + ", and the jobs of one owner together "
                    + most + " at most, so that others find room");
        }
        reserve(job, owner, bytes);
        return Optional.empty();
    }

    /** Reserves so much for a job that goes on, whether there is room or not. One that has a reservation keeps it. */
    synchronized void reserve(long job, String owner, long bytes) {
        if (jobs.putIfAbsent(job, new Reservation(owner, bytes)) == null) {
            pressure.mayCome(bytes);
        }
    }

    /** The job's ranks that are there may have so much under way. */
    synchronized void resize(long job, long bytes) {
        Reservation before = jobs.get(job);
        if (before != null && before.bytes != bytes) {
            jobs.put(job, new Reservation(before.owner, bytes));
            pressure.mayCome(bytes - before.bytes);
        }
    }

    /** The job is this owner's: its launcher has come to this process of the relay. */
    synchronized void own(long job, String owner) {
        jobs.computeIfPresent(job, (id, before) -> new Reservation(owner, before.bytes));
    }

    /** The job has ended, or was not opened. */
    synchronized void release(long job) {
        Reservation before = jobs.remove(job);
        if (before != null) {
            pressure.mayCome(-before.bytes);
        }
    }

    /** What is reserved for this job, in bytes; 0 if nothing is. */
    synchronized long of(long job) {
        Reservation reservation = jobs.get(job);
        return reservation == null ? 0 : reservation.bytes;
    }

    /** What is reserved for an owner's jobs, in bytes. */
    synchronized long ownedBy(String owner) {
        return jobs.values().stream().filter(job -> job.owner.equals(owner)).mapToLong(Reservation::bytes).sum();
    }

    /** How many jobs have a reservation. */
    synchronized int count() {
        return jobs.size();
    }
}
