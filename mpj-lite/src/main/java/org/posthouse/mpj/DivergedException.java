package org.posthouse.mpj;

import java.io.IOException;

/** A restarted rank does something else than it did before. */
final class DivergedException extends IOException {
    private static final long serialVersionUID = 1L;

    DivergedException(String message) {
        super(message);
    }
}
