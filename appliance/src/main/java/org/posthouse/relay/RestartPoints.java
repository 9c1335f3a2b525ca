package org.posthouse.relay;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.posthouse.core.Job;
import org.posthouse.logstore.Checkpoint;
import org.posthouse.logstore.ImageStore;
import org.posthouse.logstore.JobState;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.LogException;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.Milestone;
import org.posthouse.logstore.PayloadReader;
import org.posthouse.logstore.Prologue;
import org.posthouse.logstore.RankLog;
import org.posthouse.logstore.RecordCursor;
import org.posthouse.wire.Durability;

/**
 * From where the ranks of the relay's jobs can be started again, by its one log and the images beside it. Thread-safe: what
 * it asks the log's book it asks under the monitor that appends take turns under.
 */
final class RestartPoints {
    /** The monitor that whoever uses the log holds. */
    private final Object turn;

    private final MessageLog log;
    private final ImageStore images;
    private final LogSafety disk;
    private final LongPredicate broken;

    /** Readers of prologues, by job and rank: of ranks that were started from an image. Guarded by {@link #turn}. */
    private final Map<Long, Map<Integer, PayloadReader>> prologues = new HashMap<>();

    /** Why the last image of a rank was not kept, by job and rank. Guarded by {@link #turn}. */
    private final Map<Long, Map<Integer, String>> unsaved = new HashMap<>();

    /**
     * @param disk what the log is to be on before anything goes
     * @param broken whether nothing more of a job is to be logged
     */
    RestartPoints(Object turn, MessageLog log, ImageStore images, LogSafety disk, LongPredicate broken) {
        this.turn = turn;
        this.log = log;
        this.images = images;
        this.disk = disk;
        this.broken = broken;
    }

    /** Where a rank's images are. */
    ImageStore images() {
        return images;
    }

    /** From where a rank can be started again. */
    RestartChoice choice(long job, int rank) {
        synchronized (turn) {
            RankLog history = log.book().rank(job, rank);
            List<RestartChoice.Point> points = history == null ? List.of() : checkpoints(history);
            Optional<Milestone> beginning = history == null ? Optional.empty() : history.beginning();
            log.handOver();
            Optional<Checkpoint> prologue = history == null ? Optional.empty() : history.prologue();
            return new RestartChoice(this, job, rank, points, prologue, beginning, history == null ? 0 : history.limit());
        }
    }

    /** What a rank's process has lived through since so much is known of it. Blocks. */
    LoggedHistory behind(long job, int rank, long deliveries, long events) {
        Milestone from = milestone(job, rank, deliveries, events)
                .orElseThrow(() -> unreachable("the log does not reach back to what rank " + rank + " knows"));
        return new LoggedHistory(history(job, rank, from), from.polls(), null);
    }

    private Optional<Milestone> milestone(long job, int rank, long deliveries, long events) {
        synchronized (turn) {
            RankLog history = log.book().rank(job, rank);
            log.handOver();
            return history == null ? Optional.empty() : history.milestone(deliveries, events);
        }
    }

    private static List<RestartChoice.Point> checkpoints(RankLog history) {
        return Stream.of(history.checkpoint(), history.olderCheckpoint())
                .flatMap(Optional::stream)
                .flatMap(checkpoint -> history.milestone(checkpoint.deliveries(), checkpoint.events())
                        .map(behind -> new RestartChoice.Point(checkpoint, behind))
                        .stream())
                .toList();
    }

    /** The number of a rank's next image. */
    long nextImage(long job, int rank) {
        synchronized (turn) {
            RankLog history = log.book().rank(job, rank);
            log.handOver();
            return 1 + (history == null ? 0 : history.checkpoint().map(Checkpoint::number).orElse(0L));
        }
    }

    /** Sees to it that the log's beginning is not needed for the rank's prologue. Blocks. */
    void keepPrologue(long job, int rank) {
        Optional<Milestone> beginning = choice(job, rank).beginning();
        if (beginning.isPresent()) {
            if (nextImage(job, rank) == 1) {
                Prologue.forget(images, job, rank); // It was copied from what the log has lost since, with its host's power.
            }
            try (LogCursor history = history(job, rank, beginning.get())) {
                Prologue.write(images, job, rank, history);
            }
        }
    }

    /** Reads a rank's prologue. Blocks. */
    LogCursor prologue(long job, int rank) {
        LogCursor prologue = Prologue.read(images, job, rank);
        synchronized (turn) {
            prologues.computeIfAbsent(job, none -> new HashMap<>())
                    .computeIfAbsent(rank, none -> Prologue.payloads(images, job, rank));
        }
        return prologue;
    }

    /** Reads payload of a prologue that was read before. Under the monitor. */
    PayloadReader payloads(long job, int rank) {
        assert Thread.holdsLock(turn);
        return prologues.get(job).get(rank);
    }

    /** The rank's image was not kept: what it needs of the log stays. */
    void failed(long job, int rank, String why) {
        synchronized (turn) {
            if (log.book().job(job) != null) {
                unsaved.computeIfAbsent(job, none -> new HashMap<>()).put(rank, why);
            }
            log.handOver();
        }
    }

    /** The rank's image is kept, or it is done, and none is needed. */
    void needsNone(long job, int rank) {
        synchronized (turn) {
            unsaved.computeIfPresent(job, (id, ranks) -> ranks.remove(rank) != null && ranks.isEmpty() ? null : ranks);
        }
    }

    /** Whose last images were not kept, and why, in words; empty if all were. */
    Optional<String> unsaved() {
        synchronized (turn) {
            return unsaved.entrySet().stream()
                    .flatMap(job -> job.getValue().entrySet().stream()
                            .map(rank -> "no checkpoint of rank " + rank.getKey() + " of job " + Job.hexId(job.getKey()) + ": " + rank.getValue()))
                    .findFirst();
        }
    }

    /** Deletes what of a rank's images is not needed any more. Blocks. */
    void tidy(long job, int rank) {
        List<Checkpoint> wanted = choice(job, rank).images().stream().map(RestartChoice.Point::checkpoint).toList();
        if (!wanted.isEmpty() && mayDelete()) {
            images.keep(job, rank, wanted);
        }
    }

    /**
     * Whether what the log as it is now makes superfluous may be deleted. If a job is to outlive the host, the log must be on the disk for
     * that: a host that loses its power would have neither the new image's record nor what it replaces. If one was to, its end must be: without that, what it
     * made superfluous is still needed. Not if the disk has failed: then that job was told, and the others would fill it. Blocks.
     */
    boolean mayDelete() {
        boolean outlivesHost;
        long position;
        synchronized (turn) {
            outlivesHost = log.book().jobs().stream().anyMatch(job -> job.durability() == Durability.HOST.code());
            position = outlivesHost ? log.position() : log.book().lastEnd(Durability.HOST.code());
            log.handOver();
        }
        return !outlivesHost && disk.hasFailed() || disk.await(position);
    }

    /** A rank whose history nobody can read. */
    LogException unreachable(String why) {
        return log.missing(why);
    }

    /**
     * A process goes on from this image, or from nothing: before anybody can know, the log has it, and what that needs is not cut, by
     * this relay or the one that comes after it. Blocks.
     *
     * @param pin position of the oldest record that this needs
     * @param newest whether that is the rank's newest image; then nothing depends on the record
     * @throws LogException if the log was cut behind the pin before, as it may be if the newest image is not chosen; or if the choice
     *     cannot be logged
     */
    void chosen(long job, int rank, int incarnation, long image, long pin, boolean newest) {
        synchronized (turn) {
            if (pin < log.firstPosition()) {
                throw unreachable("rank " + rank + " needs what is there from position " + pin + " on, and it was cut up to position "
                        + log.firstPosition() + " when there was a newer image");
            }
            if (!tryLog(new LogRecord.Incarnation(job, rank, incarnation, LogRecord.Incarnation.CHOSEN, image)) && !newest) {
                throw unreachable("the log takes no record of it, or its disk is full: it cannot be kept that rank " + rank + " goes on from image " + image);
            }
        }
    }

    private boolean tryLog(LogRecord.Incarnation chosen) {
        try {
            return !broken.test(chosen.job()) && log.append(chosen) != MessageLog.NO_ROOM;
        } finally {
            log.handOver();
        }
    }

    /** The job has ended; its images are the caller's to delete, if he may. Under the monitor. */
    void forget(long job) {
        assert Thread.holdsLock(turn);
        unsaved.remove(job);
        Map<Integer, PayloadReader> read = prologues.remove(job);
        if (read != null) {
            read.values().forEach(PayloadReader::close);
        }
    }

    /** Reads what a rank has sent to the mailboxes of this relay, from the beginning of its job or of the log on; empty if that has ended. */
    Optional<RecordCursor> sent(long job, int source) {
        synchronized (turn) {
            JobState opened = log.book().job(job);
            Optional<RecordCursor> sent = opened == null
                    ? Optional.empty()
                    : Optional.of(
                            opened.position() < log.firstPosition()
                                    ? log.sentCursor(job, source)
                                    : log.sentCursor(job, source, opened.position(), opened.place()));
            log.handOver();
            return sent;
        }
    }

    /** Reads a rank's history from {@code beginning} on. */
    LogCursor history(long job, int rank, Milestone beginning) {
        return log.rankCursor(job, rank, beginning);
    }
}
