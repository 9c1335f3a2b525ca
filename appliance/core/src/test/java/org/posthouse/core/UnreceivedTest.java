package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.Wire;

/** A send that waits for a rank which has finalized: nobody would say why its job stands still. */
final class UnreceivedTest {
    private final OneRelay relay = new OneRelay();
    private OneRelay.Rank sender;
    private OneRelay.Rank receiver;

    UnreceivedTest() throws Refusal {}

    @BeforeEach
    void connect() throws Refusal {
        sender = relay.connect(0);
        receiver = relay.connect(1);
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    private List<String> unreceived() {
        return relay.events.stream().filter(event -> event.kind() == JobEvent.UNRECEIVED).map(event -> event.rank() + " " + event.text()).toList();
    }

    private void offers(long sequence) throws Exception {
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, 5, sequence, 2 << 20));
    }

    @Test
    void reportsSendsWaitingForFinalizedRankOnce() throws Exception {
        offers(1);
        offers(2);
        assertThat(unreceived()).isEmpty();
        receiver.sends(relay.frames.finalizing(0));
        assertThat(unreceived()).containsExactly(
                "1 has called Finalize, and a send of rank 0 to it waits: 2097152 bytes, tag 5; nobody will receive them");
        offers(3);
        assertThat(unreceived()).hasSize(1);
    }

    @Test
    void reportsAnyTagOfTheSendByName() throws Exception {
        receiver.sends(relay.frames.finalizing(0));
        sender.sends(relay.frames.message(FrameType.OFFER, 0, 0, 1, Wire.SENT_WITH_ANY_TAG, 1, 2 << 20));
        assertThat(unreceived()).containsExactly(
                "1 has called Finalize, and a send of rank 0 to it waits: 2097152 bytes, tag ANY_TAG; nobody will receive them");
    }

    @Test
    void reportsSendAfterFinalizeOnlyIfItsSenderWaits() throws Exception {
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 5, 1, 3));
        receiver.sends(relay.frames.finalizing(0));
        sender.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 5, 2, 3));
        assertThat(unreceived()).isEmpty();
        offers(3);
        assertThat(unreceived()).hasSize(1);
    }
}
