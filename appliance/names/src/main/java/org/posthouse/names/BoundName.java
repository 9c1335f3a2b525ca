package org.posthouse.names;

import java.util.Objects;

/**
 * A name with its record. Immutable.
 *
 * @param version 1 for the first record of a name, and one more for each later one. A name that was unbound begins above its last version, as long as the
 *     back end remembers it
 */
public record BoundName(Name name, NameRecord record, long version) {
    /** Refuses nulls, and versions below 1. */
    public BoundName {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(record, "record");
        if (version < 1) {
            throw new IllegalArgumentException("version " + version + ", expected 1 or more");
        }
    }
}
