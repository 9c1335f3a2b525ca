package org.posthouse.mpj.channel;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * Lets the system detect that the other end of a silent connection is gone: a host without power sends no FIN, and a
 * reader would wait for ever (RFC 9293, section 3.8.4). The system probes after 10 s without a byte, and gives up after
 * 15 s more without an answer. Retransmission of unacknowledged data is left to the system, which sets its own limit.
 */
public final class TcpKeepalive {
    /** Seconds without a byte before the first probe. */
    public static final int IDLE_SECONDS = 10;

    /** Seconds between two probes, and the number that may be unanswered. */
    public static final int INTERVAL_SECONDS = 5;

    public static final int QUESTIONS = 3;

    private static final Map<SocketOption<Integer>, Integer> TIMES = Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_SECONDS,
            ExtendedSocketOptions.TCP_KEEPCOUNT, QUESTIONS);

    private TcpKeepalive() {}

    /** Sets the options. Where the system cannot be given times, it uses its own, of hours. */
    public static void set(NetworkChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        for (Map.Entry<SocketOption<Integer>, Integer> time : TIMES.entrySet()) {
            if (channel.supportedOptions().contains(time.getKey())) {
                channel.setOption(time.getKey(), time.getValue());
            }
        }
    }
}
