package org.posthouse.mpj;

import java.io.IOException;

/** Whoever listens at a relay's address is not the relay, as far as can be known. Nothing of value was said to it. */
public final class UnprovenRelayException extends IOException {
    private static final long serialVersionUID = 1;

    public UnprovenRelayException(String message) {
        super(message);
    }
}
