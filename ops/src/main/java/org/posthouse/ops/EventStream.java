package org.posthouse.ops;

import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
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
    private static final String HEARTBEAT = "event: quiet\ndata: {}\n\n";
    private static final String RETRY_FIELD = "retry: 2000\n\n";

    private final Supplier<Overview> overviews;
    private final EventBoard events;
    private final EventPacker packer = new EventPacker();
    private final Set<StreamClient> clients = new HashSet<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong skipped = new AtomicLong();
    private boolean viewFailing;

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

    /**
     * Opens a stream with the overview of now, or answers 503 when {@link #CLIENTS_MAX} are open.
     *
     * @param allowed asked at each beat: a stream whose session is over ends
     * @return whether it is open
     */
    boolean accept(RoutingContext ctx, BooleanSupplier allowed) {
        if (clients.size() >= CLIENTS_MAX) {
            Responses.error(ctx, 503, CLIENTS_MAX + " live streams are open, the limit; close another console page");
            return false;
        }
        Overview overview = overviews.get();
        StreamClient client = new StreamClient(ctx.request(), packer, allowed);
        add(client);
        client.begin();
        client.write(new StreamEvent(RETRY_FIELD));
        client.write(event(overview));
        client.seen = overview;
        client.seenEvent = lastEventId(ctx);
        sendEvents(client, client.seenEvent == 0 ? EVENTS_FIRST : EventBoard.EVENTS_MAX);
        return true;
    }

    /**
     * The event that a page that comes back has had last: of the header that a browser sends by itself, or of {@code after} in
     * the address, as a page that opens a stream anew cannot set headers. 0 if neither is one of this console's.
     */
    private long lastEventId(RoutingContext ctx) {
        String header = ctx.request().getHeader("Last-Event-ID");
        String said = header == null ? ctx.request().getParam("after") : header;
        long id = said != null && EVENT_ID.matcher(said).matches() ? Long.parseLong(said) : 0;
        return id > events.lastId() ? 0 : id;
    }

    private boolean sendEvents(StreamClient client, int limit) {
        List<RelayEvent> news = events.after(client.seenEvent, limit, "", "");
        if (news.isEmpty()) {
            return false;
        }
        client.seenEvent = news.getLast().id();
        client.write(new StreamEvent(
                Buffer.buffer("event: log\nid: " + client.seenEvent + "\ndata: ").appendBuffer(OpsJson.events(news)).appendString("\n\n")));
        return true;
    }

    /** One beat, about once a second. */
    void tick() {
        if (clients.isEmpty()) {
            return;
        }
        endForbidden();
        Overview overview = tryOverview();
        StreamEvent event = null;
        for (StreamClient client : new ArrayList<>(clients)) {
            if (client.isFull()) {
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

    private void endForbidden() {
        for (StreamClient client : new ArrayList<>(clients)) {
            if (!client.isAllowed()) {
                end(client);
            }
        }
    }

    /** Ends all streams, for good. */
    void close() {
        new ArrayList<>(clients).forEach(this::end);
        packer.close();
    }

    private void end(StreamClient client) {
        remove(client);
        client.end();
    }

    private void send(StreamClient client, Overview overview, StreamEvent event) {
        client.stalledTicks = 0;
        client.quietTicks = 0;
        client.seen = overview;
        client.write(event);
    }

    private void beQuiet(StreamClient client) {
        client.stalledTicks = 0;
        if (++client.quietTicks >= QUIET_TICKS_MAX) {
            client.quietTicks = 0;
            client.write(new StreamEvent(HEARTBEAT));
        }
    }

    private void skip(StreamClient client) {
        skipped.incrementAndGet();
        if (++client.stalledTicks >= STALLED_TICKS_MAX) {
            LOG.info("a console page has read nothing for {} beats; its live stream is cut off", STALLED_TICKS_MAX);
            remove(client);
            client.reset();
        }
    }

    private void add(StreamClient client) {
        clients.add(client);
        open.set(clients.size());
        client.onEnd(() -> remove(client));
    }

    private void remove(StreamClient client) {
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

    private static StreamEvent event(Overview overview) {
        return new StreamEvent(Buffer.buffer("event: overview\ndata: ")
                .appendBuffer(OpsJson.overview(overview, System.currentTimeMillis()))
                .appendString("\n\n"));
    }
}
