package org.posthouse.relay.config;

import io.vertx.core.transport.Transport;
import java.util.Locale;

/** The kind of a relay's sockets. */
public enum SocketKind {
    /** The kind that was measured as fastest: {@link #NIO} (docs/benchmarks). */
    AUTO,
    /** Java's own channels; the only kind that mode threaded can use. */
    NIO,
    /** Linux's epoll, edge-triggered, without Java's selector. */
    EPOLL,
    /** Linux's io_uring, where the kernel lets containers use it. */
    IO_URING;

    /** The name in flags and reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    Transport transport() {
        return switch (this) {
            case AUTO, NIO -> Transport.NIO;
            case EPOLL -> Transport.EPOLL;
            case IO_URING -> Transport.IO_URING;
        };
    }

    /** Whether they are native sockets, which mode threaded cannot read. */
    boolean isNative() {
        return this == EPOLL || this == IO_URING;
    }

    /**
     * Checks that a relay in this mode can start with them.
     *
     * @throws IllegalArgumentException in one line, if the platform has none, or the mode needs others
     */
    public void check(ModeConfig mode) {
        if (isNative() && mode.mode() == RelayConfig.Mode.THREADED) {
            throw new IllegalArgumentException("--mode threaded needs --transport nio, not " + word());
        }
        if (!transport().available()) {
            Throwable cause = transport().unavailabilityCause();
            throw new IllegalArgumentException(
                    "--transport " + word() + " is not to be had on this host" + (cause == null ? "" : ": " + root(cause)));
        }
    }

    private static String root(Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.toString().lines().findFirst().orElse("");
    }
}
