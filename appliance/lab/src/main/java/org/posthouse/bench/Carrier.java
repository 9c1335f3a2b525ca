package org.posthouse.bench;

import java.util.Locale;

/** What carries the messages of a test. */
enum Carrier {
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

    boolean isForwarder() {
        return this == VERTX || this == SELECTOR;
    }

    boolean isTunnel() {
        return this == SSH || this == STUNNEL;
    }

    /** In a table and in a plot's legend. */
    String label() {
        return isForwarder() ? word() + " forwarder" : word();
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
