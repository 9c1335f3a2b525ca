package org.posthouse.directory;

import java.io.IOException;

/** Thrown if the other end of a member's connection is refused. */
class GroupRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    private final GroupRefusal kind;

    GroupRefusedException(GroupRefusal kind, String message) {
        super(message);
        this.kind = kind;
    }

    GroupRefusal kind() {
        return kind;
    }
}
