package org.posthouse.names;

import java.util.Objects;

/**
 * What a listener is told. A name may be told more than once; a listener drops what has no higher version than it knows.
 *
 * @param bound the record; of a name that was unbound the last one
 * @param present whether the name is bound now
 */
public record NameChange(BoundName bound, boolean present) {
    /** Refuses nulls. */
    public NameChange {
        Objects.requireNonNull(bound, "bound");
    }
}
