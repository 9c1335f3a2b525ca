package org.posthouse.ops;

import java.util.List;

/**
 * The streams over a relay's links, its doors, and its ports to doors of other relays. Immutable. Counts run since the relay started.
 *
 * @param open streams that are open now
 * @param opened streams that were opened, here or by other relays
 * @param refused streams that were refused, here or there
 * @param bytesIn bytes that came on streams
 * @param bytesOut bytes that went
 * @param waits how often a stream used its last token
 * @param buffersUsed buffers that are taken or promised, now
 * @param buffers buffers that there are
 * @param carried lanes of other relays that go through this one now
 * @param bytesCarried their bytes, both ways together
 * @param drained whether other relays' lanes keep away from this one
 * @param forwards doors, and ports to doors
 */
public record StreamsView(
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
        List<ForwardView> forwards) {

    /** Copies the list. */
    public StreamsView {
        forwards = List.copyOf(forwards);
    }

    /**
     * A door of this relay, or a port here that leads to a door of another one. Immutable.
     *
     * @param name of a door: its name; of a port: RELAY/NAME
     * @param address of a door: where it leads; of a port: where it listens
     * @param state DOOR, LISTENING, or REFUSING: a port whose relay is not linked now
     * @param streams streams that are open through it now
     * @param opened streams that were opened through it
     * @param refused connections and streams that were refused
     * @param lastReason why the last one was; empty if never
     */
    public record ForwardView(
            String name, String address, String state, int streams, long opened, long refused, String lastReason) {}
}
