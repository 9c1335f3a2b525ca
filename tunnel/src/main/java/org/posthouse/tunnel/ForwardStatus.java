package org.posthouse.tunnel;

/**
 * A door of this relay, or a port here that leads to a door of another one. Immutable. Counts run since the relay started.
 *
 * @param name of a door: its name; of a port: RELAY/NAME
 * @param address of a door: where it leads; of a port: where it listens
 * @param state what it does
 * @param streams streams that are open through it now
 * @param opened streams that were opened through it
 * @param refused connections and streams that were refused
 * @param lastReason why the last one was refused, or it does not listen; empty if never
 */
public record ForwardStatus(
        String name, String address, State state, int streams, long opened, long refused, String lastReason) {
    /** What it does. */
    public enum State {
        /** A door of this relay. */
        DOOR,
        /** A port that takes connections. */
        LISTENING,
        /** A port that refuses connections: the link to its relay is not up. */
        REFUSING
    }
}
