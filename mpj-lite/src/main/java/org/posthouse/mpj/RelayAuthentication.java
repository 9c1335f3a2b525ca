package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * The beginning of a connection to a relay, before anything of value is said (docs/wire.md, IDENTIFY): the relay proves who it is, and then this end does. For
 * the one thread that has the line.
 */
public final class RelayAuthentication {
    /** What this end wants of a relay before it shows anything. */
    public interface Requirement {
        /** @throws UnprovenRelayException saying who answers where, what it lacks, and what to do, if it is not met */
        void check(FrameChannel line, Challenge challenge) throws IOException;
    }

    private RelayAuthentication() {}

    /**
     * Proves to a relay who this end is, if the relay meets the requirement. Blocks until the relay has answered.
     *
     * @param token what this end proves that it knows
     * @param self who it will be in its HELLO, which is to follow
     * @return what the relay has answered; empty if that was CLOSE, or the connection has ended. Then nothing is to be said, and what ends it is read next
     * @throws UnprovenRelayException if it is not met
     * @throws WireException if it is no relay of this version
     */
    public static Optional<Challenge> prove(FrameChannel line, Token token, Identify self, Requirement relay) throws IOException, WireException {
        try {
            line.write(self.encode());
        } catch (IOException e) {
            // The relay has closed: its last word is read, or that there is none.
        }
        Challenge[] answer = new Challenge[1];
        try {
            FrameType type = line.awaitFirst();
            if (type == FrameType.CLOSE) {
                line.end();
                return Optional.empty();
            }
            if (type != FrameType.CHALLENGE) {
                throw new WireException(CloseReason.NOT_EXPECTED, type + " from one who has not proven who he is");
            }
            line.dispatch((ByteBuffer frame, FrameView view) -> answer[0] = Challenge.decode(frame));
        } catch (IOException e) {
            line.end();
            return Optional.empty();
        }
        relay.check(line, answer[0]);
        try {
            line.write(MutualProof.encode(MutualProof.ofClient(token, self, answer[0])));
            return Optional.of(answer[0]);
        } catch (IOException e) {
            line.end();
            return Optional.empty();
        }
    }
}
