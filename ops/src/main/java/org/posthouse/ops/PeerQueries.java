package org.posthouse.ops;

import java.io.IOException;

/**
 * The questions that consoles ask the relays of other processes, over links. Every relay answers them, with a console of
 * its own or without. They only read. Stateless and thread-safe.
 */
public final class PeerQueries {
    static final String STATUS = "status";

    private PeerQueries() {}

    /**
     * Answers a question of another relay of the grid. Takes some milliseconds for a relay with thousands of ranks: call it
     * on a worker.
     *
     * @throws IOException in one line, if there is no such question, as of a later version
     */
    public static byte[] answer(RelayView relay, String query) throws IOException {
        if (query.equals(STATUS)) {
            return PeerJson.write(new PeerJson.Status(relay.snapshot(), relay.readiness()));
        }
        throw new IOException("relay " + relay.snapshot().relay() + " does not know the question \"" + Responses.shortened(query) + "\"");
    }
}
