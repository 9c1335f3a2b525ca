package org.posthouse.status;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One link of a relay, seen from that relay. Immutable. Counts run since the relay started and include every connection
 * of the link. The tunnel fills it except for {@code traffic}, {@code parked} and part of {@code held}, which only the
 * relay knows ({@link #with}).
 *
 * @param peerSite the site at the far end; may be the relay's own
 * @param peerRelay the id of the relay at the far end
 * @param state state of the link
 * @param since when the state last changed, milliseconds since 1970 UTC
 * @param traffic messages received from the peer and sent to it; in the API its components stand beside the others
 * @param framesIn frames received: those of messages, of their credit and of all else, without the link's control
 *         frames
 * @param framesOut frames sent, the same, retransmitted ones included
 * @param frameBytesIn bytes of {@code framesIn}
 * @param frameBytesOut bytes of {@code framesOut}
 * @param roundTripMicros last measured round trip in microseconds; 0 if none was measured yet
 * @param waitingBytes bytes that the peer has not acknowledged, as the window counts them
 * @param framesRepeated of {@code framesOut}, those that were sent before on another connection
 * @param lanes number of connections that carry the link now
 * @param perLane these, and all former ones, lane 0 first
 * @param packing packed part of the sent bulk
 * @param paths the relays on the lanes' paths, each path once, that of the first lane first; an empty list is a direct
 *         path
 * @param moves how often another connection took over while the link was up
 * @param streams streams beside messages
 * @param parked traffic that waits for the link; empty while it is up
 * @param held the suspected problem of the path to the peer, or the job that holds frames of this link, and since when;
 *         empty if there is neither
 * @param lastReason why the link last went down or could not come up; empty if never. Not part of the API
 */
public record LinkStatus(
        String peerSite,
        String peerRelay,
        State state,
        long since,
        Traffic traffic,
        long framesIn,
        long framesOut,
        long frameBytesIn,
        long frameBytesOut,
        long roundTripMicros,
        long waitingBytes,
        long framesRepeated,
        int lanes,
        List<Lane> perLane,
        Packing packing,
        List<List<String>> paths,
        long moves,
        Streams streams,
        Optional<Parked> parked,
        String held,
        String lastReason) {

    /** Copies the lists and refuses nulls. */
    public LinkStatus {
        Objects.requireNonNull(peerSite, "peerSite");
        Objects.requireNonNull(peerRelay, "peerRelay");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(traffic, "traffic");
        perLane = List.copyOf(perLane);
        Objects.requireNonNull(packing, "packing");
        paths = List.copyOf(paths);
        Objects.requireNonNull(streams, "streams");
        Objects.requireNonNull(parked, "parked");
        Objects.requireNonNull(held, "held");
        Objects.requireNonNull(lastReason, "lastReason");
    }

    /** The same link with the part that the relay knows. */
    public LinkStatus with(Traffic messages, Optional<Parked> waiting, String holder) {
        return new LinkStatus(
                peerSite, peerRelay, state, since, messages, framesIn, framesOut, frameBytesIn, frameBytesOut, roundTripMicros, waitingBytes,
                framesRepeated, lanes, perLane, packing, paths, moves, streams, waiting, holder, lastReason);
    }

    /** Number of relays that the first lane passes through. */
    public int hops() {
        return paths.isEmpty() ? 0 : paths.getFirst().size();
    }

    /** The state of a link. A link that is down parks its traffic and resumes; it loses nothing. */
    public enum State {
        /** A connection is being made and has not exchanged LINK_HELLOs yet. */
        CONNECTING,
        /** The link carries frames. */
        UP,
        /** No connection; waiting before the next dial, or for the peer to dial. */
        DOWN
    }

    /**
     * One lane of the link, with its current and former connections. Immutable.
     *
     * @param lane its number, from 0
     * @param up whether it carries frames now
     * @param inSession whether it belongs to the link's current session, so that it is dialled again if it is not up.
     *         False for all lanes of a link that is down, and for one of an earlier session only
     * @param via the relays that it passes through; empty if it is direct, or not up
     * @param bytesIn bytes received since the relay started, before TLS and as packed
     * @param bytesOut bytes sent
     * @param waitingBytes bytes sent on it that the peer has not acknowledged
     */
    public record Lane(int lane, boolean up, boolean inSession, List<String> via, long bytesIn, long bytesOut, long waitingBytes) {
        /** Copies the list. */
        public Lane {
            via = List.copyOf(via);
        }
    }

    /**
     * The packing of sent bulk. Immutable.
     *
     * @param on whether bulk is packed now
     * @param bytesBefore bytes of the packed frames, unpacked
     * @param bytesAfter bytes sent in their place
     * @param samples frames that were packed only to measure whether it would pay
     */
    public record Packing(boolean on, long bytesBefore, long bytesAfter, long samples) {}

    /**
     * The streams over one link: connections of forwarded ports, and lanes of links that pass through other relays.
     * Immutable.
     *
     * @param open streams that are open now, or being opened
     * @param bytesIn bytes received on streams
     * @param bytesOut bytes sent on streams
     * @param tokensIn frames that the peer may still send; a buffer is reserved for each
     * @param tokensOut frames that may still be sent to the peer
     */
    public record Streams(int open, long bytesIn, long bytesOut, long tokensIn, long tokensOut) {
        /** The value for a link without any stream so far. */
        public static final Streams NONE = new Streams(0, 0, 0, 0, 0);
    }

    /**
     * Traffic that waits because the link is down. Nothing of it is lost. Immutable.
     *
     * @param since when the link went down, milliseconds since 1970 UTC; attempts to connect do not change it
     * @param reason why it went down, or has not come up
     * @param lastTry why the last attempt to connect failed, if that is another reason; may be empty
     * @param messages messages of which this relay keeps something until the link is up
     * @param bytes their payload bytes that it keeps
     * @param jobs the open jobs that have ranks at the far end
     */
    public record Parked(long since, String reason, String lastTry, long messages, long bytes, List<ParkedJob> jobs) {
        /** Copies the list and refuses nulls. */
        public Parked {
            Objects.requireNonNull(reason, "reason");
            Objects.requireNonNull(lastTry, "lastTry");
            jobs = List.copyOf(jobs);
        }

        /** Number of ranks here that wait, of all jobs. */
        public int ranks() {
            return jobs.stream().mapToInt(ParkedJob::ranks).sum();
        }
    }

    /**
     * One job's part of the parked traffic. Immutable.
     *
     * @param id the job's id
     * @param name the job's name, as its user chose it
     * @param messages its messages
     * @param bytes their payload bytes
     * @param ranks its ranks here that have sent such messages, or have receives posted for ranks at the far end
     */
    public record ParkedJob(String id, String name, long messages, long bytes, int ranks) {
        /** Refuses nulls. */
        public ParkedJob {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(name, "name");
        }
    }
}
