package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.posthouse.status.RelayEvent;
import org.posthouse.wire.JobEvent;

class RelayEventsTest {
    private final AtomicLong clock = new AtomicLong(1_000);
    private final RelayEvents events = new RelayEvents("here", clock::get);

    @Test
    void givesTheNewestInOrder() {
        events.add("LINK_UP", "the link is up");
        events.add(new JobEvent(0x2a, JobEvent.LOST, 3, 137, "connection reset"), "heat");
        assertThat(events.after(0, 10)).containsExactly(
                new RelayEvent(1_000_001, 1_000, "here", "LINK_UP", "", -1, "the link is up"),
                new RelayEvent(1_000_002, 1_000, "here", "RANK_LOST", "000000000000002a", 3, "rank 3 of heat is lost: connection reset"));
        assertThat(events.after(1_000_001, 10)).extracting(RelayEvent::kind).containsExactly("RANK_LOST");
        assertThat(events.after(0, 1)).extracting(RelayEvent::kind).containsExactly("RANK_LOST");
    }

    @Test
    void checkpointsDisplaceNothingElse() {
        events.add("LINK_UP", "the link is up");
        for (int checkpoint = 0; checkpoint < 5_000; checkpoint++) {
            events.add(new JobEvent(0x2a, JobEvent.CHECKPOINTED, 0, 0, ""), "heat");
        }
        assertThat(events.after(0, 9_999)).hasSize(1 + RelayEvents.CHECKPOINTS_MAX).first().extracting(RelayEvent::kind).isEqualTo("LINK_UP");
    }

    @Test
    void numbersGoOnFromOneStartToTheNext() {
        events.add("LINK_UP", "");
        clock.addAndGet(1);
        RelayEvents restarted = new RelayEvents("here", clock::get);
        restarted.add("LINK_UP", "");
        assertThat(restarted.after(events.after(0, 1).getFirst().id(), 10)).hasSize(1);
    }

    @Test
    void shortensLongTexts() {
        events.add("LINK_DOWN", "x".repeat(1_000));
        assertThat(events.after(0, 1).getFirst().text()).hasSize(400).endsWith("…");
    }
}
