package org.posthouse.names;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Names with versions, whatever keeps them. Every change is of one name and atomic. A stage that fails does so with a {@link NameException}. Methods do not
 * block; stages complete on a thread of the back end's choice.
 */
public interface NameService extends AutoCloseable {
    /** As an expected version: whichever there is. */
    long ANY_VERSION = -1;

    /** Most names of one {@link #list}. */
    int LIST_MAX = 1_000;

    /** Binds a name that has no record; else fails with ALREADY_BOUND. A repeat with an equal record succeeds, as the first may have been answered to nobody. */
    CompletionStage<BoundName> bind(Name name, NameRecord record);

    /** Replaces whatever record the name has; fails with NOT_BOUND, or with CONFLICT if that is of a later epoch. */
    CompletionStage<BoundName> rebind(Name name, NameRecord record);

    /**
     * Replaces the record of one version; fails with CONFLICT if another is there, or one of a later epoch.
     *
     * @param expected the version; 0: the name must not be bound
     */
    CompletionStage<BoundName> swap(Name name, long expected, NameRecord record);

    /** The name's record. */
    CompletionStage<Optional<BoundName>> lookup(Name name);

    /**
     * Takes the name's record away.
     *
     * @param expected its version, or {@link #ANY_VERSION}; fails with CONFLICT if another is there
     * @return whether there was one
     */
    CompletionStage<Boolean> unbind(Name name, long expected);

    /**
     * The bound names at and below a prefix, in their order.
     *
     * @param limit 1 to {@link #LIST_MAX}
     * @param after the last name of the page before; empty for the first
     */
    CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after);

    /**
     * Tells what is bound at and below a prefix, and from then on what changes, at least once and in the order of versions of each name. Of changes of one name
     * in quick succession those before the last may be left out.
     *
     * @param listener must not block
     * @return ends it when it is closed
     */
    Subscription listen(Name prefix, Consumer<NameChange> listener);

    /** A listener's connection. */
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }

    @Override
    void close();
}
