package org.posthouse.ops;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RelayStatus;

/**
 * All relays of this process at one instant: what one event of the live stream shows. Immutable; equal to the one
 * before when nothing changed.
 */
record Overview(List<Entry> relays) {

    /** One relay with its readiness. */
    record Entry(RelayStatus snapshot, Readiness readiness) {}

    Overview {
        relays = List.copyOf(relays);
    }

    /** Asks every view once; an exception of a view goes to the caller. */
    static Overview of(List<RelayView> views) {
        List<Entry> relays = new ArrayList<>(views.size());
        for (RelayView view : views) {
            relays.add(new Entry(view.snapshot(), view.readiness()));
        }
        return new Overview(relays);
    }

    /** Every job once, put together from all relays that know it; those that run first, and the newest. */
    List<JobStatus> jobs() {
        return JobBoard.merge(relays.stream().map(Entry::snapshot).toList());
    }

    Optional<JobStatus> job(String id) {
        return jobs().stream().filter(job -> job.id().equals(id)).findFirst();
    }
}
