package org.posthouse.relay.config;

import java.io.IOException;
import org.posthouse.names.NameService;

/** What keeps a relay's names ({@code --names}). */
@FunctionalInterface
public interface NamesConfig {
    /** The group of the relays keeps them, whether or not anybody has asked for names. */
    NamesConfig GROUP = group -> group;

    /**
     * Opens the back end. It need not be up: it answers UNAVAILABLE until it is.
     *
     * @param group the names of the relay's group
     * @return that, or another; its owner closes it
     * @throws IOException in one line, if a part of it that is here cannot start
     */
    NameService open(NameService group) throws IOException;

    /** Whether a relay whose names are not available is not ready: an operator has chosen what keeps them. */
    default boolean isRequired() {
        return this != GROUP;
    }
}
