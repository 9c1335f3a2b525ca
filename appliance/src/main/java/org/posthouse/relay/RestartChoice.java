package org.posthouse.relay;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.posthouse.core.Job;
import org.posthouse.logstore.Checkpoint;
import org.posthouse.logstore.Image;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.LogException;
import org.posthouse.logstore.Milestone;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From where a rank can be started again: its images, the newest first, then its beginning. What of it is sound is found
 * out when it is opened, on the thread that reads histories. Immutable.
 *
 * @param images those from which the log goes on
 * @param prologue where the rank has asked whether it is restored
 * @param beginning the rank's first record; empty if the log does not reach back to it
 * @param limit number of the last event with which the rank has said that a replay is not promised, 0 if it has not: what that means for
 *     the newest image its launcher knows, and for an older one nobody
 */
record RestartChoice(
        RestartPoints points,
        long job,
        int rank,
        List<Point> images,
        Optional<Checkpoint> prologue,
        Optional<Milestone> beginning,
        long limit) {
    private static final Logger LOG = LoggerFactory.getLogger(RestartChoice.class);

    /** An image, and the record behind it. */
    record Point(Checkpoint checkpoint, Milestone behind) {}

    /** Where a history jumps to at the end of its prologue. */
    record Jump(Image image, LogCursor behind, long pollsBefore) {}

    /** Whether a process of which so much is known is in its prologue, at the end of which it goes on at an image. */
    boolean isBefore(long deliveries, long events) {
        return !images.isEmpty()
                && prologue.filter(end -> deliveries <= end.deliveries() && events <= end.events()).isPresent();
    }

    /**
     * The best of what is sound, for this process. Which that is the log says before anybody else knows.
     *
     * @throws LogException if nothing is: it names what was tried, and what is wrong with each
     */
    LoggedHistory open(int incarnation) {
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

    private LoggedHistory from(Point point, int incarnation) {
        Checkpoint checkpoint = point.checkpoint();
        requireReplay(checkpoint.events(), point == images.getFirst());
        Image image = points.images().open(job, rank, checkpoint);
        try {
            LogCursor prologue = points.prologue(job, rank);
            points.chosen(job, rank, incarnation, checkpoint.number(), checkpoint.pin(), point == images.getFirst());
            return new LoggedHistory(prologue, 0, new Jump(image, points.history(job, rank, point.behind()), point.behind().polls()));
        } catch (LogException e) {
            image.close();
            throw e;
        }
    }

    private LoggedHistory fromBeginning(int incarnation) {
        Milestone from = beginning.orElseThrow(() -> points.unreachable("the log does not reach back to it"));
        requireReplay(0, images.isEmpty());
        points.chosen(job, rank, incarnation, 0, from.position(), images.isEmpty());
        return new LoggedHistory(points.history(job, rank, from), from.polls(), null);
    }

    private void requireReplay(long events, boolean newest) {
        if (!newest && limit > events) {
            throw points.unreachable("behind it the rank did what cannot be replayed");
        }
    }
}
