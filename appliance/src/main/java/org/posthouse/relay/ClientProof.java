package org.posthouse.relay;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.ChannelBinding;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Hmac;
import org.posthouse.wire.Identify;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * The relay's half of the mutual proof on one connection (docs/wire.md, IDENTIFY). Until the client has proven that it
 * knows the token, it may send IDENTIFY and PROOF only. Confined to the thread that reads, except {@link #challenge}.
 */
final class ClientProof {
    /** The longest frame of a client that has not proven its identity. */
    static final int BYTES_MAX = FrameType.PROOF.bytesMax();

    /** The proof that the client must send. */
    private record Expected(Token token, Challenge challenge, Hmac proof) {}

    /** Null until IDENTIFY has arrived. */
    private Identify client;

    private boolean proven;

    /**
     * Null until the challenge is sent. Written by the thread that has looked the token up, read by the thread that
     * reads.
     */
    private volatile Expected expected;

    /** Decodes IDENTIFY, by which the client claims an identity. */
    Identify identify(ByteBuffer frame) throws WireException {
        if (client != null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "a second IDENTIFY");
        }
        client = Identify.decode(frame);
        return client;
    }

    /**
     * Builds the CHALLENGE, which proves that this relay knows the token, and asks for the same.
     *
     * @param reached this relay's address, as the client reached it
     * @param needsTls whether this relay takes plain frames from its own host only
     * @param channel the one that the client has reached it over
     */
    ByteBuffer challenge(Identify of, Token token, Optional<InetSocketAddress> reached, boolean needsTls, ChannelBinding channel) {
        Challenge challenge = Challenge.of(token, of, Nonce.random(), reached, needsTls, channel);
        expected = new Expected(token, challenge, MutualProof.ofClient(token, of, challenge, channel));
        return challenge.encode();
    }

    /**
     * Checks a PROOF.
     *
     * @return whether the client knows the token
     */
    boolean isProvenBy(ByteBuffer frame) throws WireException {
        if (expected == null || proven) {
            throw new WireException(CloseReason.NOT_EXPECTED, "PROOF " + (proven ? "again" : "before CHALLENGE"));
        }
        proven = expected.proof().matches(MutualProof.decode(frame));
        return proven;
    }

    /** The identity that the client claims, and has proven after {@link #isProvenBy}. */
    Identify client() {
        return client;
    }

    /** @throws WireException if the HELLO's sender has not proven that identity */
    void require(Hello hello) throws WireException {
        if (!proven || !client.isOf(hello)) {
            throw new WireException(CloseReason.NOT_EXPECTED, "HELLO " + (proven ? "of another than has proven who he is" : "before PROOF"));
        }
    }

    /** Decrypts a token that the client has sealed. */
    Token unsealed(Token secret) {
        return MutualProof.sealed(secret, expected.token(), client, expected.challenge());
    }
}
