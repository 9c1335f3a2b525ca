package org.posthouse.bench.carrier;

import java.util.Locale;

/** The carrier of a test's messages. */
public enum Carrier {
    /** MPI messages through the relay. */
    RELAY,
    /** Plain bytes over one TCP connection between the two ranks. */
    RAW,
    /** Plain bytes through a bare Vert.x forwarder: two TCP connections, as with the relay. */
    VERTX,
    /** Plain bytes through a bare selector forwarder: two TCP connections too. */
    SELECTOR,
    /** Plain bytes through {@code ssh -L}: three TCP connections, as over a link. */
    SSH,
    /** Plain bytes through two stunnels: three TCP connections too. */
    STUNNEL;

    /** Whether it is a bare forwarder. */
    public boolean isForwarder() {
        return this == VERTX || this == SELECTOR;
    }

    /** Whether it is another program's tunnel. */
    public boolean isTunnel() {
        return this == SSH || this == STUNNEL;
    }

    /** In a table and in a plot's legend. */
    public String label() {
        return isForwarder() ? word() + " forwarder" : word();
    }

    /** The word in reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
