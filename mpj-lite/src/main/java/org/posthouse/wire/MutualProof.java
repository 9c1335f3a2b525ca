package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * The proofs by which two ends of a connection show that they know one token, without showing it (docs/wire.md,
 * IDENTIFY, CHALLENGE, PROOF). Each proof covers both nonces and all other content of the two frames before it. A proof
 * of one direction never fits the other, and one of a plain channel never one over TLS ({@link ChannelBinding}).
 */
public final class MutualProof {
    private MutualProof() {}

    /** The proof of a relay that knows the token. The proof in {@code challenge} is ignored. */
    static Hmac ofRelay(Token token, Identify client, Challenge challenge, ChannelBinding channel) {
        return Hmac.of(token, channel.label("posthouse relay"), client.encode(), challenge.withoutProof().encode(), channel.bytes());
    }

    /** As below, over a plain channel. */
    public static boolean isFromRelay(Token token, Identify client, Challenge challenge) {
        return isFromRelay(token, client, challenge, ChannelBinding.PLAIN);
    }

    /** Whether the relay that sent this challenge knows the token and sent it on this channel. */
    public static boolean isFromRelay(Token token, Identify client, Challenge challenge, ChannelBinding channel) {
        return ofRelay(token, client, challenge, channel).matches(challenge.proof());
    }

    /** As below, over a plain channel. */
    public static Hmac ofClient(Token token, Identify client, Challenge challenge) {
        return ofClient(token, client, challenge, ChannelBinding.PLAIN);
    }

    /** The proof of a client that knows the token, on this channel. */
    public static Hmac ofClient(Token token, Identify client, Challenge challenge, ChannelBinding channel) {
        return Hmac.of(token, channel.label("posthouse client"), client.encode(), challenge.encode(), channel.bytes());
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
