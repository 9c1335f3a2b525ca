package org.posthouse.launch.remote;

import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.AgentOffer;

/** A job's connections to its relays, by their index among the job's homes. Thread-safe. */
public interface AgentTransport {
    /** Sends a frame. A connection that is broken, or is being made again, takes nothing. */
    void send(int relay, ByteBuffer frame);

    /**
     * The nodes of a relay now; empty if it cannot be asked. Blocks, for {@link
     * org.posthouse.launch.place.RelayClient#ANSWER_SECONDS} at most.
     */
    List<AgentOffer> nodes(int relay);
}
