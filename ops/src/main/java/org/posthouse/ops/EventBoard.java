package org.posthouse.ops;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.status.RelayEvent;

/**
 * The newest events of all relays that the console knows, in the order in which it has heard of them. Each has a number of
 * the console's own, which grows from event to event, and from one start of the console to the next. Confined to the
 * console's event loop.
 */
final class EventBoard {
    /** Events that are kept. */
    static final int EVENTS_MAX = 2_000;

    /** Events of a relay that are taken at a time. */
    static final int BATCH_MAX = 500;

    private final ArrayDeque<RelayEvent> events = new ArrayDeque<>();

    /** By relay, its number of its last event here. */
    private final Map<String, Long> heard = new HashMap<>();

    private long lastId;

    /** @param nowMs milliseconds since 1970 UTC */
    EventBoard(long nowMs) {
        lastId = TimeUnit.MILLISECONDS.toMicros(nowMs);
    }

    /** The number of the newest event. */
    long lastId() {
        return lastId;
    }

    /** The relay's number of its last event that is here; 0 if there is none. */
    long heard(String relay) {
        return heard.getOrDefault(relay, 0L);
    }

    /** Adds the news of a relay of this process. */
    void look(RelayView view) {
        String relay = view.snapshot().relay();
        add(relay, view.events(heard(relay), BATCH_MAX));
    }

    /** Adds those of a relay's events that are not here yet. */
    void add(String relay, List<RelayEvent> news) {
        for (RelayEvent event : news) {
            if (event.id() > heard(relay)) {
                heard.put(relay, event.id());
                if (events.size() == EVENTS_MAX) {
                    events.removeFirst();
                }
                events.addLast(event.withId(++lastId));
            }
        }
    }

    /**
     * The events after the one with this number, oldest first.
     *
     * @param limit only the newest so many of them
     * @param job only those of this job; empty: all
     * @param kind only those of this kind; empty: all
     */
    List<RelayEvent> after(long id, int limit, String job, String kind) {
        List<RelayEvent> found = events.stream()
                .filter(event -> event.id() > id && (job.isEmpty() || event.job().equals(job)) && (kind.isEmpty() || event.kind().equals(kind)))
                .toList();
        return found.subList(Math.max(0, found.size() - limit), found.size());
    }
}
