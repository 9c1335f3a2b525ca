package org.posthouse.names.raft;

import java.io.IOException;

/** Bytes that no judge and no front end writes. */
final class MalformedException extends IOException {
    private static final long serialVersionUID = 1L;

    MalformedException(String message) {
        super(message);
    }

    MalformedException(String message, Throwable cause) {
        super(message, cause);
    }
}
