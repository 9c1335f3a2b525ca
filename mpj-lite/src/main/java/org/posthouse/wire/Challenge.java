package org.posthouse.wire;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A relay's answer to IDENTIFY. It proves that the relay has the token, and asks for the same proof (docs/wire.md,
 * CHALLENGE).
 *
 * @param nonce of this connection
 * @param proof {@link MutualProof#ofRelay}
 * @param reached the relay's address and port to which the connection came; empty over a local socket
 * @param needsTls whether the relay takes plain frames from its own host only. A client that has reached it plainly from
 * elsewhere, through somebody on the relay's host, then dials again with TLS.
 */
public record Challenge(Nonce nonce, Hmac proof, Optional<InetSocketAddress> reached, boolean needsTls) {
    private static final Hmac UNPROVEN = new Hmac(0, 0, 0, 0);
    private static final int ADDRESS_BYTES = 16;
    private static final int MAPPED_AT = 10;
    private static final int PORT_MAX = 0xffff;

    /** The challenge of a relay that takes plain frames from everywhere. */
    public Challenge(Nonce nonce, Hmac proof, Optional<InetSocketAddress> reached) {
        this(nonce, proof, reached, false);
    }

    /** The proof that the process reached there, over a plain channel, has the token. */
    public static Challenge of(Token token, Identify to, Nonce nonce, Optional<InetSocketAddress> reached) {
        return of(token, to, nonce, reached, false, ChannelBinding.PLAIN);
    }

    /** The proof that the process reached there over this channel has the token. */
    public static Challenge of(
            Token token, Identify to, Nonce nonce, Optional<InetSocketAddress> reached, boolean needsTls, ChannelBinding channel) {
        Challenge unproven = new Challenge(nonce, UNPROVEN, reached, needsTls);
        return new Challenge(nonce, MutualProof.ofRelay(token, to, unproven, channel), reached, needsTls);
    }

    Challenge withoutProof() {
        return new Challenge(nonce, UNPROVEN, reached, needsTls);
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.CHALLENGE, 0, FrameType.CHALLENGE.bytesMax());
        proof.write(nonce.write(out));
        ByteBuffer address = ByteBuffer.wrap(reached.map(at -> version6(at.getAddress())).orElse(new byte[ADDRESS_BYTES]));
        ByteBuffer frame = out.i64(address.getLong()).i64(address.getLong()).i32(reached.map(InetSocketAddress::getPort).orElse(0)).finish();
        new FrameView().wrap(frame, frame.position()).flags(needsTls ? FrameView.NEEDS_TLS : 0);
        return frame;
    }

    /** An address of version 4 is mapped as in RFC 4291, section 2.5.5.2. */
    private static byte[] version6(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == ADDRESS_BYTES) {
            return bytes;
        }
        ByteBuffer mapped = ByteBuffer.allocate(ADDRESS_BYTES).putShort(MAPPED_AT, (short) -1);
        mapped.put(MAPPED_AT + Short.BYTES, bytes);
        return mapped.array();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static Challenge decode(ByteBuffer frame) throws WireException {
        boolean needsTls = new FrameView().wrap(frame, frame.position()).flags() == FrameView.NEEDS_TLS;
        FrameReader in = new FrameReader(frame);
        Nonce nonce = Nonce.read(in);
        Hmac proof = Hmac.read(in);
        long high = in.i64("address");
        long low = in.i64("address");
        byte[] address = ByteBuffer.allocate(ADDRESS_BYTES).putLong(high).putLong(low).array();
        int port = in.i32("port");
        in.end();
        if (port < 0 || port > PORT_MAX || port == 0 && (high | low) != 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "CHALLENGE with port " + port + ", expected 1 to " + PORT_MAX + ", or 0 and no address");
        }
        try {
            Optional<InetSocketAddress> reached =
                    port == 0 ? Optional.empty() : Optional.of(new InetSocketAddress(InetAddress.getByAddress(address), port));
            return new Challenge(nonce, proof, reached, needsTls);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + ADDRESS_BYTES + " bytes", e);
        }
    }
}
