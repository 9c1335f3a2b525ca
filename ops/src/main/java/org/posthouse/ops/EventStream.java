package org.posthouse.ops;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.posthouse.status.RelayEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live stream: sends every open page a whole overview when something changed since the page's last one, and from time
 * to time otherwise an event that says that it is there: pages see no comments. Confined to the console's event loop;
 * the two counts may be read by any thread.
 *
 * <p>Bound: a page whose socket is full is skipped, not queued for, and gets the newest overview once it reads again.
 * So a page holds at most the response's write mark (64 KiB) and one overview. A rank is 250 bytes of it; those of jobs
 * that have ended are a thousand for each relay, and those of the last of them. So {@link #CLIENTS_MAX} pages of a relay
 * with a job of a thousand ranks, after another one, hold under 16 × 800 KiB = 13 MiB. A page that does not read for
 * {@link #STALLED_TICKS_MAX} ticks is cut off; a browser comes back by itself.
 */
final class EventStream {

    /** Streams open at once; the next one gets 503. */
    static final int CLIENTS_MAX = 16;

    /** Ticks without a change after which a sign of life is sent; at one tick a second far below the idle timeout. */
    static final int QUIET_TICKS_MAX = 5;

    /** Ticks without reading after which a page is cut off. */
    static final int STALLED_TICKS_MAX = 30;

    /** Events with which a stream begins that does not go on from an earlier one. */
    private static final int EVENTS_FIRST = 200;

    private static final Pattern EVENT_ID = Pattern.compile("\\d{1,18}");
    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);
    private static final Buffer HEARTBEAT = Buffer.buffer("event: quiet\ndata: {}\n\n");
    private static final String RETRY_FIELD = "retry: 2000\n\n";

    private final Supplier<Overview> overviews;
    private final EventBoard events;
    private final Set<Client> clients = new HashSet<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong skipped = new AtomicLong();
    private boolean viewFailing;

    /** One open page. */
    private static final class Client {
        final HttpServerResponse response;
        Overview seen;

        /** The console's number of the last event that was sent. */
        long seenEvent;

        int quietTicks;
        int stalledTicks;

        Client(HttpServerResponse response) {
            this.response = response;
        }
    }

    /** @param overviews called at each beat while a stream is open; what it throws is logged */
    EventStream(Supplier<Overview> overviews, EventBoard events) {
        this.overviews = overviews;
        this.events = events;
    }

    /** Pages connected now. */
    int openClients() {
        return open.get();
    }

    /** Overviews not sent because a page did not read, since start. */
    long skippedEvents() {
        return skipped.get();
    }

    /** Opens a stream with the overview of now, or answers 503 when {@link #CLIENTS_MAX} are open. @return whether it is open */
    boolean accept(RoutingContext ctx) {
        if (clients.size() >= CLIENTS_MAX) {
            Responses.error(ctx, 503, CLIENTS_MAX + " live streams are open, the limit; close another console page");
            return false;
        }
        Overview overview = overviews.get();
        HttpServerResponse response = ctx.response();
        Client client = new Client(response);
        add(client);
        response.setChunked(true).putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream; charset=utf-8");
        response.write(RETRY_FIELD);
        response.write(event(overview));
        client.seen = overview;
        client.seenEvent = lastEventId(ctx);
        sendEvents(client, EVENTS_FIRST);
        return true;
    }

    /** A browser that comes back says which event it has had last; 0 if it says nothing that could be one. */
    private static long lastEventId(RoutingContext ctx) {
        String said = ctx.request().getHeader("Last-Event-ID");
        return said != null && EVENT_ID.matcher(said).matches() ? Long.parseLong(said) : 0;
    }

    private boolean sendEvents(Client client, int limit) {
        List<RelayEvent> news = events.after(client.seenEvent, limit, "", "");
        if (news.isEmpty()) {
            return false;
        }
        client.seenEvent = news.getLast().id();
        client.response.write(Buffer.buffer("event: log\nid: " + client.seenEvent + "\ndata: ").appendBuffer(OpsJson.events(news)).appendString("\n\n"));
        return true;
    }

    /** One beat, about once a second. */
    void tick() {
        if (clients.isEmpty()) {
            return;
        }
        Overview overview = tryOverview();
        Buffer event = null;
        for (Client client : new ArrayList<>(clients)) {
            if (client.response.writeQueueFull()) {
                skip(client);
            } else if (sendEvents(client, EventBoard.EVENTS_MAX) && (overview == null || overview.equals(client.seen))) {
                client.quietTicks = 0;
            } else if (overview == null || overview.equals(client.seen)) {
                beQuiet(client);
            } else {
                event = event == null ? event(overview) : event;
                send(client, overview, event);
            }
        }
    }

    /** Ends all streams. */
    void close() {
        for (Client client : new ArrayList<>(clients)) {
            remove(client);
            client.response.end();
        }
    }

    private void send(Client client, Overview overview, Buffer event) {
        client.stalledTicks = 0;
        client.quietTicks = 0;
        client.seen = overview;
        client.response.write(event);
    }

    private void beQuiet(Client client) {
        client.stalledTicks = 0;
        if (++client.quietTicks >= QUIET_TICKS_MAX) {
            client.quietTicks = 0;
            client.response.write(HEARTBEAT);
        }
    }

    private void skip(Client client) {
        skipped.incrementAndGet();
        if (++client.stalledTicks >= STALLED_TICKS_MAX) {
            LOG.info("a console page has read nothing for {} beats; its live stream is cut off", STALLED_TICKS_MAX);
            remove(client);
            client.response.reset();
        }
    }

    private void add(Client client) {
        clients.add(client);
        open.set(clients.size());
        client.response.closeHandler(closed -> remove(client));
        client.response.exceptionHandler(e -> {
            LOG.debug("a console page went away: {}", e.toString());
            remove(client);
        });
    }

    private void remove(Client client) {
        clients.remove(client);
        open.set(clients.size());
    }

    /** Null when a relay's view failed; logged when that begins, not on every beat. */
    private Overview tryOverview() {
        try {
            Overview overview = overviews.get();
            viewFailing = false;
            return overview;
        } catch (RuntimeException e) {
            if (!viewFailing) {
                LOG.warn("a relay's view failed; open console pages stay as they are until it answers again", e);
            }
            viewFailing = true;
            return null;
        }
    }

    private static Buffer event(Overview overview) {
        return Buffer.buffer("event: overview\ndata: ")
                .appendBuffer(OpsJson.overview(overview, System.currentTimeMillis()))
                .appendString("\n\n");
    }
}
