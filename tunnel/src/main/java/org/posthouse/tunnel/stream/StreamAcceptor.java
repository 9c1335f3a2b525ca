package org.posthouse.tunnel.stream;

/** Handles streams that other relays open. Called on the relay's context. */
public interface StreamAcceptor {
    /**
     * Called for a requested stream; answers with {@link LinkStream#accept} or {@link LinkStream#end}, now or
     * later.
     */
    void onAsked(LinkStream stream, String door);
}
