package org.posthouse.tunnel;

import org.posthouse.wire.CloseReason;

/**
 * Tells a network that loses large packets without a word (an MTU black hole, RFC 2923, 2.1) from one that is cut: a link comes up, as its first frames are
 * small, and stands still with the first large one, again and again. Pings are behind it in the same connection, so the end that is to read hears nothing, and
 * the one that writes hears of nothing that arrived. Confined to the relay's context.
 */
final class BlackHoleSuspicion {
    /** So many such sessions in a row are no accident. */
    private static final int SESSIONS = 2;

    /** What two relays say to each other before anything large. */
    private static final int SMALL_TALK_BYTES = 16 * 1024;

    /** What fits a packet anywhere (RFC 8200, 5). */
    private static final int SMALL_PACKET_BYTES = 1_280;

    private final int silenceMs;
    private int silences;
    private int stalls;
    private long acknowledgedBytes;

    /** @param silenceMs after so long without a byte an end ends a session */
    BlackHoleSuspicion(int silenceMs) {
        this.silenceMs = silenceMs;
    }

    /** The peer has acknowledged frames of so many bytes. */
    void onAcknowledged(long bytes) {
        acknowledgedBytes += bytes;
        if (acknowledgedBytes >= SMALL_TALK_BYTES) {
            stalls = 0;
        }
    }

    /**
     * A session is over that was up.
     *
     * @param lastedMs how long
     * @param bytesIn what came on its connection
     * @param unacknowledgedBytes what was sent and not acknowledged when it ended
     */
    void onEnded(CloseReason why, long lastedMs, long bytesIn, long unacknowledgedBytes) {
        boolean silent = why == CloseReason.TIMEOUT;
        boolean stalled = lastedMs > silenceMs / 2 && acknowledgedBytes < SMALL_TALK_BYTES && unacknowledgedBytes > SMALL_PACKET_BYTES;
        silences = silent && bytesIn < SMALL_TALK_BYTES ? silences + 1 : 0;
        stalls = stalled ? stalls + 1 : 0;
        acknowledgedBytes = 0;
    }

    /** More than the small talk has come. */
    void onCame(long bytesIn) {
        if (bytesIn >= SMALL_TALK_BYTES) {
            silences = 0;
        }
    }

    /** For people; empty if there is no reason. */
    String text() {
        if (stalls < SESSIONS && silences < SESSIONS) {
            return "";
        }
        String what = stalls >= SESSIONS
                ? stalls + " times in a row it came up and nothing large that was sent arrived"
                : silences + " times in a row it came up and fell silent";
        return what + ": small packets pass and large ones seem to be lost without a word, as where a network's MTU is smaller than its ends know. Correct the"
                + " MTU, let ICMP through, or set net.ipv4.tcp_mtu_probing=1 at both hosts; what waits goes on then";
    }
}
