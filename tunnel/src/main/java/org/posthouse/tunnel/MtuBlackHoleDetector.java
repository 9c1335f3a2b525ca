package org.posthouse.tunnel;

import org.posthouse.wire.CloseReason;

/**
 * Detects a network that silently drops large packets (an MTU black hole, RFC 2923, 2.1) and distinguishes it from a
 * cut one. TCP connects, because its first packets are small. The TLS handshake stalls at the certificates. If these
 * fit, the link comes up and stalls at its first large frame, repeatedly. Pings wait behind that frame in the same
 * connection. So the reading end receives nothing, and the writing end gets no acknowledgement. Confined to the relay's
 * context.
 */
final class MtuBlackHoleDetector {
    /** Number of consecutive sessions, or handshakes, of this kind that raises the suspicion. */
    private static final int SESSIONS = 2;

    /** Upper bound for the bytes that two relays exchange before anything large. */
    private static final int SMALL_TALK_BYTES = 16 * 1024;

    /** Packet size that every network carries (RFC 8200, 5). */
    private static final int SMALL_PACKET_BYTES = 1_280;

    private final int silenceMs;
    private int silences;
    private int stalls;
    private int handshakeTimeouts;
    private long acknowledgedBytes;

    /** @param silenceMs time without a byte after which an end ends a session */
    MtuBlackHoleDetector(int silenceMs) {
        this.silenceMs = silenceMs;
    }

    /** The peer has acknowledged frames of {@code bytes} bytes in total. */
    void onAcknowledged(long bytes) {
        acknowledgedBytes += bytes;
        if (acknowledgedBytes >= SMALL_TALK_BYTES) {
            stalls = 0;
        }
    }

    /**
     * Called at the end of a session that was up.
     *
     * @param lastedMs duration of the session
     * @param bytesIn bytes received on its connection
     * @param unacknowledgedBytes bytes sent and not acknowledged when it ended
     */
    void onEnded(CloseReason why, long lastedMs, long bytesIn, long unacknowledgedBytes) {
        boolean silent = why == CloseReason.TIMEOUT;
        boolean stalled = lastedMs > silenceMs / 2 && acknowledgedBytes < SMALL_TALK_BYTES && unacknowledgedBytes > SMALL_PACKET_BYTES;
        silences = silent && bytesIn < SMALL_TALK_BYTES ? silences + 1 : 0;
        stalls = stalled ? stalls + 1 : 0;
        acknowledgedBytes = 0;
    }

    /** @param timedOut TCP connected, and the TLS handshake did not end in time */
    void onHandshakeEnded(boolean timedOut) {
        handshakeTimeouts = timedOut ? handshakeTimeouts + 1 : 0;
    }

    /** Clears the suspicion once more than the initial small frames was received. */
    void onCame(long bytesIn) {
        if (bytesIn >= SMALL_TALK_BYTES) {
            silences = 0;
        }
    }

    /** A message for display; empty if there is no suspicion. */
    String text() {
        if (stalls < SESSIONS && silences < SESSIONS && handshakeTimeouts < SESSIONS) {
            return "";
        }
        return what() + " large ones seem to be lost without a word, as where a network's MTU is smaller than its ends know. Correct the"
                + " MTU, let ICMP through, or set net.ipv4.tcp_mtu_probing=1 at both hosts; what waits goes on then";
    }

    private String what() {
        if (stalls >= SESSIONS) {
            return stalls + " times in a row it came up and nothing large that was sent arrived: small packets pass and";
        }
        return silences >= SESSIONS
                ? silences + " times in a row it came up and fell silent: small packets pass and"
                : handshakeTimeouts + " times in a row TCP connected and TLS did not: the other relay stands still, or small packets pass and";
    }
}
