package org.posthouse.tunnel;

import java.time.Instant;
import java.util.List;
import org.posthouse.tunnel.stream.LinkStreamStatus;

/**
 * The status of one link, for display and metrics. Immutable. Counts run since this relay started and include every
 * connection of the link. They count only the frames that the link carries, not its control frames.
 *
 * @param site the peer relay's site
 * @param relay the peer relay's id
 * @param state of the link
 * @param since when it entered that state
 * @param framesIn frames passed to the listener
 * @param bytesIn their bytes
 * @param framesOut frames written, retransmitted ones included
 * @param bytesOut their bytes
 * @param framesRetransmitted of {@code framesOut}, those written before on another connection
 * @param unacknowledgedBytes bytes that the peer has not acknowledged, as the window counts them
 * @param roundTripMicros of the last ping; -1 if none was answered yet
 * @param lanes number of connections that carry the link now
 * @param perLane these, and all former ones, lane 0 first
 * @param packing packed part of its bulk
 * @param paths the relays on the lanes' paths, each path once, that of the first lane first; an empty list is a direct
 *         path
 * @param moves how often another connection took over while the link was up
 * @param streams streams beside the relay's own frames
 * @param lastReason why it last went down or could not come up; empty if never
 * @param suspicion the suspected problem of the path to the peer; empty if there is none
 */
public record LinkStatus(
        String site,
        String relay,
        State state,
        Instant since,
        long framesIn,
        long bytesIn,
        long framesOut,
        long bytesOut,
        long framesRetransmitted,
        long unacknowledgedBytes,
        long roundTripMicros,
        int lanes,
        List<Lane> perLane,
        Packing packing,
        List<List<String>> paths,
        long moves,
        LinkStreamStatus streams,
        String lastReason,
        String suspicion) {
    /**
     * One lane of the link, with its current and former connections.
     *
     * @param number from 0
     * @param up whether it carries frames now
     * @param inSession whether it belongs to the link's current session, so that it is dialled again if it is not up.
     *         False for all lanes of a link that is down, and for one of an earlier session only
     * @param via the relays that it passes through; empty if it is direct, or not up
     * @param bytesIn bytes received, before TLS and as packed, since the relay started
     * @param bytesOut bytes written
     * @param unacknowledgedBytes bytes written on it that the peer has not reported
     */
    public record Lane(int number, boolean up, boolean inSession, List<String> via, long bytesIn, long bytesOut, long unacknowledgedBytes) {}

    /**
     * The packing of sent bulk.
     *
     * @param on whether bulk is packed now
     * @param bytesBefore bytes of the packed frames, unpacked
     * @param bytesAfter bytes sent in their place
     * @param samples frames that were packed only to measure whether it would pay
     */
    public record Packing(boolean on, long bytesBefore, long bytesAfter, long samples) {}

    /** The state of a link. */
    public enum State {
        /** No connection; waiting before the next dial, or for the peer to dial. */
        DOWN,
        /** A connection is being made and has not exchanged LINK_HELLOs yet. */
        CONNECTING,
        /** The link carries frames. */
        UP
    }
}
