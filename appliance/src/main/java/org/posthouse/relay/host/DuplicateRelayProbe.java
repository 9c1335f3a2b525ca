package org.posthouse.relay.host;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Predicate;
import org.posthouse.directory.Directory;
import org.posthouse.directory.RelayEntry;

/**
 * Finds another process that runs under this relay's name: a second relay of a site that was given no name, or one that
 * was not stopped. Runs at the start, on the starting thread.
 *
 * <p>It gives an early, clear message, and is no guarantee. A relay that the directory does not know yet, or that does
 * not answer, is detected by its epoch (docs/links.md, NAME_TAKEN and FENCED).
 */
final class DuplicateRelayProbe {
    private DuplicateRelayProbe() {}

    /** @throws IOException in one line, if the directory has a relay of this name and it answers to it */
    static void refuse(String relay, Directory directory, Predicate<RelayEntry> answers) throws IOException {
        for (RelayEntry entry : directory.relays()) {
            if (entry.relay().equals(relay) && answers.test(entry)) {
                throw new IOException("relay " + entry.relay() + " is up already, at " + entry.address()
                        + ": stop it, or give this one another --name");
            }
        }
    }

    /**
     * For a relay that joins its group after its start: a warning if the group knows a later start of its name, in
     * which case its entries are refused.
     */
    static Optional<String> later(String relay, long epoch, Directory directory) {
        long known = directory.epoch(relay);
        return known <= epoch
                ? Optional.empty()
                : Optional.of("relay " + relay + ", epoch " + epoch + ", is not in the directory, as its group knows of a later start of that name, epoch "
                        + known
                        + ": give one of the two another --name; if there is but one, its host's clock was set back: start it again when the clock is right");
    }
}
