package org.posthouse.relay;

import java.nio.ByteBuffer;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** What a client of a test says until it says HELLO, and what it hides. */
public final class ClientHalf {
    private static final int TOKEN_AT = 16;

    private final Token token;
    private final Identify identity;
    private Challenge challenge;

    /** @param token what it knows: of a rank, its own */
    public ClientHalf(Hello hello, Token token) {
        this.token = token;
        this.identity = Identify.of(hello, Nonce.random());
    }

    /** Its first frame. */
    public ByteBuffer identify() {
        return identity.encode();
    }

    /** Its answer to the relay's. */
    public ByteBuffer prove(ByteBuffer frame) throws WireException {
        challenge = Challenge.decode(frame);
        return MutualProof.encode(MutualProof.ofClient(token, identity, challenge));
    }

    /** Whether the relay has proven that it knows the same token. */
    public boolean isRelayKnown() {
        return MutualProof.isFromRelay(token, identity, challenge);
    }

    /** The same frame; of a JOB_OPEN the token is hidden. */
    public ByteBuffer sealed(ByteBuffer frame) {
        if (new FrameView().wrap(frame, frame.position()).type() != FrameType.JOB_OPEN) {
            return frame;
        }
        int at = frame.position() + TOKEN_AT;
        Token hidden = MutualProof.sealed(new Token(frame.getLong(at), frame.getLong(at + Long.BYTES)), token, identity, challenge);
        return frame.putLong(at, hidden.high()).putLong(at + Long.BYTES, hidden.low());
    }
}
