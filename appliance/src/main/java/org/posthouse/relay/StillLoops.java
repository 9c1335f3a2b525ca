package org.posthouse.relay;

import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells people of threads of a Vert.x that do not come back for seconds: in one line, and no further one for a minute; with INFO of
 * each of them, once a second, and where it is. Vert.x calls it on a thread of its own, one call at a time.
 */
final class StillLoops {
    private static final Logger LOG = LoggerFactory.getLogger(StillLoops.class);

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private boolean told;

    /** When it was last told, if it was. */
    private long toldNanos;

    /** Has it tell of that Vert.x, in place of what Vert.x says itself. */
    static Vertx watch(Vertx vertx) {
        StillLoops watch = new StillLoops();
        ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(watch::onStill);
        return vertx;
    }

    private void onStill(BlockedThreadEvent event) {
        if (LOG.isInfoEnabled()) {
            VertxException where = new VertxException("Thread blocked");
            where.setStackTrace(event.thread().getStackTrace());
            LOG.warn(text(event), where);
        } else {
            line(event, System.nanoTime()).ifPresent(LOG::warn);
        }
    }

    /** What is to be said now. */
    Optional<String> line(BlockedThreadEvent event, long nanos) {
        if (told && nanos - toldNanos < QUIET_NANOS) {
            return Optional.empty();
        }
        told = true;
        toldNanos = nanos;
        return Optional.of(text(event) + " (-Dposthouse.log=INFO in JAVA_TOOL_OPTIONS shows where)");
    }

    private static String text(BlockedThreadEvent event) {
        return event.thread().getName() + " stands still for " + TimeUnit.NANOSECONDS.toSeconds(event.duration())
                + " s: this host is too busy, or a disk does not answer";
    }
}
