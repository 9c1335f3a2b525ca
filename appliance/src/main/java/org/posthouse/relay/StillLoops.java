package org.posthouse.relay;

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
 * Tells people of threads of a Vert.x that do not come back for seconds: in one line, and no further one for a minute, or ever; with INFO of
 * each of them, once a second, and where it is. Time in which this process was stopped itself, by Ctrl-Z or as its host slept, does not count. Vert.x calls it on a
 * thread of its own, one call at a time.
 */
final class StillLoops {
    private static final Logger LOG = LoggerFactory.getLogger(StillLoops.class);

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Vert.x looks once a second. If a thread has stood still for longer than that since the last look, Vert.x has not looked: nobody has run here. */
    private static final long UNSEEN_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    /** How long a thread stood still at the last look, and how long of that nobody looked. */
    private record Look(long nanos, long unseenNanos) {}

    private final long quietNanos;
    private final Map<String, Look> last = new HashMap<>();
    private boolean told;

    /** When it was last told, if it was. */
    private long toldNanos;

    private StillLoops(long quietNanos) {
        this.quietNanos = quietNanos;
    }

    /** Says it again after a minute. */
    StillLoops() {
        this(QUIET_NANOS);
    }

    /** Says it once. */
    static StillLoops once() {
        return new StillLoops(Long.MAX_VALUE);
    }

    /** Has it tell of the Vert.x of a relay's process, in place of what Vert.x says itself. */
    static Vertx watch(Vertx vertx) {
        return new StillLoops().watch(vertx, LOG::warn);
    }

    /** The same of a command that has people in front of it: once, as a line of its own. */
    static Vertx watchOfCommand(Vertx vertx) {
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

    /** What is to be said now. */
    Optional<String> line(BlockedThreadEvent event, long nanos) {
        long stillNanos = seenNanos(event);
        if (stillNanos < event.maxExecTime() || told && nanos - toldNanos < quietNanos) {
            return Optional.empty();
        }
        told = true;
        toldNanos = nanos;
        return Optional.of(text(event.thread().getName(), stillNanos) + " (-Dposthouse.log=INFO in JAVA_TOOL_OPTIONS shows where)");
    }

    /** How long the thread has stood still while this process ran. */
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
