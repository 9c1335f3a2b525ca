package org.posthouse.launch;

import java.util.List;
import java.util.Optional;
import org.posthouse.launch.supervise.SendDeadlock;
import org.posthouse.wire.JobEvent;

/** What a launcher makes of what relays tell it of ranks that wait in sends; for simulated launchers. */
public final class RingWatch {
    private final SendDeadlock ring = new SendDeadlock();

    /** A relay tells of a rank. @return what the launcher tells people; empty if nothing */
    public Optional<String> hear(JobEvent event) {
        if (event.kind() != JobEvent.SENDS_BEHIND) {
            return Optional.empty();
        }
        List<Integer> ranks = ring.waits(event.rank(), (int) event.a(), event.code(), (int) event.b(), event.text());
        return ranks.isEmpty() ? Optional.empty() : Optional.of(ring.words(ranks));
    }

    /** Another process of the rank counts its calls anew. */
    public void forget(int rank) {
        ring.forget(rank);
    }
}
