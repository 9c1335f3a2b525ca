package org.posthouse.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.Posthouse;

class JobsCommandTest {
    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }

    @Test
    void showsRanksWithWhatIsUnknownOfThoseElsewhereAsDashes() throws IOException {
        JsonNode job = json(
                "{'id': 'ab', 'name': 'Main', 'size': 2, 'state': 'RUNNING', 'durability': 'process', 'onFailure': 'restart', 'owner': 'ann', 'startedAt': 0, 'ranks': ["
                        + "{'rank': 0, 'site': 'a', 'relay': 'a', 'state': 'CONNECTED', 'incarnation': 2, 'messagesSent': 1200, 'bytesSent': 5,"
                        + " 'messagesDelivered': 7, 'bytesDelivered': 8, 'blockedIn': 'Recv(source 1, tag 7)', 'blockedSince': 61000},"
                        + "{'rank': 1, 'site': 'b', 'relay': 'b/2', 'state': 'REMOTE', 'incarnation': 1}]}");
        assertThat(JobsShowCommand.text(job, Instant.ofEpochSecond(125)).lines()).containsExactly(
                "ab Main: of ann, 2 of 2 ranks came, RUNNING, durability process, on failure restart, 2 min 5 s old; 0 bytes of log pinned, 0 reserved",
                "RANK  SITE  RELAY  STATE      INCARNATION   SENT  BYTES  DELIVERED  BYTES  BLOCKED IN",
                "   0  a     a      CONNECTED            2  1,200      5          7      8  Recv(source 1, tag 7) since 1970-01-01T00:01:01Z",
                "   1  b     b/2    REMOTE               1      -      -          -      -");
    }

    @Test
    void showsWhoFollowsARankAndWhere() throws IOException {
        JsonNode job = json("{'ranks': [{'rank': 3, 'followers': [{'process': 2, 'node': 'n2', 'behind': 1200, 'bytesBehind': 4096},"
                + " {'process': 5, 'node': '', 'behind': 0, 'bytesBehind': 0}]}]}");
        assertThat(JobsShowCommand.text(job, Instant.EPOCH).lines()).endsWith(
                "rank 3 is followed by process 2 on node n2, 1,200 observations and 4,096 bytes of the log behind",
                "rank 3 is followed by process 5, 0 observations and 0 bytes of the log behind");
    }

    @Test
    void countsTheDeadOfAJobThatGoesOnWithoutThem() throws IOException {
        JsonNode job = json("{'durability': 'none', 'onFailure': 'shrink', 'ranks': [{'rank': 0, 'state': 'LOST'}, {'rank': 1, 'state': 'CONNECTED'}]}");
        assertThat(JobsShowCommand.text(job, Instant.EPOCH)).contains("durability none, on failure shrink (1 dead), ");
    }

    @Test
    void aJobThatStandsStillOrHasDivergedSaysSoFirst() throws IOException {
        JsonNode job = json("{'standsStillSince': 1000, 'divergences': 2, 'divergence': 'rank 1', 'ranks': []}");
        assertThat(JobsShowCommand.text(job, Instant.EPOCH))
                .contains("STANDS STILL: ", "since 1970-01-01T00:00:01Z", "DIVERGED: 2 messages differ from before a restart: rank 1");
    }

    private static String run(int status, String... words) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (PrintStream caught = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(caught);
            System.setErr(caught);
            assertThat(Posthouse.commandLine(words).execute(words)).isEqualTo(status);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "jobs output nowhere, posthouse jobs output: nowhere is neither the folder of a job (run --folder) nor a job's id",
        "jobs show ../relays, 'posthouse jobs show: \"../relays\" is no job''s id, expected up to 16 hexadecimal digits, as posthouse jobs lists them'"
    })
    void aWordThatNamesNoJobIsRefusedWithoutAskingAnybody(String line, String said) {
        assertThat(run(1, line.split(" "))).isEqualTo(said + System.lineSeparator());
    }

    @Test
    void aFolderThatIsNoJobsIsNotReadAsOne(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("rank-0.out"), "x\n");
        assertThat(run(1, "jobs", "output", folder.toString())).contains("is neither the folder of a job");
    }
}
