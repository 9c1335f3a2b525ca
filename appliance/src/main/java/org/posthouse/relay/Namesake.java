package org.posthouse.relay;

import java.io.IOException;
import java.util.Optional;
import org.posthouse.directory.Directory;
import org.posthouse.directory.RelayEntry;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.RelayLine;
import org.posthouse.wire.Token;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another process that is the relay that this one is about to become: a second relay of a site that was given no name, or one
 * that was not stopped. Looked for at the start, on the thread that starts; blocks for 10 s at most.
 *
 * <p>It spares people a puzzle, and is no guard: one that the directory does not know yet, or that does not answer, is
 * found out by its epoch (docs/links.md, NAME_TAKEN and FENCED).
 */
final class Namesake {
    private static final Logger LOG = LoggerFactory.getLogger(Namesake.class);

    private Namesake() {}

    /** @throws IOException in one line, if the directory has a relay of this name and it answers to it */
    static void refuse(RelayConfig config, Directory directory) throws IOException {
        for (RelayEntry entry : directory.relays()) {
            if (entry.relay().equals(config.relay()) && answers(entry, config.launchToken())) {
                throw new IOException("relay " + entry.relay() + " is up already, at " + entry.address()
                        + ": stop it, or give this one another --name");
            }
        }
    }

    /** Of a relay that joins its group when it is there itself: that the group knows of a later start of its name. What it says of itself is refused then. */
    static Optional<String> later(String relay, long epoch, Directory directory) {
        long known = directory.epoch(relay);
        return known <= epoch
                ? Optional.empty()
                : Optional.of("relay " + relay + ", epoch " + epoch + ", is not in the directory, as its group knows of a later start of that name, epoch " + known
                        + ": give one of the two another --name; if there is but one, its host's clock was set back: start it again when the clock is right");
    }

    private static boolean answers(RelayEntry entry, Token token) {
        try (RelayLine line = RelayLine.connect(entry.address(), token)) {
            return line.home().relay().equals(entry.relay());
        } catch (JobFailure e) {
            LOG.info("{}: takes the place of the one in the directory, which does not answer: {}", entry.relay(), e.getMessage());
            return false;
        }
    }
}
