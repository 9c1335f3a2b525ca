package org.posthouse.relay.log;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.posthouse.core.Job;
import org.posthouse.logstore.HistoryIndexEntry;
import org.posthouse.logstore.InitHistory;
import org.posthouse.logstore.JobState;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.PayloadReader;
import org.posthouse.logstore.RankLog;
import org.posthouse.logstore.RecordCursor;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.image.ImageStore;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.wire.Durability;

/**
 * The points from which the ranks of logged jobs can be restarted, according to the relay's log and the images beside
 * it. Thread-safe: it reads the log's book under the monitor that appenders share.
 */
public final class RestartPoints {
    /** The monitor of all users of the log. */
    private final Object turn;

    private final MessageLog log;
    private final ImageStore images;
    private final LogSyncWaiter disk;
    private final LongPredicate broken;

    /** Readers of the prologues of ranks that were started from an image, by job and rank. Guarded by {@link #turn}. */
    private final Map<Long, Map<Integer, PayloadReader>> prologues = new HashMap<>();

    /** What followers need of the log. Guarded by {@link #turn}. */
    private final FollowerPins followerPins;

    /** Why the last image of a rank was not kept, by job and rank. Guarded by {@link #turn}. */
    private final Map<Long, Map<Integer, String>> unsaved = new HashMap<>();

    /**
     * @param disk syncs the log before anything is deleted
     * @param broken whether a job is no longer logged
     */
    RestartPoints(Object turn, MessageLog log, ImageStore images, LogSyncWaiter disk, LongPredicate broken) {
        this.turn = turn;
        this.followerPins = new FollowerPins(turn);
        this.log = log;
        this.images = images;
        this.disk = disk;
        this.broken = broken;
    }

    /** The store of the ranks' images. */
    public ImageStore images() {
        return images;
    }

    /** The points from which a rank can be restarted. */
    public RestartChoice choice(long job, int rank) {
        synchronized (turn) {
            RankLog history = log.book().rank(job, rank);
            List<RestartChoice.Point> points = history == null ? List.of() : checkpoints(history);
            Optional<HistoryIndexEntry> beginning = history == null ? Optional.empty() : history.beginning();
            log.handOver();
            Optional<Checkpoint> prologue = history == null ? Optional.empty() : history.prologue();
            return new RestartChoice(this, job, rank, points, prologue, beginning, history == null ? 0 : history.limit());
        }
    }

    /** The history of a rank's process behind the given numbers of deliveries and events. Blocks. */
    public RankHistoryReader behind(long job, int rank, long deliveries, long events) {
        HistoryIndexEntry from = milestone(job, rank, deliveries, events)
                .orElseThrow(() -> unreachable("the log does not reach back to what rank " + rank + " knows"));
        return new RankHistoryReader(history(job, rank, from), from.polls(), null);
    }

    /**
     * The history of a rank for a process that follows it, from the rank's beginning or behind what the process knows. It never begins at
     * an image, and logs nothing. Blocks.
     *
     * @param started whether the process has just started and knows nothing
     * @throws LogException if the log does not reach back that far, or the rank did what cannot be replayed
     */
    public FollowerHistory forFollower(long job, int rank, boolean started, long deliveries, long events) {
        HistoryIndexEntry from;
        FollowerPins.Pin pin;
        synchronized (turn) {
            RankLog history = log.book().rank(job, rank);
            log.handOver();
            Optional<HistoryIndexEntry> first = history == null
                    ? Optional.empty()
                    : started ? history.beginning() : history.milestone(deliveries, events);
            from = first.orElseThrow(() -> cannotFollow(rank, "it does not reach back to " + (started
                    ? "the beginning of rank " + rank + ", which checkpoints have cut"
                    : "what the follower of rank " + rank + " knows")));
            if (history.limit() > 0) {
                throw cannotFollow(rank, "rank " + rank + " did what cannot be replayed");
            }
            pin = followerPins.add(job, rank, started ? from.position() : history.pin());
        }
        return new FollowerHistory(new RankHistoryReader(history(job, rank, from), from.polls(), null), pin);
    }

    private LogException cannotFollow(int rank, String why) {
        return new LogException(log.folder(), why, "rank " + rank + " goes on with the processes that it has");
    }

    /** The position of the oldest record that a rank's followers need, if that is below the rank's own need; else that. */
    long withFollowers(long job, int rank, long need) {
        assert Thread.holdsLock(turn);
        return followerPins.limit(job, rank, need, log.position());
    }

    private Optional<HistoryIndexEntry> milestone(long job, int rank, long deliveries, long events) {
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
    public long nextImage(long job, int rank) {
        synchronized (turn) {
            RankLog history = log.book().rank(job, rank);
            log.handOver();
            return 1 + (history == null ? 0 : history.checkpoint().map(Checkpoint::number).orElse(0L));
        }
    }

    /** Copies the rank's prologue beside its images, so that the beginning of the log may be cut. Blocks. */
    public void keepPrologue(long job, int rank) {
        Optional<HistoryIndexEntry> beginning = choice(job, rank).beginning();
        if (beginning.isPresent()) {
            if (nextImage(job, rank) == 1) {
                InitHistory.forget(images, job, rank); // That copy is of records that the log has lost since, in a power cut.
            }
            try (LogCursor history = history(job, rank, beginning.get())) {
                InitHistory.write(images, job, rank, history);
            }
        }
    }

    /** Reads a rank's prologue. Blocks. */
    LogCursor prologue(long job, int rank) {
        LogCursor prologue = InitHistory.read(images, job, rank);
        synchronized (turn) {
            prologues.computeIfAbsent(job, none -> new HashMap<>())
                    .computeIfAbsent(rank, none -> InitHistory.payloads(images, job, rank));
        }
        return prologue;
    }

    /** The payload reader of a prologue that was read before. Called under the monitor. */
    PayloadReader payloads(long job, int rank) {
        assert Thread.holdsLock(turn);
        return prologues.get(job).get(rank);
    }

    /** Records that the rank's image was not kept; the log keeps what the rank needs. */
    public void failed(long job, int rank, String why) {
        synchronized (turn) {
            if (log.book().job(job) != null) {
                unsaved.computeIfAbsent(job, none -> new HashMap<>()).put(rank, why);
            }
            log.handOver();
        }
    }

    /** Clears that record: the rank's image is kept, or the rank is done and needs none. */
    public void needsNone(long job, int rank) {
        synchronized (turn) {
            unsaved.computeIfPresent(job, (id, ranks) -> ranks.remove(rank) != null && ranks.isEmpty() ? null : ranks);
        }
    }

    /** A rank whose last image was not kept, and why, in words; empty if all were kept. */
    Optional<String> unsaved() {
        synchronized (turn) {
            return unsaved.entrySet().stream()
                    .flatMap(job -> job.getValue().entrySet().stream()
                            .map(rank -> "no checkpoint of rank " + rank.getKey() + " of job " + Job.hexId(job.getKey()) + ": " + rank.getValue()))
                    .findFirst();
        }
    }

    /** Deletes images of a rank that are no longer needed. Blocks. */
    public void tidy(long job, int rank) {
        List<Checkpoint> wanted = choice(job, rank).images().stream().map(RestartChoice.Point::checkpoint).toList();
        if (!wanted.isEmpty() && mayDelete()) {
            images.keep(job, rank, wanted);
        }
    }

    /**
     * Whether data may be deleted that the log, as it is now, makes superfluous. Blocks.
     *
     * <p>If a job has durability {@code host}, the log must be synced first. Otherwise, after a power cut, neither the
     * new image's record nor the data that it replaces would exist. If such a job has ended, its end must be synced,
     * because without that record its data are still needed.
     *
     * <p>If the disk has failed, deletion is allowed when no such job is open. Those jobs were notified of the failure,
     * and their data would fill the log of the others.
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

    /** An exception for a rank whose history cannot be read. */
    LogException unreachable(String why) {
        return log.missing(why);
    }

    /**
     * Logs the image from which a process continues, or that it starts from none. The record precedes all effects of
     * the process. The log then keeps what the image needs, in this process of the relay and the next one. Blocks.
     *
     * @param pin position of the oldest record that the image needs
     * @param newest whether it is the rank's newest image; then nothing depends on the record
     * @throws LogException if the log was cut behind the pin before, which is possible if the newest image is not
     *         chosen; or if the choice cannot be logged
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

    /**
     * Forgets a job that has ended. The caller deletes its images, if they may be deleted. Called under the monitor.
     */
    void forget(long job) {
        assert Thread.holdsLock(turn);
        unsaved.remove(job);
        Map<Integer, PayloadReader> read = prologues.remove(job);
        if (read != null) {
            read.values().forEach(PayloadReader::close);
        }
    }

    /**
     * Reads what a rank has sent to the mailboxes of this relay, from the beginning of its job or of the log. Empty if
     * the job has ended.
     */
    public Optional<RecordCursor> sent(long job, int source) {
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
    LogCursor history(long job, int rank, HistoryIndexEntry beginning) {
        return log.rankCursor(job, rank, beginning);
    }
}
