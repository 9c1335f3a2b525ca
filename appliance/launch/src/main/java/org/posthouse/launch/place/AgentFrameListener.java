package org.posthouse.launch.place;

import java.nio.ByteBuffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.WireException;

/** Receives a relay's frames about agents and files: AGENT_OFFER, AGENT_MESSAGE, AGENT_GONE, STAGE_ANSWER, STAGE_TAKEN, DETECTOR_VERDICT. */
public interface AgentFrameListener {
    /**
     * Called by the thread that reads the connection. It must not wait for another frame of the same connection.
     *
     * @param frame a whole frame; valid during the call only
     * @throws WireException if it cannot be decoded; the connection then ends
     */
    void onFrame(FrameType type, ByteBuffer frame) throws WireException;

    /** The connection has ended, and not by {@link RelayClient#close}. */
    default void onLost(String why) {}
}
