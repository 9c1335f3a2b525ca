package org.posthouse.core;

import org.junit.jupiter.api.AfterEach;

/** Ranks 0 and 1 of {@link OneRelay}, of which one sends to the other. */
abstract class TwoRanks {
    final OneRelay relay;
    final OneRelay.Rank sender;
    final OneRelay.Rank receiver;

    TwoRanks(OneRelay relay) throws Refusal {
        this.relay = relay;
        sender = relay.connect(0);
        receiver = relay.connect(1);
    }

    @AfterEach
    final void nothingIsLeft() {
        relay.end();
    }
}
