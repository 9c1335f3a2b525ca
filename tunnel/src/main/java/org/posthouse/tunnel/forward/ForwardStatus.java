package org.posthouse.tunnel.forward;

/**
 * The status of a door of this relay, or of a port that leads to a door of another one. Immutable. Counts run since the
 * relay started.
 *
 * @param name of a door: its name; of a port: RELAY/NAME
 * @param address of a door: its target; of a port: where it listens
 * @param state of the door or port
 * @param streams streams that are open through it now
 * @param opened streams that were opened through it
 * @param refused connections and streams that were refused
 * @param lastReason why the last one was refused, or it does not listen; empty if never
 */
public record ForwardStatus(
        String name, String address, State state, int streams, long opened, long refused, String lastReason) {
    /** The states of a door or port. */
    public enum State {
        /** A door of this relay. */
        DOOR,
        /** A port that accepts connections. */
        LISTENING,
        /** A port that refuses connections, because the link to its relay is not up. */
        REFUSING
    }
}
