package org.posthouse.detector;

import org.posthouse.wire.DetectorMessage;

/** The effects of a host's detector. */
public interface DetectorPort {
    /** Sends a message to another host's detector. It may be lost. */
    void send(int host, DetectorMessage message);

    /** Asks the relay of {@code host}, which alone decides whether that is dead. */
    void ask(int host);

    /** The host is suspected, and is checked from now on. */
    void onSuspected(int host);

    /** A suspected host has shown that it lives. */
    void onRefuted(int host);
}
