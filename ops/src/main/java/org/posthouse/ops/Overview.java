package org.posthouse.ops;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RelayStatus;

/**
 * Relays at one instant: what one event of the live stream shows. Immutable; equal to the one before when nothing
 * changed.
 */
record Overview(List<Entry> relays) {

    /**
     * One relay with its readiness.
     *
     * @param heardAt when the relay was heard last, milliseconds since 1970 UTC; 0 if it is in this process
     */
    record Entry(RelayStatus snapshot, Readiness readiness, long heardAt) {
        /** Whether the relay is in this process. */
        boolean isHere() {
            return heardAt == 0;
        }
    }

    Overview {
        relays = List.copyOf(relays);
    }

    /** Asks every view once; an exception of a view goes to the caller. */
    static Overview of(List<RelayView> views) {
        List<Entry> relays = new ArrayList<>(views.size());
        for (RelayView view : views) {
            relays.add(new Entry(view.snapshot(), view.readiness(), 0));
        }
        return new Overview(relays);
    }

    /** This one, and relays of other processes that are not in it. */
    Overview with(List<Entry> others) {
        List<Entry> all = new ArrayList<>(relays);
        for (Entry other : others) {
            if (relays.stream().noneMatch(entry -> entry.snapshot().relay().equals(other.snapshot().relay()))) {
                all.add(other);
            }
        }
        return new Overview(all);
    }

    /** Every job once, put together from all relays that know it; those that run first, and the newest. */
    List<JobStatus> jobs() {
        return JobBoard.merge(relays.stream().map(Entry::snapshot).toList());
    }

    Optional<JobStatus> job(String id) {
        return jobs().stream().filter(job -> job.id().equals(id)).findFirst();
    }
}
