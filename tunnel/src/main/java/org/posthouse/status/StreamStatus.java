package org.posthouse.status;

import java.util.List;

/**
 * The streams over a relay's links, its doors, and its ports to doors of other relays. Immutable. Counts run since the
 * relay started.
 *
 * @param open streams that are open now, those being opened included
 * @param opened streams that were opened, here or by other relays
 * @param refused streams that were refused, here or there
 * @param bytesIn bytes received on streams
 * @param bytesOut bytes sent on streams
 * @param waits how often a stream used its last token
 * @param buffersUsed buffers in use or guaranteed now
 * @param buffers total number of buffers
 * @param carried lanes of other relays that pass through this one now
 * @param bytesCarried their bytes, both directions together
 * @param drained whether other relays' lanes avoid this one
 * @param forwards doors, and ports to doors
 */
public record StreamStatus(
        int open,
        long opened,
        long refused,
        long bytesIn,
        long bytesOut,
        long waits,
        int buffersUsed,
        int buffers,
        int carried,
        long bytesCarried,
        boolean drained,
        List<Forward> forwards) {

    /** Copies the list. */
    public StreamStatus {
        forwards = List.copyOf(forwards);
    }

    /**
     * A door of this relay, or a port that leads to a door of another one. Immutable.
     *
     * @param name of a door: its name; of a port: RELAY/NAME
     * @param address of a door: its target; of a port: where it listens
     * @param state state of the door or port
     * @param streams streams that are open through it now
     * @param opened streams that were opened through it
     * @param refused connections and streams that were refused
     * @param lastReason why the last one was refused, or it does not listen; empty if never
     */
    public record Forward(String name, String address, State state, int streams, long opened, long refused, String lastReason) {
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
}
