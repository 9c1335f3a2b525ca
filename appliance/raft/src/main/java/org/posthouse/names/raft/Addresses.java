package org.posthouse.names.raft;

import java.net.InetSocketAddress;

/** Addresses as host:port, with a numeric host. Stateless. */
final class Addresses {
    private Addresses() {}

    /** @throws IllegalArgumentException if it is none */
    static InetSocketAddress parse(String address) {
        int colon = address.lastIndexOf(':');
        if (colon < 1 || !address.substring(colon + 1).matches("\\d{1,5}") || !address.substring(0, colon).matches("127(\\.\\d{1,3}){3}")) {
            throw new IllegalArgumentException("\"" + address + "\" is no loopback address with a port, expected 127.x.y.z:port");
        }
        return new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
