package org.posthouse.mpj.channel;

import java.io.IOException;

/** The process at a relay's address is not the relay, as far as can be known. No secret was sent to it. */
public final class UnprovenRelayException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param message names the relay and what is not proven */
    public UnprovenRelayException(String message) {
        super(message);
    }
}
