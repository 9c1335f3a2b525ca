package org.posthouse.tunnel;

import java.time.Instant;
import java.util.List;

/**
 * How one link is doing, for people and metrics. Immutable. Counts run since this relay started and include every
 * connection of the link; only frames that the link carries are counted, not its own.
 *
 * @param site the peer relay's site
 * @param relay the peer relay's id
 * @param state where the link stands
 * @param since when it came there
 * @param framesIn frames handed to the listener
 * @param bytesIn their bytes
 * @param framesOut frames written, repeated ones included
 * @param bytesOut their bytes
 * @param framesRetransmitted of {@code framesOut}, those written before on another connection
 * @param unacknowledgedBytes what the peer has not acknowledged yet, as the window counts it
 * @param roundTripMicros of the last ping; -1 if none was answered yet
 * @param lanes connections that carry the link now
 * @param perLane these, and all others that ever were, lane 0 first
 * @param packing what of its bulk went packed
 * @param paths the relays that these go over, each way once, that of the first lane first; no relay: straight
 * @param moves how often another connection took over while the link was up
 * @param streams what flows over it beside the relay's own frames
 * @param lastReason why it last went down or could not come up; empty if never
 * @param suspicion what seems to be wrong with the way to the peer; empty if nothing does
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
        Streams streams,
        String lastReason,
        String suspicion) {
    /**
     * One connection of the link, and those that were before it in its place.
     *
     * @param number from 0
     * @param up whether it carries frames now
     * @param inSession whether the link's present session has it, so that it is dialled again if it is not up; no lane of a link that is down, nor
     *     one that only an earlier session had
     * @param via the relays that it goes over; none: straight, or not up
     * @param bytesIn what came on it, before TLS and as packed, since the relay started
     * @param bytesOut what was written
     * @param unacknowledgedBytes of the frames written on it, what the peer has not said to have
     */
    public record Lane(int number, boolean up, boolean inSession, List<String> via, long bytesIn, long bytesOut, long unacknowledgedBytes) {}

    /**
     * The streams over the link.
     *
     * @param open those that are open now, or being opened
     * @param bytesIn bytes that came on streams
     * @param bytesOut bytes that went
     * @param tokensIn frames that the peer may still send: so many buffers are kept for it
     * @param tokensOut frames that may still be sent to the peer
     */
    public record Streams(int open, long bytesIn, long bytesOut, long tokensIn, long tokensOut) {
        /** Of a link over which none ever went. */
        static final Streams NONE = new Streams(0, 0, 0, 0, 0);
    }

    /**
     * What a link packs of what it sends.
     *
     * @param on whether bulk goes packed now
     * @param bytesBefore of frames that went packed, as they were
     * @param bytesAfter of what went in their place
     * @param samples frames that were packed only to see whether that would pay
     */
    public record Packing(boolean on, long bytesBefore, long bytesAfter, long samples) {}

    /** Where a link stands. */
    public enum State {
        /** No connection; the pause before dialling again, or waiting for the peer to dial. */
        DOWN,
        /** A connection is being made and has not exchanged LINK_HELLOs yet. */
        CONNECTING,
        /** Frames flow. */
        UP
    }
}
