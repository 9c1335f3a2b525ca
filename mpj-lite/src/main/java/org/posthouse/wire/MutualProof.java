package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * How two ends of a connection prove to each other that they know one token, which neither shows (docs/wire.md, IDENTIFY, CHALLENGE, PROOF). Each proof is over both
 * nonces and all else that the two frames before it say; what is sent one way never fits the other.
 */
public final class MutualProof {
    private MutualProof() {}

    /** What a relay shows that knows the token. The proof in {@code challenge} is not looked at. */
    static Hmac ofRelay(Token token, Identify client, Challenge challenge) {
        return Hmac.of(token, "posthouse relay", client.encode(), challenge.withoutProof().encode());
    }

    /** Whether a relay knows the token that has answered so. */
    public static boolean isFromRelay(Token token, Identify client, Challenge challenge) {
        return ofRelay(token, client, challenge).matches(challenge.proof());
    }

    /** What a client shows that knows the token. */
    public static Hmac ofClient(Token token, Identify client, Challenge challenge) {
        return Hmac.of(token, "posthouse client", client.encode(), challenge.encode());
    }

    /** Hides a secret from who listens and does not know the token, or brings it back: for one secret on a connection. */
    public static Token sealed(Token secret, Token token, Identify client, Challenge challenge) {
        Token key = Hmac.of(token, "posthouse seal", client.encode(), challenge.encode()).token();
        return new Token(secret.high() ^ key.high(), secret.low() ^ key.low());
    }

    /** The frame PROOF. */
    public static ByteBuffer encode(Hmac proof) {
        return proof.write(new FrameWriter(FrameType.PROOF, 0, FrameType.PROOF.bytesMax())).finish();
    }

    /** Reads a PROOF whose header was checked. */
    public static Hmac decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        Hmac proof = Hmac.read(in);
        in.end();
        return proof;
    }
}
