package org.posthouse.keys;

import java.io.IOException;

/** A key or certificate file cannot be used or written. The message names the file, what is wrong and what to do. */
public final class KeysException extends IOException {
    private static final long serialVersionUID = 1L;

    KeysException(String message) {
        super(message);
    }

    KeysException(String message, Throwable cause) {
        super(message, cause);
    }
}
