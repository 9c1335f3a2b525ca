package org.posthouse.bench.carrier;

import java.io.IOException;

/** A way to ports of the loopback, for example over an emulated network. */
@FunctionalInterface
public interface PortForwarder {
    /** Makes a way to {@code port}. @return the port that leads there */
    int to(int port) throws IOException, InterruptedException;
}
