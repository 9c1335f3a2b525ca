package org.posthouse.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.OneLine;
import picocli.CommandLine.Mixin;

/** The list of open jobs, a line each. */
abstract class JobsListing implements Callable<Integer> {
    @Mixin
    private ConsoleOptions console;

    @Override
    public Integer call() throws CommandFailure {
        ConsoleClient client = console.client();
        String answer = client.get("/api/v1/jobs");
        if (console.json()) {
            System.out.println(answer);
            return 0;
        }
        JsonNode jobs = client.json(answer).path("jobs");
        Instant now = Instant.now();
        boolean any = false;
        for (JsonNode job : jobs) {
            if (isOpen(job)) {
                System.out.println(line(job, now));
                any = true;
            }
        }
        if (!any) {
            System.out.println("no job is open");
        }
        return 0;
    }

    private static boolean isOpen(JsonNode job) {
        return job.path("state").asText().equals("RUNNING") || job.path("state").asText().equals("STARTING");
    }

    /** One job, as a line of words. */
    static String line(JsonNode job, Instant now) {
        int came = 0;
        int dead = 0;
        for (JsonNode rank : job.path("ranks")) {
            dead += rank.path("state").asText().equals("LOST") ? 1 : 0;
            came += rank.path("incarnation").asInt() > 0 ? 1 : 0;
        }
        long until = job.path("launcherAwaitedUntil").asLong();
        return String.format(
                Locale.ROOT,
                "%s %s: of %s, %d of %d ranks came, %s, durability %s, on failure %s%s, %s; %,d bytes of log pinned, %,d reserved%s",
                job.path("id").asText(),
                OneLine.of(job.path("name").asText()),
                owner(job),
                came,
                job.path("size").asInt(),
                job.path("state").asText(),
                job.path("durability").asText(),
                job.path("onFailure").asText(),
                dead == 0 ? "" : " (" + dead + " dead)",
                age(job.path("startedAt").asLong(), now),
                job.path("pinnedBytes").asLong(),
                job.path("reservedBytes").asLong(),
                until == 0 ? "" : "; without its launcher, kept until " + Instant.ofEpochMilli(until).truncatedTo(ChronoUnit.SECONDS));
    }

    static String owner(JsonNode job) {
        String owner = job.path("owner").asText();
        return owner.isEmpty() ? "an unknown owner" : OneLine.of(owner);
    }

    static String age(long startedAt, Instant now) {
        Duration age = Duration.between(Instant.ofEpochMilli(startedAt), now);
        return age.toHours() > 0
                ? String.format(Locale.ROOT, "%d h %d min old", age.toHours(), age.toMinutesPart())
                : String.format(Locale.ROOT, "%d min %d s old", Math.max(0, age.toMinutes()), Math.max(0, age.toSecondsPart()));
    }
}
