package org.posthouse.relay.threads;

import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs threads of a Vert.x instance that have been blocked for seconds, in one line, at most once a minute or once in
 * all. At level INFO it also logs each of them, once a second, with its stack. Time in which the whole process was
 * stopped, by Ctrl-Z or because its host slept, does not count. Vert.x calls it on a thread of its own, one call at a
 * time.
 */
public final class BlockedThreadReporter {
    private static final Logger LOG = LoggerFactory.getLogger(BlockedThreadReporter.class);

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * Vert.x checks once a second. If a thread's blocked time has grown by more than this since the last check, Vert.x
     * itself did not run, so the whole process was stopped.
     */
    private static final long UNSEEN_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    /**
     * The time for which a thread was blocked at the last check, and the part of it in which the process was stopped.
     */
    private record Look(long nanos, long unseenNanos) {}

    private final long quietNanos;
    private final Map<String, Look> last = new HashMap<>();
    private boolean told;

    /** When the last line was written, if there was one. */
    private long toldNanos;

    private BlockedThreadReporter(long quietNanos) {
        this.quietNanos = quietNanos;
    }

    /** Repeats the line after a minute at the earliest. */
    BlockedThreadReporter() {
        this(QUIET_NANOS);
    }

    /** Writes one line in all. */
    static BlockedThreadReporter once() {
        return new BlockedThreadReporter(Long.MAX_VALUE);
    }

    /** Watches the Vert.x instance of a relay's process, in place of Vert.x's own messages. */
    public static Vertx watch(Vertx vertx) {
        return new BlockedThreadReporter().watch(vertx, LOG::warn);
    }

    /** Watches the Vert.x instance of a command with people in front of it: one line in all, on standard error. */
    public static Vertx watchOfCommand(Vertx vertx) {
        return once().watch(vertx, line -> System.err.println("posthouse: " + line));
    }

    private Vertx watch(Vertx vertx, Consumer<String> tell) {
        ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(event -> onStill(event, tell));
        return vertx;
    }

    private void onStill(BlockedThreadEvent event, Consumer<String> tell) {
        if (LOG.isInfoEnabled()) {
            VertxException where = new VertxException("Thread blocked");
            where.setStackTrace(event.thread().getStackTrace());
            LOG.warn(text(event.thread().getName(), event.duration()), where);
        } else {
            line(event, System.nanoTime()).ifPresent(tell);
        }
    }

    /** The line to write now, if any. */
    Optional<String> line(BlockedThreadEvent event, long nanos) {
        long stillNanos = seenNanos(event);
        if (stillNanos < event.maxExecTime() || told && nanos - toldNanos < quietNanos) {
            return Optional.empty();
        }
        told = true;
        toldNanos = nanos;
        return Optional.of(text(event.thread().getName(), stillNanos) + " (-Dposthouse.log=INFO in JAVA_TOOL_OPTIONS shows where)");
    }

    /** Nanoseconds that the thread has been blocked while this process ran. */
    private long seenNanos(BlockedThreadEvent event) {
        Look before = last.get(event.thread().getName());
        if (before == null || before.nanos() > event.duration()) {
            before = new Look(0, 0);
        }
        long sinceNanos = event.duration() - before.nanos();
        Look look = new Look(event.duration(), before.unseenNanos() + (sinceNanos > UNSEEN_NANOS_MAX ? sinceNanos : 0));
        last.put(event.thread().getName(), look);
        return look.nanos() - look.unseenNanos();
    }

    private static String text(String thread, long nanos) {
        return thread + " stands still for " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s: this host is too busy, or a disk does not answer";
    }
}
