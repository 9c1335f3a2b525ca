package org.posthouse.ops;

import io.vertx.core.Future;
import java.io.IOException;
import java.util.List;
import org.posthouse.status.JobActivity;
import org.posthouse.status.JobOutput;
import org.posthouse.status.NamesStatus;
import org.posthouse.status.PairTraffic;
import org.posthouse.status.RankWait;
import org.posthouse.status.RelayEvent;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayStatus;

/**
 * The view of one relay for the console; implemented by the appliance.
 *
 * <p>The methods are called from event loops and from worker threads, about once a second per open page, so they must
 * be thread-safe, must not block, and must return in well under a millisecond. An exception is logged and shown as an
 * unready relay or an HTTP 500; it never ends the console.
 */
public interface RelayView {

    /**
     * The relay as it is now.
     *
     * @return an immutable copy; equal to the one before when nothing changed (an equal one is not sent again)
     */
    RelayStatus snapshot();

    /**
     * The counters and latencies of the relay since its start, for {@code /metrics}.
     *
     * @return an immutable copy
     */
    RelayMetrics metrics();

    /**
     * The newest events of the relay, oldest first.
     *
     * @param after the id of the last event that is known; 0 for all
     * @param limit only the newest so many of them
     */
    default List<RelayEvent> events(long after, int limit) {
        return List.of();
    }

    /**
     * Whether this relay takes new ranks and messages at the moment.
     *
     * @return ready, or the reasons why not
     */
    Readiness readiness();

    /**
     * Places the relay's work on threads in another way, while it runs.
     *
     * @return what came of it; fails with {@link IllegalArgumentException}, in one line, if the relay cannot work so
     */
    default Future<ModeReport> changeMode(ModeOrder order) {
        return Future.failedFuture(new IllegalArgumentException("this relay's mode cannot be changed"));
    }

    /**
     * Has other relays' lanes leave this one, or lets them come again.
     *
     * @return what came of it; fails with {@link IllegalArgumentException}, in one line, if the relay has no links, or is starting
     */
    default Future<DrainReport> drain(DrainOrder order) {
        return Future.failedFuture(new IllegalArgumentException("this relay leads no lanes on"));
    }

    /**
     * Has a node of this relay take no new job, or take jobs again.
     *
     * @return what came of it; fails with {@link IllegalArgumentException}, in one line, if the relay is starting
     */
    default Future<NodeDrainReport> drainNode(NodeDrainOrder order) {
        return Future.failedFuture(new IllegalArgumentException("this relay has no nodes"));
    }

    /**
     * Ends a job at this relay, whatever its launcher wants: its ranks and its launcher are told why, and what the log keeps for it goes. Once more it
     * does nothing.
     *
     * @return what came of it; fails with {@link IllegalArgumentException}, in one line, if that is no job's id, or the relay is starting
     */
    default Future<EndJobReport> endJob(EndJobOrder order) {
        return Future.failedFuture(new IllegalArgumentException("this relay ends no jobs"));
    }

    /**
     * Asks the ranks of a job, at home here, for checkpoints. The order for it was checked by the console that passes it on.
     *
     * @return what came of it; fails with {@link IllegalArgumentException}, in one line, if that is no job's id, or the relay is starting
     */
    default Future<CheckpointReport> checkpoint(String job) {
        return Future.failedFuture(new IllegalArgumentException("this relay asks for no checkpoints"));
    }

    /**
     * The deliveries to those ranks of a job that are at home here, by source and destination.
     *
     * @param job the job's id
     * @return of a job that has ended those until then, while there is room; empty if no such job is known here; fails with one line, if that is no
     *     job's id, or the relay is starting. Completes on any thread
     */
    default Future<List<PairTraffic>> traffic(String job) {
        return Future.succeededFuture(List.of());
    }

    /** The ranks of a job, at home here, that have been inside one call for seconds. @return as of {@link #traffic} */
    default Future<List<RankWait>> waits(String job) {
        return Future.succeededFuture(List.of());
    }

    /** What the ranks of a job, at home here, have done in each second of the last minutes. @return as of {@link #traffic} */
    default Future<JobActivity> activity(String job) {
        return Future.succeededFuture(new JobActivity(0, List.of()));
    }

    /**
     * Lines that ranks of a job, at home here, have printed. Whoever is shown them has proved that he may give orders.
     *
     * @return as of {@link #traffic}; also of a job that has ended and is still shown
     */
    default Future<JobOutput> output(OutputQuery query) {
        return Future.succeededFuture(new JobOutput(List.of(), 0, 0));
    }

    /**
     * The names of the grid, and who leads it, as this relay sees it.
     *
     * @param prefix names at and below it; empty for all
     * @param after only names behind this one; empty for all
     * @return fails with {@link IllegalArgumentException}, in one line, if one of them is no name. Completes on any thread
     */
    default Future<NamesStatus> names(String prefix, String after) {
        return Future.failedFuture(new IllegalArgumentException("this relay has no names"));
    }

    /**
     * Asks a relay that this one is linked with ({@link PeerQueries}). Messages do not wait for it.
     *
     * @return the answer; fails with one line, if the link is down, or the relay does not answer within seconds. Completes on any thread
     */
    default Future<byte[]> ask(String other, String query) {
        return Future.failedFuture(new IOException("this relay has no links"));
    }
}
