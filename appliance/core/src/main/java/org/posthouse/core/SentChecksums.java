package org.posthouse.core;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Wire;

/**
 * The checksums of the messages that a rank's leader has sent, computed from its frames as they pass. A follower's
 * claims are compared with them. Kept for ranks that have had a follower. Confined to the relay core.
 *
 * <p>Cost: some 100 bytes for each of the last {@link #MESSAGES_MAX} messages. The claims of a follower further behind
 * are compared with the log, as those of a restarted rank.
 */
final class SentChecksums {
    /** As many as a follower may have unconfirmed: its claims then find the leader's messages here. */
    static final int MESSAGES_MAX = RankFollower.UNCONFIRMED_MAX;

    /**
     * A message that the leader has sent whole.
     *
     * @param handled number of the leader's kept frames that were handled when it was whole: it is stable when so many are
     */
    record Sent(ResendClaim claim, long handled) {
        /** An offer without bytes has come whole, but is sent only when its receive has begun. */
        static final long UNCLEARED = Long.MAX_VALUE;

        private Sent ofNextLeader() {
            return new Sent(claim, handled == UNCLEARED ? UNCLEARED : 0);
        }
    }

    /** A message of which chunks follow. */
    private static final class Arriving {
        private final ResendClaim head;
        private final MessageChecksum checksum = new MessageChecksum();
        private long bytes;

        private Arriving(ResendClaim head) {
            this.head = head;
        }
    }

    private final Map<TransferId, Arriving> arriving = new HashMap<>();
    private final LinkedHashMap<TransferId, Sent> sent = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<TransferId, Sent> eldest) {
            return size() > MESSAGES_MAX;
        }
    };

    /**
     * A frame of a message from the leader: SEND, EAGER, OFFER or CHUNK. A message that is begun again is summed again.
     *
     * @return the message, if the frame completes it, with its checksum; else null
     */
    ResendClaim add(Frame frame) {
        FrameView view = frame.view();
        TransferId message = TransferId.outgoing(view);
        if (view.type() == FrameType.CHUNK) {
            Arriving begun = arriving.get(message);
            return begun == null || begun.bytes != view.offset() ? null : piece(message, begun, frame, Wire.CHUNK_HEADER_BYTES);
        }
        Arriving begins = new Arriving(ResendClaim.head(view));
        arriving.put(message, begins);
        return piece(message, begins, frame, Wire.MESSAGE_HEADER_BYTES);
    }

    private ResendClaim piece(TransferId message, Arriving begun, Frame frame, int headerBytes) {
        int bytes = frame.view().length() - headerBytes;
        if (bytes > 0) {
            begun.checksum.add(MessageChecksum.piece(frame.payload()));
            begun.bytes += bytes;
        }
        if (begun.bytes < begun.head.bytes()) {
            return null;
        }
        arriving.remove(message);
        return begun.head.with(begun.checksum.value());
    }

    /** The message was taken back: nothing more of it comes. */
    void gone(TransferId message) {
        arriving.remove(message);
        sent.remove(message);
    }

    /** The leader's message was accepted. */
    void add(Sent message) {
        sent.put(message.claim().id(), message);
    }

    /**
     * The next leader numbers its kept frames anew.
     *
     * @param lost whether a message counts as not sent until the next leader has sent it again; the others are stable
     */
    void leaderChanged(Predicate<TransferId> lost) {
        arriving.clear();
        sent.keySet().removeIf(lost);
        sent.replaceAll((message, before) -> before.ofNextLeader());
    }

    /** What the leader sent as this message; null if that is not known, or not whole. */
    Sent of(TransferId message) {
        return sent.get(message);
    }
}
