package org.posthouse.mpj;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * Has the system find out that the other end of a silent connection is gone: a host without power says no goodbye, and who only
 * waits for it would wait for ever (RFC 9293, section 3.8.4). It is asked when nothing has come for 10 s, and gone if it has not
 * answered for 15 s more. What was sent and is not acknowledged is the system's to send again, as long as it likes to.
 */
public final class TcpKeepalive {
    /** Seconds without a byte before the system asks. */
    public static final int IDLE_SECONDS = 10;

    /** Seconds between two questions, and how many may stay without an answer. */
    public static final int INTERVAL_SECONDS = 5;

    public static final int QUESTIONS = 3;

    private static final Map<SocketOption<Integer>, Integer> TIMES = Map.of(
            ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS,
            ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_SECONDS,
            ExtendedSocketOptions.TCP_KEEPCOUNT, QUESTIONS);

    private TcpKeepalive() {}

    /** Where the system cannot be told the times it has its own, of hours. */
    public static void set(NetworkChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        for (Map.Entry<SocketOption<Integer>, Integer> time : TIMES.entrySet()) {
            if (channel.supportedOptions().contains(time.getKey())) {
                channel.setOption(time.getKey(), time.getValue());
            }
        }
    }
}
