package org.posthouse.relay;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.posthouse.wire.Challenge;
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
 * The relay's half of the mutual proof on one connection (docs/wire.md, IDENTIFY): until the other end has proven that it knows the token, it may say IDENTIFY and
 * PROOF, and nothing else. Confined to the thread that reads, but for {@link #challenge}.
 */
final class ClientProof {
    /** The longest frame of one who has not proven who he is. */
    static final int BYTES_MAX = FrameType.PROOF.bytesMax();

    /** A proof that is expected of somebody. */
    private record Expected(Token token, Challenge challenge, Hmac proof) {}

    /** Null before he has said it. */
    private Identify client;

    private boolean proven;

    /** Null until he was asked for it. Written by whoever has looked the token up, read by the thread that reads. */
    private volatile Expected expected;

    /** Who somebody says that he is. */
    Identify identify(ByteBuffer frame) throws WireException {
        if (client != null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "a second IDENTIFY");
        }
        client = Identify.decode(frame);
        return client;
    }

    /** What to answer him: proves that this relay knows the token, and asks for the same. @param reached where the connection came to */
    ByteBuffer challenge(Identify of, Token token, Optional<InetSocketAddress> reached) {
        Challenge challenge = Challenge.of(token, of, Nonce.random(), reached);
        expected = new Expected(token, challenge, MutualProof.ofClient(token, of, challenge));
        return challenge.encode();
    }

    /** He has said PROOF. @return whether he knows the token */
    boolean isProvenBy(ByteBuffer frame) throws WireException {
        if (expected == null || proven) {
            throw new WireException(CloseReason.NOT_EXPECTED, "PROOF " + (proven ? "again" : "before CHALLENGE"));
        }
        proven = expected.proof().matches(MutualProof.decode(frame));
        return proven;
    }

    /** Who he is. */
    Identify client() {
        return client;
    }

    /** @throws WireException unless he is who says that */
    void require(Hello hello) throws WireException {
        if (!proven || !client.isOf(hello)) {
            throw new WireException(CloseReason.NOT_EXPECTED, "HELLO " + (proven ? "of another than has proven who he is" : "before PROOF"));
        }
    }

    /** Brings back a secret that he has hidden. */
    Token unsealed(Token secret) {
        return MutualProof.sealed(secret, expected.token(), client, expected.challenge());
    }
}
