package org.posthouse.mpj.channel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Token;

/**
 * The means by which a rank and its relay authenticate each other.
 *
 * @param token the rank's own ({@link Token#ofRank}), which its relay can make, and no other rank of the job
 * @param direct whether nothing stands between them, as the launcher has found. The rank then rejects a relay reached
 * at another address than it called. Otherwise the relay is behind a forwarded port, or that is unknown.
 */
public record Credentials(Token token, boolean direct) {
    /** The credentials of a rank that knows nothing of its path to the relay. */
    public static Credentials of(Token token) {
        return new Credentials(token, false);
    }

    /** As in {@link RelayAuthentication.Requirement}. */
    public void check(FrameChannel line, Identify self, Challenge challenge) throws IOException {
        if (!MutualProof.isFromRelay(token, self, challenge, line.binding())) {
            throw new UnprovenRelayException("whoever listens at " + line.remote() + " has not proven that it is this rank's relay: it does not know rank "
                    + self.rank() + "'s token, and was told nothing");
        }
        if (direct && challenge.reached().isPresent()) {
            requireDirect(line.remoteAddress(), challenge.reached().get());
        }
    }

    private static void requireDirect(SocketAddress called, InetSocketAddress reached) throws UnprovenRelayException {
        if (!called.equals(reached)) {
            throw new UnprovenRelayException(
                    "somebody stands between this rank and its relay: the rank has called " + called + ", and the relay was reached at "
                            + reached + "; it was told nothing");
        }
    }
}
