package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/** A process that follows a rank of {@link OneRelay}, and writes down what it is told. */
final class TableFollower extends OneRelay.Rank implements FollowerPort {
    private final OneRelay relay;
    boolean leads;
    int incarnation;
    List<StatePage.Entry> state;

    TableFollower(OneRelay relay) {
        relay.super();
        this.relay = relay;
    }

    @Override
    public void promoted(Welcome answer, List<StatePage.Entry> channels) {
        leads = true;
        incarnation = answer.incarnation();
        state = channels;
        heard.add("promoted as incarnation " + answer.incarnation());
        relay.trace.add("follower: promoted");
    }

    @Override
    public void confirmed(List<TransferId> messages) {
        heard.add("confirmed " + messages.size() + " up to #" + messages.getLast().sequence());
    }

    @Override
    void sends(ByteBuffer frame) throws WireException {
        if (leads) {
            super.sends(frame);
        } else {
            relay.core.fromFollower(rank, this, new TestFrame(frame, relay.ledger));
        }
    }
}
