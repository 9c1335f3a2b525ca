package org.posthouse.launch.reserve;

import org.posthouse.launch.place.NodeSlots;
import org.posthouse.wire.AgentMessage.Refusal;
import org.posthouse.wire.AgentMessage.Reserved;

/** A node that was asked for slots in a round, and its answer. Confined to its {@link ReservationRound}. */
final class AskedNode {
    static final String SILENT = "no answer";

    /** The node; its free slots are those that it was asked for. */
    private final NodeSlots node;

    private int granted;

    /** Why fewer slots were granted than asked for, for people. */
    private String refusal = SILENT;

    private boolean isAnswered;

    AskedNode(NodeSlots node) {
        this.node = node;
    }

    long agent() {
        return node.agent();
    }

    String site() {
        return node.site();
    }

    int asked() {
        return node.free();
    }

    int granted() {
        return granted;
    }

    int refused() {
        return asked() - granted;
    }

    String refusal() {
        return refusal;
    }

    boolean isAnswered() {
        return isAnswered;
    }

    void answer(Reserved answer) {
        answer(answer.granted(), answer.reason() == Refusal.NONE ? Refusal.FULL.name() : answer.reason().name());
    }

    void answer(int slots, String why) {
        granted = Math.clamp(slots, 0, asked());
        refusal = why;
        isAnswered = true;
    }

    /** The node with the granted slots as its free ones. */
    NodeSlots grantedNode() {
        return node.withFree(granted);
    }
}
