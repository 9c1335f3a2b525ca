package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * What the proofs of both ends say of the channel below their frames (docs/wire.md, Mutual proof). It is the SHA-256 of
 * the certificate that the relay has shown in the TLS handshake, as tls-server-end-point of RFC 5929; or {@link #PLAIN}.
 * The handshake proves that the relay has the certificate's key. So a proof that names the certificate fails behind
 * anybody who stands between, and a proof of a plain channel fails behind anybody who ends TLS in between. Immutable.
 */
public final class ChannelBinding {
    /** A channel without TLS. */
    public static final ChannelBinding PLAIN = new ChannelBinding(ByteBuffer.allocate(0));

    private static final String PLAIN_WORD = "plain";
    private static final int DIGEST_BYTES = 32;

    private final ByteBuffer bytes;

    private ChannelBinding(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /** A channel over TLS. @param certificate the relay's, in DER form */
    public static ChannelBinding ofCertificate(byte[] certificate) {
        return new ChannelBinding(new Sha256().update(ByteBuffer.wrap(certificate)).digest());
    }

    /**
     * A channel below another relay, as {@link #words} of that relay says.
     *
     * @throws WireException if the words are none
     */
    public static ChannelBinding parse(String words) throws WireException {
        if (words.equals(PLAIN_WORD)) {
            return PLAIN;
        }
        try {
            byte[] digest = HexFormat.of().parseHex(words);
            if (digest.length == DIGEST_BYTES) {
                return new ChannelBinding(ByteBuffer.wrap(digest));
            }
        } catch (IllegalArgumentException e) {
            // As below.
        }
        throw new WireException(
                CloseReason.MALFORMED_FRAME, "channel \"" + words + "\", expected " + PLAIN_WORD + " or " + 2 * DIGEST_BYTES + " hexadecimal digits");
    }

    /** For another relay, to which the frames of this channel are passed on: {@code plain}, or the digest in hexadecimal digits. */
    public String words() {
        byte[] digest = new byte[bytes.remaining()];
        bytes.duplicate().get(digest);
        return isTls() ? HexFormat.of().formatHex(digest) : PLAIN_WORD;
    }

    /** Whether the channel is TLS. */
    public boolean isTls() {
        return bytes.hasRemaining();
    }

    /** Empty without TLS. */
    ByteBuffer bytes() {
        return bytes.duplicate();
    }

    /** The label of a proof over such a channel. */
    String label(String plain) {
        return isTls() ? plain + " tls" : plain;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChannelBinding binding && binding.bytes.equals(bytes);
    }

    @Override
    public int hashCode() {
        return bytes.hashCode();
    }

    @Override
    public String toString() {
        return isTls() ? "TLS" : "plain";
    }
}
