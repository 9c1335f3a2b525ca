package org.posthouse.tunnel.socket;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * The random numbers of the TLS handshakes that peers have begun here. No honest peer draws one twice, so a repeated
 * one is a replayed recording. Confined to the relay's context.
 *
 * <p>A recording never succeeds, because its later records are encrypted for another handshake. This class only
 * identifies it, and saves the relay the work. A recording older than the last {@link #REMEMBERED_MAX} handshakes fails
 * like any broken handshake.
 */
final class ClientHellos {
    /** Number of remembered handshakes, about 100 bytes each: 1.6 MB at most. */
    static final int REMEMBERED_MAX = 16_384;

    /**
     * Bytes of a record that begins with a ClientHello, up to the end of the random number (RFC 8446, 4.1.2 and 5.1).
     */
    static final int BYTES = 5 + 4 + 2 + 32;

    private static final int RANDOM_AT = BYTES - 32;
    private static final byte HANDSHAKE_RECORD = 22;
    private static final byte CLIENT_HELLO = 1;

    private final SequencedSet<Drawn> seen = new LinkedHashSet<>();

    private record Drawn(long a, long b, long c, long d) {}

    /** Whether more bytes are needed to classify {@code start}, the first bytes of a connection. */
    static boolean needsMore(ByteBuf start) {
        int there = start.readableBytes();
        return there < BYTES && (there == 0 || start.getByte(start.readerIndex()) == HANDSHAKE_RECORD);
    }

    /** Whether {@code start} begins a handshake that was begun here before. False if it begins no handshake at all. */
    boolean isReplay(ByteBuf start) {
        int at = start.readerIndex();
        if (start.readableBytes() < BYTES
                || start.getByte(at) != HANDSHAKE_RECORD
                || start.getByte(at + 5) != CLIENT_HELLO) {
            return false;
        }
        int random = at + RANDOM_AT;
        boolean fresh = seen.add(new Drawn(
                start.getLong(random), start.getLong(random + 8), start.getLong(random + 16), start.getLong(random + 24)));
        if (seen.size() > REMEMBERED_MAX) {
            seen.removeFirst();
        }
        return !fresh;
    }
}
