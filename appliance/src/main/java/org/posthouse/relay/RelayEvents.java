package org.posthouse.relay;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.posthouse.core.Job;
import org.posthouse.status.RelayEvent;
import org.posthouse.wire.JobEvent;

/**
 * The newest events of the relay, for the console. Thread-safe: the relay's strand writes, consoles read.
 *
 * <p>Bound: {@value #EVENTS_MAX} events, and apart from them the newest {@value #CHECKPOINTS_MAX} checkpoints, which would
 * displace all else. Each has a text of {@value #TEXT_CHARS_MAX} characters at most: 2 MiB in all.
 */
final class RelayEvents {
    static final int EVENTS_MAX = 2_000;
    static final int CHECKPOINTS_MAX = 200;
    private static final int TEXT_CHARS_MAX = 400;
    private static final String CHECKPOINT = "CHECKPOINT";

    /** Kinds of a job's events, by their number on the wire. Others are for the launcher only, or have another source. */
    private static final Map<Integer, String> KINDS = Map.ofEntries(
            Map.entry(JobEvent.CONNECTED, "RANK_CONNECTED"),
            Map.entry(JobEvent.FINALIZED, "RANK_FINALIZED"),
            Map.entry(JobEvent.ABORTED, "JOB_ABORTED"),
            Map.entry(JobEvent.LOST, "RANK_LOST"),
            Map.entry(JobEvent.AWAY, "RANK_LOST"),
            Map.entry(JobEvent.REFUSED, "RANK_REFUSED"),
            Map.entry(JobEvent.REPLAYING, "RANK_RESTARTED"),
            Map.entry(JobEvent.CAUGHT_UP, "RANK_CAUGHT_UP"),
            Map.entry(JobEvent.DIVERGED, "RANK_DIVERGED"),
            Map.entry(JobEvent.CHECKPOINTED, CHECKPOINT),
            Map.entry(JobEvent.LIMITED, "RANK_LIMITED"),
            Map.entry(JobEvent.FOLLOWS, "RANK_FOLLOWED"),
            Map.entry(JobEvent.FOLLOWER_LOST, "FOLLOWER_LOST"),
            Map.entry(JobEvent.PROMOTED, "RANK_PROMOTED"),
            Map.entry(JobEvent.LOG_STATE, "LOG_STATE"));

    /** An id is the start of the relay in microseconds, and up. */
    private static final long IDS_PER_MS = 1_000;

    private final String relay;
    private final LongSupplier clockMs;
    private final ArrayDeque<RelayEvent> events = new ArrayDeque<>();
    private final ArrayDeque<RelayEvent> checkpoints = new ArrayDeque<>();
    private long lastId;

    /** @param clockMs milliseconds since 1970 UTC */
    RelayEvents(String relay, LongSupplier clockMs) {
        this.relay = relay;
        this.clockMs = clockMs;
        this.lastId = TimeUnit.MILLISECONDS.toMicros(clockMs.getAsLong());
    }

    /** Adds an event that is about no job. */
    void add(String kind, String text) {
        add(kind, "", -1, text);
    }

    /** Adds an event of a job, or of one of its ranks. @param rank -1 if it is about the whole job */
    synchronized void add(String kind, String job, int rank, String text) {
        String line = text.length() > TEXT_CHARS_MAX ? text.substring(0, TEXT_CHARS_MAX - 1) + "…" : text;
        RelayEvent event = new RelayEvent(++lastId, clockMs.getAsLong(), relay, kind, job, rank, line);
        if (kind.equals(CHECKPOINT)) {
            add(checkpoints, event, CHECKPOINTS_MAX);
        } else {
            add(events, event, EVENTS_MAX);
        }
    }

    private static void add(ArrayDeque<RelayEvent> to, RelayEvent event, int most) {
        if (to.size() == most) {
            to.removeFirst();
        }
        to.addLast(event);
    }

    /** Adds an event that a job's launcher is told, if operators are to know it too. @param name of the job */
    void add(JobEvent event, String name) {
        String kind = KINDS.get(event.kind());
        if (kind != null) {
            String what = event.rank() < 0 ? name : "rank " + event.rank() + " of " + name;
            add(kind, Job.hexId(event.job()), event.rank(), what + " " + words(event));
        }
    }

    private static String words(JobEvent event) {
        String text = event.text().isEmpty() ? "" : ": " + event.text();
        return switch (event.kind()) {
            case JobEvent.CONNECTED -> "is connected";
            case JobEvent.FINALIZED -> "has called Finalize";
            case JobEvent.ABORTED -> "is aborted with status " + event.code() + text;
            case JobEvent.LOST -> "is lost" + text;
            case JobEvent.AWAY -> "is away, and is awaited" + text;
            case JobEvent.REFUSED -> "was refused" + text;
            case JobEvent.REPLAYING -> "is started again, and " + event.a() + " deliveries are replayed";
            case JobEvent.CAUGHT_UP -> "has caught up";
            case JobEvent.FOLLOWS -> "is followed by process " + event.code();
            case JobEvent.FOLLOWER_LOST -> "is not followed any more by process " + event.code() + text;
            case JobEvent.PROMOTED ->
                    "is led by process " + event.code() + ", incarnation " + event.a() + " from now on, " + event.b() + " observations behind";
            case JobEvent.CHECKPOINTED -> "has a checkpoint";
            default -> text.isEmpty() ? "" : event.text();
        };
    }

    /** The events after the one with this id, oldest first. @param limit the newest so many of them */
    synchronized List<RelayEvent> after(long id, int limit) {
        List<RelayEvent> found = Stream.concat(events.stream(), checkpoints.stream())
                .filter(event -> event.id() > id)
                .sorted(Comparator.comparingLong(RelayEvent::id))
                .toList();
        return found.subList(Math.max(0, found.size() - limit), found.size());
    }
}
