package org.posthouse.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.posthouse.cli.terminal.OneLine;

/** What of an answer of {@code /api/v1/grid} somebody should do something about, a line each. Stateless. */
final class TopProblems {
    private static final int MS_PER_S = 1_000;

    private TopProblems() {}

    /** @param at the time of the page, in milliseconds */
    static List<String> of(JsonNode grid, long at) {
        List<String> problems = new ArrayList<>();
        for (JsonNode relay : grid.path("relays")) {
            String name = text(relay.path("relay"));
            long age = at - relay.path("asOf").asLong(at);
            if (age > TopPage.SILENT_MS) {
                problems.add("relay " + name + " has told nothing for " + age / MS_PER_S + " s");
                continue;
            }
            relay.path("reasons").forEach(reason -> problems.add("relay " + name + ": " + text(reason)));
            relay.path("keys").path("warnings").forEach(warning -> problems.add("relay " + name + ": " + text(warning)));
            relay.path("links").forEach(link -> ofLink(problems, name, link));
        }
        for (JsonNode job : grid.path("jobs")) {
            if (TopJob.isOpen(job)) {
                ofJob(problems, job);
            }
        }
        return problems;
    }

    private static void ofLink(List<String> problems, String relay, JsonNode link) {
        if (!link.path("state").asText().equals("UP")) {
            String why = text(link.path("parked").path("reason"));
            problems.add("link " + relay + " to " + text(link.path("peerRelay")) + " is " + text(link.path("state")) + (why.isEmpty() ? "" : ": " + why));
        }
        if (!link.path("held").asText().isEmpty()) {
            problems.add("link " + relay + " to " + text(link.path("peerRelay")) + ": held: " + text(link.path("held")));
        }
    }

    private static void ofJob(List<String> problems, JsonNode job) {
        String name = "job " + text(job.path("id")) + " (" + text(job.path("name")) + ")";
        List<String> lost = new ArrayList<>();
        job.path("ranks").forEach(rank -> {
            if (rank.path("state").asText().equals("LOST")) {
                lost.add(rank.path("rank").asText());
            }
        });
        if (!lost.isEmpty()) {
            problems.add(name + ": " + (lost.size() == 1 ? "rank " : "ranks ") + String.join(", ", lost) + " lost");
        }
        if (job.path("standsStillSince").asLong() > 0) {
            problems.add(name + " stands still: all ranks that have not called Finalize wait");
        }
        if (job.path("divergences").asLong() > 0) {
            problems.add(String.format(Locale.ROOT, "%s has diverged in %,d messages", name, job.path("divergences").asLong()));
        }
        if (job.path("launcherAwaitedUntil").asLong() > 0) {
            problems.add(name + " is without its launcher");
        }
    }

    private static String text(JsonNode said) {
        return OneLine.of(said.asText());
    }
}
