package org.posthouse.ops;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The console's open connections, no more than a limit, so that whoever fills it keeps nobody out: a new connection takes the place of the one
 * that has not asked for the longest time. A supervisor that connects and asks for /healthz is answered, whoever holds all the others.
 * Confined to the console's event loop; the counts may be read by any thread.
 *
 * <p>Kept are live streams and orders that are carried out: the first are bounded by {@link EventStream#CLIENTS_MAX}, the second are
 * given by who has proved that he may. A request counts when its head has come: one that is sent byte by byte does not.
 */
final class ConsoleConnections {
    /** Milliseconds that a new connection may take for its first request's head. */
    static final int FIRST_REQUEST_MS = 10_000;

    private final Vertx vertx;
    private final int most;
    private final int firstRequestMs;

    /** The one that has not asked for the longest time first; the value is the timer of the first request, or null. */
    private final Map<HttpConnection, Long> idle = new LinkedHashMap<>();

    private final Set<HttpConnection> held = new HashSet<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong displaced = new AtomicLong();

    ConsoleConnections(Vertx vertx, int most, int firstRequestMs) {
        this.vertx = vertx;
        this.most = most;
        this.firstRequestMs = firstRequestMs;
    }

    void admit(HttpConnection connection) {
        connection.closeHandler(closed -> ended(connection));
        if (idle.size() + held.size() >= most) {
            displaceOldest();
        }
        idle.put(connection, vertx.setTimer(firstRequestMs, late -> connection.close()));
        count();
    }

    /** A request's head has come over it. */
    void asked(HttpConnection connection) {
        if (idle.containsKey(connection)) {
            cancel(idle.remove(connection));
            idle.put(connection, null);
        }
    }

    /** It makes no room for others, until it ends or is released. */
    void hold(HttpConnection connection) {
        if (idle.containsKey(connection)) {
            cancel(idle.remove(connection));
            held.add(connection);
        }
    }

    void release(HttpConnection connection) {
        if (held.remove(connection)) {
            idle.put(connection, null);
        }
    }

    /** Connections open now. */
    AtomicInteger open() {
        return open;
    }

    /** Connections that were closed to make room, since the start. */
    AtomicLong displaced() {
        return displaced;
    }

    private void displaceOldest() {
        Iterator<HttpConnection> oldest = idle.keySet().iterator();
        if (oldest.hasNext()) {
            HttpConnection connection = oldest.next();
            displaced.incrementAndGet();
            ended(connection);
            connection.close();
        }
    }

    private void ended(HttpConnection connection) {
        cancel(idle.remove(connection));
        held.remove(connection);
        count();
    }

    private void cancel(Long timer) {
        if (timer != null) {
            vertx.cancelTimer(timer);
        }
    }

    private void count() {
        open.set(idle.size() + held.size());
    }
}
