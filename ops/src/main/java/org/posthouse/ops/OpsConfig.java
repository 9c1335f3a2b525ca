package org.posthouse.ops;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the console listens and which names it answers to. Immutable. There is no login: whoever reaches the port can
 * look and change the mode, so the default is the loopback interface.
 *
 * @param host         address to listen on; key {@code console.host}, default 127.0.0.1
 * @param port         TCP port, 0 to 65535, 0 lets the system choose; key {@code console.port}, default 7413
 * @param allowedHosts further names that a browser may use in its Host header, without port; key
 *                     {@code console.allowed-hosts}, default none. Loopback names and the listen address always work.
 */
public record OpsConfig(String host, int port, List<String> allowedHosts) {

    /** The port of the console, the API and the metrics when nothing else is said. */
    public static final int DEFAULT_PORT = 7413;

    private static final String LOOPBACK = "127.0.0.1";

    /** Checks everything and reports all problems in one exception. */
    public OpsConfig {
        allowedHosts = List.copyOf(allowedHosts);
        List<String> problems = new ArrayList<>();
        if (host == null || host.isBlank()) {
            problems.add("console.host is empty; give an address to listen on, such as " + LOOPBACK);
        }
        if (port < 0 || port > 65535) {
            problems.add("console.port is " + port + "; give a number from 0 to 65535");
        }
        for (String name : allowedHosts) {
            if (name.isBlank() || name.contains("/") || name.contains("*")) {
                problems.add("console.allowed-hosts has \"" + name + "\"; give plain names without scheme or pattern");
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /**
     * A console on any host and port that answers to loopback names and that host only.
     *
     * @param host address to listen on
     * @param port 0 to 65535; 0 lets the system choose
     */
    public OpsConfig(String host, int port) {
        this(host, port, List.of());
    }

    /**
     * A console that only this machine can reach.
     *
     * @param port 0 to 65535; 0 lets the system choose
     */
    public static OpsConfig loopback(int port) {
        return new OpsConfig(LOOPBACK, port);
    }
}
