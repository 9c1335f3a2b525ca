package org.posthouse.ops;

import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.posthouse.causes.Causes;
import org.posthouse.status.JobStatus;
import org.posthouse.status.RankStatus;

/**
 * Passes the order for checkpoints to all home relays of a job's ranks: those of this process, and others over links
 * (docs/adr/0104). Confined to the console's event loop.
 */
final class CheckpointRoute {
    private final Supplier<List<RelayView>> views;
    private final GridStatus grid;

    CheckpointRoute(Supplier<List<RelayView>> views, GridStatus grid) {
        this.views = views;
        this.grid = grid;
    }

    /** @return a report of each home; fails with {@link IllegalArgumentException} if the job can have no checkpoints */
    Future<List<CheckpointReport>> carry(CheckpointOrder order) {
        return grid.refresh().compose(asked -> carry(order.job(), Overview.of(views.get()).with(grid.entries())));
    }

    private Future<List<CheckpointReport>> carry(String id, Overview overview) {
        JobStatus job = overview.job(id).filter(JobStatus::live).orElse(null);
        if (job == null) {
            return refused("no relay that is known here has a job \"" + Responses.shortened(id) + "\" that runs; posthouse jobs lists those that do");
        }
        if (job.durability().equals("none")) {
            return refused("job " + id + " has no checkpoints: it was started without --durability");
        }
        Map<String, Future<CheckpointReport>> reports = new TreeMap<>();
        for (RankStatus rank : job.ranks()) {
            reports.computeIfAbsent(rank.relay(), home -> ask(home, id).otherwise(cause -> CheckpointReport.failed(home, id, Causes.text(cause))));
        }
        return Future.all(new ArrayList<>(reports.values())).map(all -> all.list());
    }

    private static <T> Future<T> refused(String why) {
        return Future.failedFuture(new IllegalArgumentException(why));
    }

    private Future<CheckpointReport> ask(String home, String job) {
        for (RelayView view : views.get()) {
            if (view.snapshot().relay().equals(home)) {
                return view.checkpoint(job);
            }
        }
        return grid.ask(home, PeerQueries.checkpoint(job)).compose(CheckpointRoute::read);
    }

    private static Future<CheckpointReport> read(byte[] answer) {
        try {
            return Future.succeededFuture(PeerJson.read(answer, CheckpointReport.class));
        } catch (IOException e) {
            return Future.failedFuture(e);
        }
    }
}
