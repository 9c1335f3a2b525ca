package org.posthouse.tunnel;

import java.util.List;

/**
 * The times of a link, all in milliseconds. Immutable.
 *
 * @param connectMs longest TCP connect
 * @param handshakeMs longest TLS handshake, at both ends
 * @param helloMs longest wait for the other end's LINK_HELLO after TLS
 * @param pingMs between two LINK_PINGs, and longest wait for the answer of a suspected connection
 * @param silenceMs without a byte from the peer after which the connection is cut: at least twice {@code pingMs}
 * @param ackMs longest time that a received frame waits for its LINK_ACK
 * @param backOffMsMin first delay before dialling again
 * @param backOffMsMax longest delay before dialling again
 */
public record LinkTimeouts(
        int connectMs,
        int handshakeMs,
        int helloMs,
        int pingMs,
        int silenceMs,
        int ackMs,
        int backOffMsMin,
        int backOffMsMax) {
    public static final LinkTimeouts DEFAULT = new LinkTimeouts(5_000, 5_000, 5_000, 3_000, 15_000, 20, 100, 5_000);

    void check(List<String> problems) {
        for (int ms : new int[] {connectMs, handshakeMs, helloMs, pingMs, silenceMs, ackMs, backOffMsMin}) {
            if (ms < 1) {
                problems.add("a time of " + ms + " ms in " + this + ", expected at least 1");
            }
        }
        if (silenceMs < 2L * pingMs) {
            problems.add("silence " + silenceMs + " ms, expected at least twice the ping of " + pingMs + " ms");
        }
        if (backOffMsMax < backOffMsMin) {
            problems.add("longest back-off " + backOffMsMax + " ms, expected at least the first, " + backOffMsMin
                    + " ms");
        }
    }
}
