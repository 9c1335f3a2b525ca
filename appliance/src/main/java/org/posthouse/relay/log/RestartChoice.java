package org.posthouse.relay.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.posthouse.core.Job;
import org.posthouse.logstore.HistoryIndexEntry;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.image.Image;
import org.posthouse.logstore.record.Checkpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The points from which a rank can be restarted: its images, the newest first, then its beginning. Whether they are
 * intact is found out when one is opened, on the thread that reads histories. Immutable.
 *
 * @param images images whose following records the log still has
 * @param prologue the point at which the rank asked whether it is restored
 * @param beginning the rank's first record; empty if the log does not reach back to it
 * @param limit number of the last event for which the rank declared that replay is not guaranteed, 0 if there is none.
 *         For the newest image the launcher knows what this means; for an older one nobody does.
 */
public record RestartChoice(
        RestartPoints points,
        long job,
        int rank,
        List<Point> images,
        Optional<Checkpoint> prologue,
        Optional<HistoryIndexEntry> beginning,
        long limit) {
    private static final Logger LOG = LoggerFactory.getLogger(RestartChoice.class);

    /** An image, and the record behind it. */
    record Point(Checkpoint checkpoint, HistoryIndexEntry behind) {}

    /** The image and log position at which a history continues after its prologue. */
    record Jump(Image image, LogCursor behind, long pollsBefore) {}

    /** Whether a process that has reached these counts is still in its prologue, and will continue at an image. */
    public boolean isBefore(long deliveries, long events) {
        return !images.isEmpty()
                && prologue.filter(end -> deliveries <= end.deliveries() && events <= end.events()).isPresent();
    }

    /**
     * Opens the newest point that is intact, for this process. The choice is logged before anybody else learns of it.
     *
     * @throws LogException if none is intact; the message names each point and its fault
     */
    public RankHistoryReader open(int incarnation) {
        List<String> refused = new ArrayList<>();
        for (Point point : images) {
            try {
                return from(point, incarnation);
            } catch (LogException e) {
                long number = point.checkpoint().number();
                LOG.error("rank {} of job {} cannot be started from its image {}: what is older is tried", rank, Job.hexId(job), number, e);
                refused.add("image " + number + ": " + e.getMessage());
            }
        }
        try {
            return fromBeginning(incarnation);
        } catch (LogException e) {
            if (refused.isEmpty()) {
                throw e;
            }
            refused.add("its beginning: " + e.getMessage());
            throw points.unreachable("nothing is left to start rank " + rank + " from: " + String.join("; ", refused));
        }
    }

    private RankHistoryReader from(Point point, int incarnation) {
        Checkpoint checkpoint = point.checkpoint();
        requireReplay(checkpoint.events(), point == images.getFirst());
        Image image = points.images().open(job, rank, checkpoint);
        try {
            LogCursor prologue = points.prologue(job, rank);
            points.chosen(job, rank, incarnation, checkpoint.number(), checkpoint.pin(), point == images.getFirst());
            return new RankHistoryReader(prologue, 0, new Jump(image, points.history(job, rank, point.behind()), point.behind().polls()));
        } catch (LogException e) {
            image.close();
            throw e;
        }
    }

    private RankHistoryReader fromBeginning(int incarnation) {
        HistoryIndexEntry from = beginning.orElseThrow(() -> points.unreachable("the log does not reach back to it"));
        requireReplay(0, images.isEmpty());
        points.chosen(job, rank, incarnation, 0, from.position(), images.isEmpty());
        return new RankHistoryReader(points.history(job, rank, from), from.polls(), null);
    }

    private void requireReplay(long events, boolean newest) {
        if (!newest && limit > events) {
            throw points.unreachable("behind it the rank did what cannot be replayed");
        }
    }
}
