package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * The proofs by which two ends of a connection show that they know one token, without showing it (docs/wire.md,
 * IDENTIFY, CHALLENGE, PROOF). Each proof covers both nonces and all other content of the two frames before it. A proof
 * of one direction never fits the other.
 */
public final class MutualProof {
    private MutualProof() {}

    /** The proof of a relay that knows the token. The proof in {@code challenge} is ignored. */
    static Hmac ofRelay(Token token, Identify client, Challenge challenge) {
        return Hmac.of(token, "posthouse relay", client.encode(), challenge.withoutProof().encode());
    }

    /** Whether the relay that sent this challenge knows the token. */
    public static boolean isFromRelay(Token token, Identify client, Challenge challenge) {
        return ofRelay(token, client, challenge).matches(challenge.proof());
    }

    /** The proof of a client that knows the token. */
    public static Hmac ofClient(Token token, Identify client, Challenge challenge) {
        return Hmac.of(token, "posthouse client", client.encode(), challenge.encode());
    }

    /**
     * Encrypts a secret against listeners who do not know the token, or decrypts it; for one secret on a connection.
     */
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
