package org.posthouse.ops;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One link of a relay, seen from that relay. Immutable.
 *
 * @param peerSite        the site at the far end; may be the relay's own
 * @param peerRelay       the id of the relay at the far end
 * @param state           what the link is doing
 * @param since           when the state last changed, milliseconds since 1970 UTC
 * @param messagesIn      messages received from the peer since the relay started, each once however often it was cut
 * @param messagesOut     messages sent to the peer since the relay started, the same
 * @param bytesIn         payload bytes received
 * @param bytesOut        payload bytes sent
 * @param framesIn        frames received, those of messages, of their credit and of all else
 * @param framesOut       frames sent, the same, repeated ones included
 * @param frameBytesIn    bytes of frames received
 * @param frameBytesOut   bytes of frames sent
 * @param roundTripMicros last measured round trip in microseconds; 0 when not measured yet
 * @param waitingBytes    bytes that the peer has not acknowledged yet, now
 * @param framesRepeated  frames written again since the relay started, because a connection was cut
 * @param lanes           connections that carry the link now
 * @param perLane         these, and all others that ever were, lane 0 first
 * @param packing         what of the sent bytes went packed
 * @param paths           the relays that these go over, each way once, that of the first lane first; no relay: straight
 * @param moves           how often another connection took over while the link was up: a way that is better, or still there
 * @param streams         what flows over it beside messages
 * @param parked          what waits for the link; empty while it is up
 * @param held            which job holds what was sent over it, and since when; empty if none does
 */
public record LinkView(
        String peerSite,
        String peerRelay,
        State state,
        long since,
        long messagesIn,
        long messagesOut,
        long bytesIn,
        long bytesOut,
        long framesIn,
        long framesOut,
        long frameBytesIn,
        long frameBytesOut,
        long roundTripMicros,
        long waitingBytes,
        long framesRepeated,
        int lanes,
        List<LaneView> perLane,
        PackingView packing,
        List<List<String>> paths,
        long moves,
        LinkStreamsView streams,
        Optional<ParkedView> parked,
        String held) {

    /** Copies the list and refuses nulls. */
    public LinkView {
        Objects.requireNonNull(packing, "packing");
        perLane = List.copyOf(perLane);
        paths = List.copyOf(paths);
        Objects.requireNonNull(streams, "streams");
        Objects.requireNonNull(parked, "parked");
        Objects.requireNonNull(held, "held");
        Objects.requireNonNull(peerSite, "peerSite");
        Objects.requireNonNull(peerRelay, "peerRelay");
        Objects.requireNonNull(state, "state");
    }

    /** Relays that the first lane goes over. */
    @JsonIgnore
    public int hops() {
        return paths.isEmpty() ? 0 : paths.getFirst().size();
    }

    /** What a link is doing. A link that is down parks its traffic and resumes; it loses nothing. */
    public enum State {
        /** Dialling, or shaking hands. */
        CONNECTING,
        /** Carries messages. */
        UP,
        /** No connection; waits before it dials again, or for the peer to dial in. */
        DOWN
    }
}
