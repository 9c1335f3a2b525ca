package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.MessageChecksum;
import org.posthouse.wire.Wire;

/** Rank 0 of {@link OneRelay}, which other processes follow. */
abstract class FollowedRank {
    static final int CHUNK = Wire.PAYLOAD_BYTES_MAX;
    static final CloseNotice GONE = CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "the connection ended");

    final OneRelay relay;

    FollowedRank(OneRelay relay) {
        this.relay = relay;
    }

    @AfterEach
    final void nothingIsLeft() {
        relay.end();
    }

    final TableFollower follow(Hello hello) throws Refusal {
        TableFollower port = new TableFollower(relay);
        relay.core.follow(hello, List.of(), port);
        return port;
    }

    final TableFollower follow(int incarnation) throws Refusal {
        return follow(Hello.follower(OneRelay.JOB, 0, incarnation));
    }

    /** The rank has sent this message, of zeros but for the first byte of each of its pieces. */
    final ByteBuffer claim(int destination, long sequence, long bytes, byte content) {
        MessageChecksum checksum = new MessageChecksum();
        for (long left = bytes; left > 0; left -= CHUNK) {
            byte[] piece = new byte[(int) Math.min(left, CHUNK)];
            piece[0] = content;
            checksum.add(MessageChecksum.piece(ByteBuffer.wrap(piece)));
        }
        ByteBuffer frame = relay.frames.resent(0, destination, sequence);
        new FrameView().wrap(frame, 0).content(bytes, (int) bytes, 1).checksum(checksum.value());
        return frame;
    }
}
