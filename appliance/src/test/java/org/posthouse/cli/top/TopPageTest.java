package org.posthouse.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopPageTest {
    private static final String JOB = "{'id': 'ab', 'name': 'Main', 'size': 2, 'state': 'RUNNING', 'startedAt': 1, 'ranks': ["
            + "{'rank': 0, 'relay': 'a', 'node': 'n1', 'state': 'CONNECTED', 'incarnation': 2, 'messagesSent': %d, 'bytesSent': 10, 'messagesDelivered': 7,"
            + " 'blockedIn': 'Recv(source 1, tag 7)', 'blockedSince': 60000},"
            + "{'rank': 1, 'relay': 'b', 'state': 'AWAY', 'incarnation': 1}]}";

    private final TopPage page = new TopPage(ZoneOffset.UTC);

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    private List<String> lines(TopView view, int chosen, String grid) throws IOException {
        return page.lines(new TopPage.Answers(json(grid), json("{'events': []}")), view, chosen);
    }

    private static String relay(long asOf, long matched) {
        return "{'relay': 'a', 'site': 's', 'mode': 'pooled', 'ready': true, 'asOf': " + asOf + ", 'counters': {'matched': " + matched
                + ", 'bytesOut': 0, 'lagMillis': 1, 'waitingBytes': 1500}, 'log': {'bytes': 25, 'limitBytes': 100}, 'links': [{'peerRelay': 'b',"
                + " 'state': 'UP', 'since': 1000, 'roundTripMicros': 1250, 'messagesOut': 0, 'frameBytesOut': 0, 'waitingBytes': 0}], 'nodes': []}";
    }

    @Test
    void speedsAreThoseBetweenTwoAnswersByTheRelaysOwnClock() throws IOException {
        assertThat(lines(TopView.GRID, 0, "{'at': 61000, 'jobs': [], 'relays': [" + relay(61_000, 100) + "]}")).startsWith(
                "posthouse top  00:01:01  1 relay, 0 open jobs, 0 ranks", "",
                "RELAY  SITE  MODE    STATE  MSG/S  BYTES/S   LAG  WAITING      LOG  NODES",
                "a      s     pooled  ready      -        -  1 ms   1.50kB  25B 25%      0", "",
                "LINK  TO  STATE         RTT  MSG/S  BYTES/S  NOT ACKED  PARKED",
                "a     b   UP 1 min  1.25 ms      -        -         0B       0");
        assertThat(lines(TopView.GRID, 0, "{'at': 64000, 'jobs': [], 'relays': [" + relay(62_000, 2_600) + "]}"))
                .as("one second passed at the relay, three on the page")
                .contains("a      s     pooled  ready  2.50k        0  1 ms   1.50kB  25B 25%      0");
        assertThat(lines(TopView.GRID, 0, "{'at': 65000, 'jobs': [], 'relays': [" + relay(62_000, 2_600) + "]}"))
                .as("the same answer once more").anyMatch(line -> line.contains("2.50k"));
        assertThat(lines(TopView.GRID, 0, "{'at': 66000, 'jobs': [], 'relays': [" + relay(66_000, 3) + "]}"))
                .as("the relay has restarted").contains("a      s     pooled  ready      -        0  1 ms   1.50kB  25B 25%      0");
    }

    @Test
    void ranksOfTheChosenJobAreShownWithTheirCall() throws IOException {
        String grid = "{'at': 61000, 'relays': [], 'jobs': [{'id': 'ended', 'state': 'FINISHED', 'ranks': []}, " + JOB.formatted(100) + "]}";
        assertThat(lines(TopView.RANKS, -3, grid)).containsSubsequence(
                "job ab (Main), running, 1 of 1",
                "RANK  RELAY  NODE  STATE      INCARNATION  SENT/S  GOT/S  BYTES OUT/S  BLOCKED IN",
                "   0  a      n1    CONNECTED            2       -      -            -  Recv(source 1, tag 7) for 1 s",
                "   1  b            AWAY                 1       -      -            -");
        assertThat(lines(TopView.GRID, 0, grid)).containsSubsequence(
                "JOB  NAME  STATE    RANKS  HERE  WAIT  RESTARTS  MSG/S  BYTES/S    AGE",
                "ab   Main  running      2     1     1         1      -        -  1 min");
        assertThat(lines(TopView.GRID, 0, "{'at': 62000, 'relays': [], 'jobs': [" + JOB.formatted(150) + "]}"))
                .contains("ab   Main  running      2     1     1         1     50        0  1 min");
    }

    @Test
    void noJobIsSaidSo() throws IOException {
        assertThat(lines(TopView.RANKS, 1, "{'at': 0, 'relays': [], 'jobs': []}")).endsWith("no job is open");
    }

    @Test
    void problemsComeFirst() throws IOException {
        assertThat(lines(TopView.NODES, 0, "{'at': 61000, 'jobs': [{'id': 'ab', 'name': 'x', 'state': 'RUNNING', 'standsStillSince': 1, 'divergences': 2,"
                + " 'launcherAwaitedUntil': 9, 'ranks': [{'rank': 3, 'state': 'LOST'}, {'rank': 5, 'state': 'LOST'}]}], 'relays': ["
                + "{'relay': 'old', 'asOf': 50000, 'reasons': ['not of now']},"
                + "{'relay': 'a', 'asOf': 61000, 'reasons': ['its disk is full'], 'keys': {'warnings': ['expires soon']}, 'links': ["
                + "{'peerRelay': 'b', 'state': 'DOWN', 'parked': {'reason': 'refused\\u001b[2J'}, 'held': ''}, {'peerRelay': 'c', 'state': 'UP', 'held': 'rate'}]}]}"))
                .startsWith(
                        "posthouse top  00:01:01  2 relays, 1 open job, 0 ranks",
                        "! relay old has told nothing for 11 s",
                        "! relay a: its disk is full",
                        "! relay a: expires soon",
                        "! link a to b is DOWN: refused\\u001b[2J",
                        "! link a to c: held: rate",
                        "! job ab (x): ranks 3, 5 lost",
                        "! job ab (x) stands still: all ranks that have not called Finalize wait",
                        "! job ab (x) has diverged in 2 messages",
                        "! job ab (x) is without its launcher");
    }

    @Test
    void aSilentRelayIsNotReady() throws IOException {
        assertThat(lines(TopView.GRID, 0, "{'at': 80000, 'jobs': [], 'relays': [" + relay(61_000, 100) + "]}"))
                .anyMatch(line -> line.contains("not heard for 19 s")).noneMatch(line -> line.contains("ready"));
    }

    @Test
    void eventsAreShownNewestFirst() throws IOException {
        JsonNode events = json("{'events': [{'at': 1000, 'kind': 'JOB_OPENED', 'text': 'x of 2 ranks'}, {'at': 2000, 'kind': 'RANK_LOST', 'text': 'rank 1'}]}");
        assertThat(page.lines(new TopPage.Answers(json("{'at': 3000, 'relays': [], 'jobs': []}"), events), TopView.EVENTS, 0))
                .endsWith("00:00:02  rank lost  rank 1", "00:00:01  job opened  x of 2 ranks");
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "999,999", "12.34,12.3", "0.5,0.50", "1000,1.00k", "45678,45.7k", "456789,457k", "7e15,7000T"})
    void amountsHaveThreeFigures(double number, String text) {
        assertThat(TopPage.amount(number)).isEqualTo(text);
    }
}
