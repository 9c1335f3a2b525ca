package org.posthouse.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.cli.terminal.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code posthouse jobs show}: one job, with its ranks. */
@Command(
        name = "show",
        description = "Shows one job of a running relay: its ranks, where they are, what they have sent and got, and in which call they are blocked.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  posthouse jobs show 4f1c09a2b3d4e5f6", "  posthouse jobs show 4f1c09a2b3d4e5f6 --json"})
final class JobsShowCommand implements Callable<Integer> {
    private static final List<String> HEAD =
            List.of("RANK", "SITE", "RELAY", "STATE", "INCARNATION", "SENT", "BYTES", "DELIVERED", "BYTES", "BLOCKED IN");

    private static final int NUMBERS_FROM = 4;
    private static final int NUMBERS_TO = 9;

    @Parameters(paramLabel = "ID", description = "The job's id, as posthouse jobs lists it.")
    private String job;

    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure {
        ConsoleClient client = console.client();
        String answer = client.get(JobId.path(job));
        System.out.print(console.json() ? answer + System.lineSeparator() : text(client.json(answer), Instant.now()));
        return 0;
    }

    /** The answer of {@code /api/v1/jobs/ID} for people. */
    static String text(JsonNode job, Instant now) {
        StringBuilder text = new StringBuilder(JobsListing.line(job, now)).append(System.lineSeparator());
        if (job.path("standsStillSince").asLong() > 0) {
            text.append("STANDS STILL: all ranks that have not called Finalize wait since ").append(time(job.path("standsStillSince")))
                    .append(System.lineSeparator());
        }
        if (job.path("divergences").asLong() > 0) {
            text.append(String.format(
                    Locale.ROOT, "DIVERGED: %,d messages differ from before a restart: %s%n", job.path("divergences").asLong(),
                    OneLine.of(job.path("divergence").asText())));
        }
        List<List<String>> rows = new ArrayList<>(List.of(HEAD));
        job.path("ranks").forEach(rank -> rows.add(row(rank)));
        text.append(TextTable.of(rows, column -> column == 0 || column >= NUMBERS_FROM && column < NUMBERS_TO));
        job.path("ranks").forEach(rank -> rank.path("followers").forEach(follower -> text.append(followed(rank, follower))));
        return text.toString();
    }

    private static String followed(JsonNode rank, JsonNode follower) {
        String node = OneLine.of(follower.path("node").asText());
        return String.format(
                Locale.ROOT, "rank %d is followed by process %d%s, %,d observations and %,d bytes of the log behind%n", rank.path("rank").asInt(),
                follower.path("process").asInt(), node.isEmpty() ? "" : " on node " + node, follower.path("behind").asLong(),
                follower.path("bytesBehind").asLong());
    }

    private static List<String> row(JsonNode rank) {
        String blocked = rank.path("blockedIn").asText();
        return List.of(
                rank.path("rank").asText(),
                OneLine.of(rank.path("site").asText()),
                OneLine.of(rank.path("relay").asText()),
                rank.path("state").asText(),
                rank.path("incarnation").asText(),
                number(rank.path("messagesSent")),
                number(rank.path("bytesSent")),
                number(rank.path("messagesDelivered")),
                number(rank.path("bytesDelivered")),
                blocked.isEmpty() ? "" : OneLine.of(blocked) + " since " + time(rank.path("blockedSince")));
    }

    /** Of a rank at another relay it may be unknown. */
    private static String number(JsonNode number) {
        return number.isNumber() ? String.format(Locale.ROOT, "%,d", number.asLong()) : "-";
    }

    private static Instant time(JsonNode ms) {
        return Instant.ofEpochMilli(ms.asLong()).truncatedTo(ChronoUnit.SECONDS);
    }
}
