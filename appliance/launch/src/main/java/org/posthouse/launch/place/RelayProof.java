package org.posthouse.launch.place;

import java.io.IOException;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.RelayAuthentication;
import org.posthouse.mpj.channel.UnprovenRelayException;
import org.posthouse.peer.PeerUser;
import org.posthouse.peer.PeerUsers;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Token;

/**
 * Makes a relay prove its identity to a launcher before the launcher sends it anything (docs/security.md). The relay
 * knows the launch token, and no other user's process stands between. If the launcher has no token, the relay must be a
 * process of the launcher's own user or of root. For the thread that introduces the launcher.
 */
public final class RelayProof implements RelayAuthentication.Requirement {
    private final Token token;
    private final Identify self;
    private final boolean certified;
    private boolean direct;
    private String how = "";

    public RelayProof(Token token, Identify self) {
        this(token, self, false);
    }

    /** @param certified whether TLS accepts certificates of the relay's site only, so that one proves its identity */
    public RelayProof(Token token, Identify self, boolean certified) {
        this.token = token;
        this.self = self;
        this.certified = certified;
    }

    @Override
    public void check(FrameChannel line, Challenge challenge) throws IOException {
        direct = line.isLocal() || challenge.reached().filter(line.remoteAddress()::equals).isPresent();
        if (certified) {
            requireCertificate(line);
        } else if (!token.equals(Token.NONE)) {
            requireToken(line, challenge);
        } else if (line.isLocal()) {
            how = "by its socket in this user's folder";
        } else {
            requireUser(line);
        }
    }

    /** The handshake has checked the certificate. */
    private void requireCertificate(FrameChannel line) throws IOException {
        if (!line.binding().isTls()) {
            throw new UnprovenRelayException("the relay at " + line.remote() + " has shown no certificate, and was told nothing");
        }
        how = "by its certificate";
    }

    private void requireToken(FrameChannel line, Challenge challenge) throws IOException {
        if (!MutualProof.isFromRelay(token, self, challenge, line.binding())) {
            throw new UnprovenRelayException(whose(line) + " has not proven that it knows the launch token, and was told nothing: it is no relay, or one that"
                    + " was started without --token-file or with another");
        }
        PeerUser user = direct ? null : userOf(line);
        if (user != null && user.trust() == PeerUser.Trust.FOREIGN) {
            throw new UnprovenRelayException(whose(line) + " stands between this command and the relay, which was reached at "
                    + challenge.reached().map(Object::toString).orElse("a local socket")
                    + "; it was told nothing. End it, or give --relay the relay's own address");
        }
        how = "by the launch token";
    }

    private void requireUser(FrameChannel line) throws IOException {
        PeerUser user = userOf(line);
        switch (user.trust()) {
            case TRUSTED -> how = "as a process of " + user;
            case FOREIGN -> throw new UnprovenRelayException(whose(line) + ", neither this user's nor root's, and was told nothing; if it is a relay that you"
                    + " trust, start it with --token-file and give the same file here");
            case UNKNOWN ->
                    throw new UnprovenRelayException("whose process listens at " + line.remote() + " cannot be known from here, and it was told nothing;"
                            + " start the relay with --token-file and give the same file here");
        }
    }

    private static PeerUser userOf(FrameChannel line) throws IOException {
        return PeerUsers.ofHost().find(line.localAddress(), line.remoteAddress());
    }

    private static String whose(FrameChannel line) throws IOException {
        PeerUser user = line.isLocal() ? new PeerUser(PeerUser.Trust.TRUSTED, PeerUser.own()) : userOf(line);
        return "what listens at " + line.remote() + " is a process of " + user;
    }

    /** Whether nothing stands between, as far as the relay has reported. */
    public boolean isDirect() {
        return direct;
    }

    /** For people, once it is proven. */
    @Override
    public String toString() {
        return how;
    }
}
