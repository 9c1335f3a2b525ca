package org.posthouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.status.RelayEvent;

/** The events of relays in the API and in the live stream. */
@Timeout(60)
class EventLogTest {

    private static RelayEvent event(long id, String kind, String job, int rank) {
        return new RelayEvent(id, 1_000 + id, "rennes-a", kind, job, rank, kind + " " + id);
    }

    private static List<String> texts(JsonNode log) {
        List<String> texts = new ArrayList<>();
        log.path("events").forEach(event -> texts.add(event.path("text").asText()));
        return texts;
    }

    @Test
    void listsEventsOldestFirstAndByFilter() throws Exception {
        try (OpsFixture console = new OpsFixture()) {
            console.relay.events.addAll(List.of(
                    event(7, "JOB_OPENED", "a1", -1), event(8, "RANK_LOST", "a1", 3), event(9, "RANK_LOST", "b2", 0), event(10, "LINK_UP", "", -1)));
            JsonNode all = console.json("/api/v1/event-log");
            assertThat(texts(all)).containsExactly("JOB_OPENED 7", "RANK_LOST 8", "RANK_LOST 9", "LINK_UP 10");
            assertThat(texts(console.json("/api/v1/event-log?kind=RANK_LOST"))).containsExactly("RANK_LOST 8", "RANK_LOST 9");
            assertThat(texts(console.json("/api/v1/event-log?job=a1"))).containsExactly("JOB_OPENED 7", "RANK_LOST 8");
            assertThat(texts(console.json("/api/v1/event-log?limit=1"))).containsExactly("LINK_UP 10");
            long second = all.at("/events/1/id").asLong();
            assertThat(texts(console.json("/api/v1/event-log?after=" + second))).containsExactly("RANK_LOST 9", "LINK_UP 10");
            assertThat(console.get("/api/v1/event-log?after=x").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void anEventIsListedOnce() throws Exception {
        try (OpsFixture console = new OpsFixture()) {
            console.relay.events.add(event(7, "JOB_OPENED", "a1", -1));
            console.json("/api/v1/event-log");
            console.relay.events.add(event(8, "JOB_ENDED", "a1", -1));
            assertThat(texts(console.json("/api/v1/event-log"))).containsExactly("JOB_OPENED 7", "JOB_ENDED 8");
        }
    }

    @Test
    void keepsTheNewest() {
        EventBoard board = new EventBoard(5);
        board.add("rennes-a", IntStream.rangeClosed(1, EventBoard.EVENTS_MAX + 3).mapToObj(id -> event(id, "LINK_UP", "", -1)).toList());
        List<RelayEvent> kept = board.after(0, EventBoard.EVENTS_MAX, "", "");
        assertThat(kept).hasSize(EventBoard.EVENTS_MAX);
        assertThat(kept.getFirst().text()).isEqualTo("LINK_UP 4");
        assertThat(kept).extracting(RelayEvent::id).isSorted().allMatch(id -> id > 5_000);
    }

    /** As a browser does it, whose connection was cut. */
    @Test
    void aStreamGoesOnBehindTheLastEventThatWasHeard() throws Exception {
        try (OpsFixture console = new OpsFixture()) {
            console.relay.events.addAll(List.of(event(1, "JOB_OPENED", "a1", -1), event(2, "RANK_CONNECTED", "a1", 0)));
            console.json("/api/v1/event-log");
            String first = id(console, "");
            console.relay.events.add(event(3, "RANK_LOST", "a1", 0));
            console.json("/api/v1/event-log");
            try (Socket socket = console.raw("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: " + first + "\r\n\r\n");
                    Socket page = console.raw("GET /api/v1/events?after=" + first + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    Socket stranger = console.raw("GET /api/v1/events?after=" + first + "000 HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
                assertThat(texts(OpsFixture.parse(line(socket, "event: log", "data: ")))).containsExactly("RANK_LOST 3");
                assertThat(texts(OpsFixture.parse(line(page, "event: log", "data: ")))).containsExactly("RANK_LOST 3");
                assertThat(texts(OpsFixture.parse(line(stranger, "event: log", "data: ")))).as("with a number that is of no event here").hasSize(3);
            }
        }
    }

    /** However many: only a stream that begins anew begins with the newest. */
    @Test
    void aStreamThatGoesOnLosesNothing() throws Exception {
        try (OpsFixture console = new OpsFixture()) {
            console.relay.events.add(event(1, "JOB_OPENED", "a1", -1));
            console.json("/api/v1/event-log");
            String first = id(console, "");
            console.relay.events.addAll(LongStream.rangeClosed(2, 400).mapToObj(id -> event(id, "RANK_CONNECTED", "a1", (int) id)).toList());
            console.json("/api/v1/event-log");
            try (Socket socket = console.raw("GET /api/v1/events?after=" + first + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
                assertThat(texts(OpsFixture.parse(line(socket, "event: log", "data: ")))).hasSize(399);
            }
        }
    }

    private static String id(OpsFixture console, String more) throws IOException {
        try (Socket socket = console.raw("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n")) {
            return line(socket, "event: log", "id: ");
        }
    }

    /** The rest of the first line that begins with {@code prefix}, behind a line {@code event}. */
    private static String line(Socket socket, String event, String prefix) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        boolean found = false;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            found |= line.equals(event);
            if (found && line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
        throw new AssertionError("the stream ended");
    }
}
