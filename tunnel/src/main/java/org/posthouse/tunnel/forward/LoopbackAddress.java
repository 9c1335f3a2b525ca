package org.posthouse.tunnel.forward;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The loopback address of a relay's own services, the same at every site: one of the 4,194,304 addresses of
 * 127.64.0.0/10, derived from the relay's id. At the relay itself its services listen there; at other relays, ports
 * that lead to them do. Stateless.
 */
public final class LoopbackAddress {
    private static final int NET = 127 << 24 | 64 << 16;
    private static final int HOST_BITS = 22;
    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

    private LoopbackAddress() {}

    /** The address of the relay with this id. One in 4,194,304 pairs of relays has the same address. */
    public static String of(String relay) {
        CRC32C hash = new CRC32C();
        hash.update(relay.getBytes(StandardCharsets.UTF_8));
        int address = NET | (int) hash.getValue() >>> Integer.SIZE - HOST_BITS;
        return (address >>> 24) + "." + (address >>> 16 & 255) + "." + (address >>> 8 & 255) + "." + (address & 255);
    }

    /** Whether the text is an address of 127.0.0.0/8. */
    public static boolean isWritten(String address) {
        return address.matches("127(\\." + OCTET + "){3}");
    }
}
