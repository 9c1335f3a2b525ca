package org.posthouse.mpj.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * Mutual authentication at the start of a connection to a relay, before any secret is sent (docs/wire.md, IDENTIFY).
 * The relay proves its identity first, then this end does. For the one thread that has the connection.
 */
public final class RelayAuthentication {
    /** The condition that a relay must meet before this end proves its identity. */
    public interface Requirement {
        /**
         * @throws UnprovenRelayException if it is not met; the text names who answers at which address, what is
         * missing, and the remedy
         */
        void check(FrameChannel line, Challenge challenge) throws IOException;
    }

    private RelayAuthentication() {}

    /**
     * Proves this end's identity to a relay that meets the requirement. Blocks until the relay has answered.
     *
     * @param token the secret whose knowledge this end proves
     * @param self the identity of the HELLO that follows
     * @return the relay's answer; empty if that was CLOSE, or the connection has ended. Then nothing is to be sent, and
     * the end is read next
     * @throws UnprovenRelayException if it is not met
     * @throws TlsRequiredException if the relay takes plain frames from its own host only, and they come from elsewhere
     * @throws WireException if it is no relay of this version
     */
    public static Optional<Challenge> prove(FrameChannel line, Token token, Identify self, Requirement relay) throws IOException, WireException {
        if (line.isOver()) {
            return Optional.empty();
        }
        try {
            line.write(self.encode());
        } catch (IOException e) {
            // The relay has closed: its last frame, or the end, is read next.
        }
        Challenge[] answer = new Challenge[1];
        try {
            FrameType type = line.awaitFirst();
            if (type == FrameType.CLOSE) {
                if (line.isFirst(CloseReason.TLS_REQUIRED) && !line.binding().isTls()) {
                    throw new TlsRequiredException(line.remote());
                }
                line.end();
                return Optional.empty();
            }
            if (type != FrameType.CHALLENGE) {
                throw new WireException(CloseReason.NOT_EXPECTED, type + " from one who has not proven who he is");
            }
            line.dispatch((ByteBuffer frame, FrameView view) -> answer[0] = Challenge.decode(frame));
        } catch (TlsRequiredException e) {
            throw e;
        } catch (SSLException e) {
            throw new UnprovenRelayException("TLS with the relay at " + line.remote() + " fails: " + e.getMessage());
        } catch (IOException e) {
            line.end();
            return Optional.empty();
        }
        if (answer[0].needsTls() && !line.binding().isTls() && !line.isWithinHost()) {
            throw new TlsRequiredException(line.remote());
        }
        relay.check(line, answer[0]);
        try {
            line.write(MutualProof.encode(MutualProof.ofClient(token, self, answer[0], line.binding())));
            return Optional.of(answer[0]);
        } catch (IOException e) {
            line.end();
            return Optional.empty();
        }
    }
}
