package org.posthouse.mpj.determinant;

import java.io.IOException;

/** A restarted rank does something else than it did before. */
public final class DivergedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param message what was expected and what was found */
    public DivergedException(String message) {
        super(message);
    }
}
