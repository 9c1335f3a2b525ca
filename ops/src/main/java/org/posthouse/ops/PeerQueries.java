package org.posthouse.ops;

import io.vertx.core.Future;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The questions that consoles ask the relays of other processes, over links. Every relay answers them, with a console of
 * its own or without. They read, but for the one that asks ranks for
 * checkpoints (docs/adr/0104). Stateless and thread-safe.
 */
public final class PeerQueries {
    private static final Pattern STATUS = Pattern.compile("status (\\d{1,18})");

    private static final String TRAFFIC = "traffic ";
    private static final String WAITS = "waits ";
    private static final String ACTIVITY = "activity ";
    private static final String CHECKPOINT = "checkpoint ";

    private PeerQueries() {}

    /** Asks for the deliveries to a job's ranks that are at home at a relay. */
    static String traffic(String job) {
        return TRAFFIC + job;
    }

    /** Asks how a relay is. @param event the relay's number of its last event that is known; 0: none is */
    static String status(long event) {
        return "status " + event;
    }

    /** Asks which ranks of a job that are at home at a relay wait in a call. */
    static String waits(String job) {
        return WAITS + job;
    }

    /** Asks what a job's ranks that are at home at a relay have done in the last minutes. */
    static String activity(String job) {
        return ACTIVITY + job;
    }

    /** Has a relay ask a job's ranks that are at home there for checkpoints. */
    static String checkpoint(String job) {
        return CHECKPOINT + job;
    }

    /**
     * Answers a question of another relay of the grid. Takes some milliseconds for a relay with thousands of ranks: call it
     * on a worker.
     *
     * @return the answer; fails with one line, if there is none, or no such question, as of a later version. Completes on any
     *     thread
     */
    public static Future<byte[]> answer(RelayView relay, String query) {
        Matcher status = STATUS.matcher(query);
        if (status.matches()) {
            long known = Long.parseLong(status.group(1));
            return Future.succeededFuture(
                    PeerJson.write(new PeerJson.Status(relay.snapshot(), relay.readiness(), relay.events(known, EventBoard.BATCH_MAX))));
        }
        if (query.startsWith(WAITS)) {
            return relay.waits(query.substring(WAITS.length())).map(waits -> PeerJson.write(new PeerJson.Waits(waits)));
        }
        if (query.startsWith(ACTIVITY)) {
            return relay.activity(query.substring(ACTIVITY.length())).map(PeerJson::write);
        }
        Optional<OutputQuery> output = OutputQuery.parse(query);
        if (output.isPresent()) {
            return relay.output(output.get()).map(PeerJson::write);
        }
        if (query.startsWith(CHECKPOINT)) {
            return relay.checkpoint(query.substring(CHECKPOINT.length())).map(PeerJson::write);
        }
        if (query.startsWith(TRAFFIC)) {
            return relay.traffic(query.substring(TRAFFIC.length())).map(pairs -> PeerJson.write(new PeerJson.Pairs(pairs)));
        }
        return Future.failedFuture(new IOException("relay " + relay.snapshot().relay() + " does not know the question \"" + Responses.shortened(query) + "\""));
    }
}
