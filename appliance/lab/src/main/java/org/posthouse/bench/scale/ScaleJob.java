package org.posthouse.bench.scale;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.relay.host.UserToken;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/**
 * A job whose ranks are hosted by the bench: opened at the relays as a launcher does, but nothing is forked. Confined to
 * the driver's thread.
 */
final class ScaleJob implements AutoCloseable {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final long CLOSE_MS_MAX = 5_000;

    private final long id = RANDOM.nextLong();
    private JobOpen opening;
    private final List<RelayClient> relays = new ArrayList<>();

    /** Why the job ended, if a relay says that it did. Completed by the relays' threads. */
    private final CompletableFuture<String> failure = new CompletableFuture<>();

    /**
     * Opens the job at every relay.
     *
     * @param addresses one address a relay; a pair's ranks are at home at one of them
     */
    static ScaleJob open(ScalePlan.Cell cell, ScaleSeries series, List<String> addresses) throws IOException, JobFailure {
        ScaleJob job = new ScaleJob();
        try {
            for (String address : addresses) {
                RelayClient relay = RelayClient.connect(address, UserToken.find());
                job.relays.add(relay);
                relay.listen(job::onEvent, job.failure::complete);
            }
            List<HomeRelay> homes = job.relays.stream().map(RelayClient::home).toList();
            int[] homeOf = new int[cell.clients()];
            for (int rank = 0; rank < homeOf.length; rank++) {
                homeOf[rank] = cell.relayOf(rank);
            }
            job.opening = new JobOpen(job.id, Token.random(), series.logged(), "bench:scale " + series.label(), homes, homeOf);
            for (RelayClient relay : job.relays) {
                relay.open(job.opening);
            }
            return job;
        } catch (IOException | JobFailure e) {
            job.close();
            throw e;
        }
    }

    private void onEvent(JobEvent event) {
        if (event.kind() == JobEvent.ABORTED || event.kind() == JobEvent.LOST || event.kind() == JobEvent.REFUSED) {
            failure.complete("rank " + event.rank() + ": " + event.text());
        }
    }

    /** Why the job ended; empty while it has not. */
    String failure() {
        return failure.getNow("");
    }

    /** The way of a rank to its relay. */
    ScaleRoute.Leg leg(ScalePlan.Cell cell, int rank) {
        return new ScaleRoute.Leg(Carrier.RELAY, relays.get(cell.relayOf(rank)).home().address(), id, opening.tokenOf(rank));
    }

    /** Ends the job at its relays. */
    @Override
    public void close() {
        for (RelayClient relay : relays) {
            relay.closeJob(new CloseNotice(id, 0, -1, "finished"));
        }
        try {
            for (RelayClient relay : relays) {
                relay.awaitClosed(CLOSE_MS_MAX);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        relays.forEach(RelayClient::close);
    }
}
