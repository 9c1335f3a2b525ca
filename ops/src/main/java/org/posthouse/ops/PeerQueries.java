package org.posthouse.ops;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The questions that consoles ask the relays of other processes, over links. Every relay answers them, with a console of
 * its own or without. They only read. Stateless and thread-safe.
 */
public final class PeerQueries {
    private static final Pattern STATUS = Pattern.compile("status (\\d{1,18})");

    private PeerQueries() {}

    /** Asks how a relay is. @param event the relay's number of its last event that is known; 0: none is */
    static String status(long event) {
        return "status " + event;
    }

    /**
     * Answers a question of another relay of the grid. Takes some milliseconds for a relay with thousands of ranks: call it
     * on a worker.
     *
     * @throws IOException in one line, if there is no such question, as of a later version
     */
    public static byte[] answer(RelayView relay, String query) throws IOException {
        Matcher status = STATUS.matcher(query);
        if (status.matches()) {
            long known = Long.parseLong(status.group(1));
            return PeerJson.write(new PeerJson.Status(relay.snapshot(), relay.readiness(), relay.events(known, EventBoard.BATCH_MAX)));
        }
        throw new IOException("relay " + relay.snapshot().relay() + " does not know the question \"" + Responses.shortened(query) + "\"");
    }
}
