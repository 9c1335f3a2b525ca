package org.posthouse.names;

import java.util.concurrent.CompletionException;

/** What a stage of a name service failed with. Stateless. */
final class Faults {
    private Faults() {}

    /** As a {@link NameException}; another failure is one of the back end. */
    static NameException of(Throwable fault) {
        Throwable cause = fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
        return cause instanceof NameException known ? known
                : new NameException(NameException.Kind.UNAVAILABLE, "the back end has failed: " + cause.getMessage(), cause);
    }
}
