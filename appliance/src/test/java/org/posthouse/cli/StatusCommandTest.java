package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What {@code posthouse status} makes of the console's answers. */
class StatusCommandTest {
    private static final String PORT = "{'state': 'REFUSING', 'name': 'site-b/2/web', 'address': '127.0.0.1:80', 'streams': 0, 'opened': 0,"
            + " 'refused': 0, 'lastReason': 'cannot listen at 127.0.0.1:80: taken'}";

    private static final String LANES = "'perLane': [{'lane': 0, 'up': true, 'bytesIn': 9}, {'lane': 1, 'up': false, 'inSession': true},"
            + "{'lane': 2, 'up': false, 'inSession': false, 'bytesIn': 9}],";

    private static String told(String linkState, String forwards) throws IOException {
        JsonNode relays = new ObjectMapper().readTree(("{'relays': [{'relay': 'site-a', 'site': 'site-a', 'ready': true, 'mode': 'pooled',"
                + "'links': [{'peerRelay': 'site-b/2', 'state': '" + linkState + "', 'roundTripMicros': 650, " + LANES + "'streams': {'open': 1}}],"
                + "'streams': {'carried': 1, 'forwards': [" + forwards + "]}}]}").replace('\'', '"'));
        return new StatusCommand().tell(relays, JsonNodeFactory.instance.objectNode());
    }

    @Test
    void aLinkThatIsDownHasNoRoundTrip() throws IOException {
        assertThat(told("UP", "")).contains("site-b/2 is UP since 1970-01-01T00:00:00Z, round trip 0.65 ms");
        assertThat(told("DOWN", "")).contains("site-b/2 is DOWN since").doesNotContain("round trip");
    }

    @Test
    void aPortSaysWhyItRefuses() throws IOException {
        assertThat(told("DOWN", PORT)).contains("127.0.0.1:80 leads to site-b/2/web, refuses while the link is not up, 0 of 0 streams open");
        assertThat(told("UP", PORT)).contains("leads to site-b/2/web, refuses: cannot listen at 127.0.0.1:80: taken, 0 of 0 streams open");
    }

    @Test
    void omitsUnneededLanes() throws IOException {
        assertThat(told("UP", "").lines().filter(line -> line.strip().startsWith("lane "))).containsExactly(
                "            lane 0 goes straight: 9 bytes came, 0 went",
                "            lane 1 is down: 0 bytes came, 0 went");
    }

    @Test
    void oneIsNoPlural() throws IOException {
        assertThat(told("UP", "")).contains("1 stream is open: ", "1 lane of other relays goes through it, ");
        JsonNode parked = new ObjectMapper().readTree("{\"relays\": [{\"links\": [{\"parked\": {\"messages\": 1, \"jobs\": [{\"messages\": 1}]}}]}]}");
        assertThat(new StatusCommand().tell(parked, JsonNodeFactory.instance.objectNode())).contains("1 message is parked, ", ": 1 message, 0 bytes");
    }

    /** A job has ranks at both ends, and waits for nothing. */
    @Test
    void countsOnlyMessagesThatWaitForLink() throws IOException {
        JsonNode parked = new ObjectMapper().readTree("{\"relays\": [{\"links\": [{\"parked\": {\"jobs\": [{\"id\": \"aa\", \"name\": \"Main\"},"
                + " {\"id\": \"bb\", \"name\": \"Main\", \"messages\": 2, \"bytes\": 8}]}}]}]}");
        assertThat(new StatusCommand().tell(parked, JsonNodeFactory.instance.objectNode()))
                .contains("job aa (Main): nothing of it waits", "job bb (Main): 2 messages, 8 bytes; no rank here waits");
    }

    @Test
    void aLinkThatIsHeldSaysByWhom() throws IOException {
        JsonNode held =
                new ObjectMapper().readTree("{\"relays\": [{\"ready\": true, \"links\": [{\"state\": \"UP\", \"held\": \"relay b acknowledges nothing\"}]}]}");
        assertThat(new StatusCommand().tell(held, JsonNodeFactory.instance.objectNode())).contains("held: relay b acknowledges nothing");
    }

    @Test
    void showsTheCallEachRankIsBlockedIn() throws IOException {
        String ranks = "'ranks': [{'rank': 0, 'blockedIn': ''}, {'rank': 1, 'blockedIn': 'Recv(source 0, tag 7)', 'blockedSince': 86400000}]";
        String job = "{'id': 'aa', 'name': 'Main', 'state': 'RUNNING', 'size': 2, 'standsStillSince': %d, " + ranks + "}";
        JsonNode jobs = new ObjectMapper().readTree(("{'jobs': [" + job.formatted(0) + "," + job.formatted(86400000) + "]}").replace('\'', '"'));
        assertThat(new StatusCommand().tell(JsonNodeFactory.instance.objectNode(), jobs).lines()).containsExactly(
                "job aa (Main): running, 2 ranks, since 1970-01-01T00:00:00Z",
                "job aa (Main): 1 of 2 ranks wait",
                "  blocked   rank 1 in Recv(source 0, tag 7) since 1970-01-02T00:00:00Z",
                "job aa (Main): running, 2 ranks, since 1970-01-01T00:00:00Z",
                "job aa (Main): STANDS STILL: all ranks that have not called Finalize wait since 1970-01-02T00:00:00Z",
                "  blocked   rank 1 in Recv(source 0, tag 7) since 1970-01-02T00:00:00Z");
    }

    /** Whoever opens a job names it. */
    @Test
    void aNameGivesTheTerminalNoOrders() throws IOException {
        JsonNode jobs = new ObjectMapper().readTree(("{'jobs': [{'id': 'aa', 'name': '\\u001b[2JMain\\nall is well', 'state': 'RUNNING', 'size': 1,"
                + "'ranks': [{'rank': 0, 'blockedIn': 'Recv\\u0007', 'blockedSince': 0}]}]}").replace('\'', '"'));
        assertThat(new StatusCommand().tell(JsonNodeFactory.instance.objectNode(), jobs).lines()).containsExactly(
                "job aa (\\u001b[2JMain\\u000aall is well): running, 1 rank, since 1970-01-01T00:00:00Z",
                "job aa (\\u001b[2JMain\\u000aall is well): 1 of 1 ranks wait",
                "  blocked   rank 0 in Recv\\u0007 since 1970-01-01T00:00:00Z");
    }

    @Test
    void reportsJobWithoutLauncherAndItsDeadline() throws IOException {
        JsonNode jobs = new ObjectMapper().readTree(("{'jobs': [{'id': 'aa', 'name': 'Main', 'launcherAwaitedUntil': 0},"
                + "{'id': 'bb', 'name': 'Other', 'launcherAwaitedUntil': 86400000}]}").replace('\'', '"'));
        assertThat(new StatusCommand().tell(JsonNodeFactory.instance.objectNode(), jobs))
                .startsWith("job bb (Other): its launcher has gone, and the job is ended unless it comes back by 1970-01-02T00:00:00Z");
        assertThat(StatusCommand.json(new ObjectMapper().readTree("{\"relays\":[1]}"), jobs)).isEqualTo("{\"relays\":[1],\"jobs\":" + jobs.path("jobs") + "}");
    }
}
