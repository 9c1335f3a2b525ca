package org.posthouse.ops;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.posthouse.status.JobStatus;
import org.posthouse.status.PairTraffic;
import org.posthouse.status.RankStatus;

/**
 * The communication matrix of a job, from the home relays of its ranks: each counts what it has delivered. Confined to
 * the console's event loop.
 */
final class MatrixRoute {
    private final Vertx vertx;
    private final Supplier<List<RelayView>> views;
    private final GridStatus grid;

    /**
     * The matrix as the API shows it.
     *
     * @param job the job's id
     * @param size number of its ranks
     * @param at the server's clock, milliseconds since 1970 UTC
     * @param cells for each pair with messages: source, destination, messages, bytes
     * @param missing home relays that did not answer: the cells of their ranks are missing
     */
    record Matrix(String job, int size, long at, List<List<Long>> cells, List<String> missing) {}

    MatrixRoute(Vertx vertx, Supplier<List<RelayView>> views, GridStatus grid) {
        this.vertx = vertx;
        this.views = views;
        this.grid = grid;
    }

    /** Answers for a job that is known. */
    void answer(RoutingContext ctx, JobStatus job) {
        Map<String, Future<List<PairTraffic>>> asked = new TreeMap<>();
        for (RankStatus rank : job.ranks()) {
            asked.computeIfAbsent(rank.relay(), home -> ask(home, job.id()));
        }
        Future.join(new ArrayList<>(asked.values())).otherwiseEmpty()
                .compose(all -> vertx.executeBlocking(() -> OpsJson.matrix(matrix(job, asked)), false))
                .onSuccess(text -> Responses.json(ctx, 200, text))
                .onFailure(ctx::fail);
    }

    private Future<List<PairTraffic>> ask(String home, String job) {
        for (RelayView view : views.get()) {
            if (view.snapshot().relay().equals(home)) {
                return view.traffic(job);
            }
        }
        return grid.ask(home, PeerQueries.traffic(job)).compose(answer -> {
            try {
                return Future.succeededFuture(PeerJson.read(answer, PeerJson.Pairs.class).pairs());
            } catch (IOException e) {
                return Future.failedFuture(e);
            }
        });
    }

    private static Matrix matrix(JobStatus job, Map<String, Future<List<PairTraffic>>> asked) {
        List<List<Long>> cells = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        asked.forEach((home, answer) -> {
            if (answer.failed()) {
                missing.add(home);
            } else {
                answer.result().forEach(pair -> cells.add(List.of((long) pair.source(), (long) pair.destination(), pair.messages(), pair.bytes())));
            }
        });
        return new Matrix(job.id(), job.size(), System.currentTimeMillis(), cells, missing);
    }
}
