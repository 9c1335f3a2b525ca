package org.posthouse.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.IntPredicate;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.cli.terminal.TextTable;

/** Draws the answers of a console as lines of text. Without a terminal, a clock or a connection; confined to the command's thread. */
final class TopPage {
    /** Beyond this age a relay's answer is old, and what it said is not the state of now. */
    static final long SILENT_MS = 10_000;

    /** How the first line begins. */
    static final String HEAD = "posthouse top";

    /** How a line begins that says what is wrong. */
    static final String PROBLEM = "! ";

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final String[] UNITS = {"", "k", "M", "G", "T"};
    private static final int UNIT = 1_000;
    private static final double MS = 1_000.0;
    private static final int PERCENT = 100;

    private final TopSpeeds speeds = new TopSpeeds();
    private final ZoneId zone;
    private long at;

    TopPage(ZoneId zone) {
        this.zone = zone;
    }

    /** What {@link #lines} draws: the answers of {@code /api/v1/grid} and {@code /api/v1/event-log}. */
    record Answers(JsonNode grid, JsonNode events) {}

    /**
     * The page for one pair of answers. Speeds are those since the page before.
     *
     * @param chosen which of the open jobs has its ranks shown, counted from 0 and taken modulo their number
     */
    List<String> lines(Answers answers, TopView view, int chosen) {
        speeds.turn();
        JsonNode grid = answers.grid;
        at = grid.path("at").asLong();
        List<JsonNode> open = open(grid.path("jobs"));
        List<String> lines = new ArrayList<>();
        lines.add(head(grid, open));
        List<List<String>> relays = relays(grid.path("relays"));
        TopProblems.of(grid, at).forEach(problem -> lines.add(PROBLEM + problem));
        lines.add("");
        switch (view) {
            case GRID -> {
                table(lines, relays, column -> column > 3);
                table(lines, links(grid.path("relays")), column -> column > 2);
                table(lines, jobs(open), column -> column > 2);
            }
            case RANKS -> ranks(lines, open, chosen);
            case NODES -> table(lines, nodes(grid.path("relays")), column -> column > 3);
            case EVENTS -> events(lines, answers.events.path("events"));
        }
        return lines;
    }

    private String head(JsonNode grid, List<JsonNode> open) {
        int ranks = open.stream().mapToInt(job -> job.path("size").asInt()).sum();
        return String.format(
                Locale.ROOT, "%s  %s  %s, %s, %s", HEAD, CLOCK.format(Instant.ofEpochMilli(at).atZone(zone)), counted(grid.path("relays").size(), "relay"),
                counted(open.size(), "open job"), counted(ranks, "rank"));
    }

    private static String counted(int count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }

    private static void table(List<String> lines, List<List<String>> rows, IntPredicate numbers) {
        TextTable.of(rows, numbers).lines().forEach(lines::add);
        lines.add("");
    }

    private List<List<String>> relays(JsonNode relays) {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("RELAY", "SITE", "MODE", "STATE", "MSG/S", "BYTES/S", "LAG", "WAITING", "LOG", "NODES")));
        for (JsonNode relay : relays) {
            JsonNode counters = relay.path("counters");
            String name = relay.path("relay").asText();
            rows.add(List.of(
                    text(relay.path("relay")), text(relay.path("site")), text(relay.path("mode")), state(relay),
                    speed(speeds.of("relay messages " + name, takenAt(relay), counters.path("matched"))),
                    speed(speeds.of("relay bytes " + name, takenAt(relay), counters.path("bytesOut"))),
                    counters.path("lagMillis").asLong() + " ms", amount(counters.path("waitingBytes").asLong()) + "B", log(relay.path("log")),
                    Integer.toString(relay.path("nodes").size())));
        }
        return rows;
    }

    private String state(JsonNode relay) {
        long age = at - takenAt(relay);
        if (age > SILENT_MS) {
            return "not heard for " + age / UNIT + " s";
        }
        String drained = relay.path("streams").path("drained").asBoolean() ? ", drained" : "";
        return (relay.path("ready").asBoolean() ? "ready" : "takes no work") + drained;
    }

    private long takenAt(JsonNode relay) {
        return relay.path("asOf").asLong(at);
    }

    private static String log(JsonNode log) {
        long limit = log.path("limitBytes").asLong();
        String bytes = amount(log.path("bytes").asLong()) + "B";
        return !log.isObject() ? "-" : limit == 0 ? bytes : bytes + String.format(Locale.ROOT, " %d%%", PERCENT * log.path("bytes").asLong() / limit);
    }

    private List<List<String>> links(JsonNode relays) {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("LINK", "TO", "STATE", "RTT", "MSG/S", "BYTES/S", "NOT ACKED", "PARKED")));
        for (JsonNode relay : relays) {
            for (JsonNode link : relay.path("links")) {
                String name = relay.path("relay").asText() + " " + link.path("peerRelay").asText();
                long roundTrip = link.path("roundTripMicros").asLong();
                rows.add(List.of(
                        text(relay.path("relay")), text(link.path("peerRelay")), text(link.path("state")) + " " + since(link.path("since").asLong()),
                        roundTrip == 0 ? "-" : String.format(Locale.ROOT, "%.2f ms", roundTrip / MS),
                        speed(speeds.of("link messages " + name, takenAt(relay), link.path("messagesOut"))),
                        speed(speeds.of("link bytes " + name, takenAt(relay), link.path("frameBytesOut"))),
                        amount(link.path("waitingBytes").asLong()) + "B", amount(link.path("parked").path("messages").asLong())));
            }
        }
        return rows;
    }

    private List<List<String>> jobs(List<JsonNode> open) {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("JOB", "NAME", "STATE", "RANKS", "HERE", "WAIT", "RESTARTS", "MSG/S", "BYTES/S", "AGE")));
        for (JsonNode job : open) {
            TopJob counted = TopJob.of(job);
            String id = job.path("id").asText();
            rows.add(List.of(
                    text(job.path("id")), text(job.path("name")), TopJob.state(job), Integer.toString(job.path("size").asInt()),
                    Integer.toString(counted.here()), Integer.toString(counted.waiting()), Integer.toString(counted.restarts()),
                    speed(speeds.of("job messages " + id, at, counted.messages())), speed(speeds.of("job bytes " + id, at, counted.bytes())),
                    since(job.path("startedAt").asLong())));
        }
        return rows;
    }

    private void ranks(List<String> lines, List<JsonNode> open, int chosen) {
        if (open.isEmpty()) {
            lines.add("no job is open");
            return;
        }
        JsonNode job = open.get(Math.floorMod(chosen, open.size()));
        lines.add("job " + text(job.path("id")) + " (" + text(job.path("name")) + "), " + TopJob.state(job) + ", " + (Math.floorMod(chosen, open.size()) + 1)
                + " of " + open.size());
        List<List<String>> rows = new ArrayList<>(List.of(
                List.of("RANK", "RELAY", "NODE", "STATE", "INCARNATION", "SENT/S", "GOT/S", "BYTES OUT/S", "BLOCKED IN")));
        for (JsonNode rank : job.path("ranks")) {
            String name = job.path("id").asText() + " " + rank.path("rank").asText();
            String blocked = rank.path("blockedIn").asText();
            rows.add(List.of(
                    rank.path("rank").asText(), text(rank.path("relay")), text(rank.path("node")), text(rank.path("state")), rank.path("incarnation").asText(),
                    speed(speeds.of("rank sent " + name, at, rank.path("messagesSent"))),
                    speed(speeds.of("rank got " + name, at, rank.path("messagesDelivered"))),
                    speed(speeds.of("rank bytes " + name, at, rank.path("bytesSent"))),
                    blocked.isEmpty() ? "" : OneLine.of(blocked) + " for " + since(rank.path("blockedSince").asLong())));
        }
        table(lines, rows, column -> column == 0 || column > 3 && column < 8);
    }

    private static List<List<String>> nodes(JsonNode relays) {
        List<List<String>> rows = new ArrayList<>(List.of(List.of("NODE", "RELAY", "HOST", "STATE", "SLOTS", "FREE", "JOBS", "CORES", "RTT")));
        for (JsonNode relay : relays) {
            for (JsonNode node : relay.path("nodes")) {
                rows.add(List.of(
                        text(node.path("name")), text(relay.path("relay")), text(node.path("host")), text(node.path("state")), node.path("slots").asText(),
                        node.path("free").asText(), node.path("jobsNow").asText() + "/" + node.path("jobs").asText(), node.path("cores").asText(),
                        String.format(Locale.ROOT, "%.2f ms", node.path("rttMicros").asLong() / MS)));
            }
        }
        return rows;
    }

    /** The newest first. */
    private void events(List<String> lines, JsonNode events) {
        for (int index = events.size() - 1; index >= 0; index--) {
            JsonNode event = events.get(index);
            lines.add(CLOCK.format(Instant.ofEpochMilli(event.path("at").asLong()).atZone(zone)) + "  "
                    + text(event.path("kind")).toLowerCase(Locale.ROOT).replace('_', ' ') + "  " + text(event.path("text")));
        }
    }

    /** How long ago, in the largest unit that fits. */
    private String since(long then) {
        Duration age = Duration.ofMillis(Math.max(0, at - then));
        return then == 0 ? "" : age.toDays() > 0 ? age.toDays() + " d" : age.toHours() > 0 ? age.toHours() + " h"
                : age.toMinutes() > 0 ? age.toMinutes() + " min" : age.toSeconds() + " s";
    }

    private static String speed(OptionalDouble perSecond) {
        return perSecond.isPresent() ? amount(perSecond.getAsDouble()) : "-";
    }

    /** A number in three or four figures: {@code 0}, {@code 12.3}, {@code 4.56k}. */
    static String amount(double number) {
        double scaled = number;
        int unit = 0;
        while (scaled >= UNIT && unit < UNITS.length - 1) {
            scaled /= UNIT;
            unit++;
        }
        boolean whole = scaled == Math.rint(scaled) && unit == 0;
        String format = whole ? "%.0f" : scaled < 10 ? "%.2f" : scaled < 100 ? "%.1f" : "%.0f";
        return String.format(Locale.ROOT, format, scaled) + UNITS[unit];
    }

    private static List<JsonNode> open(JsonNode jobs) {
        List<JsonNode> open = new ArrayList<>();
        jobs.forEach(job -> {
            if (TopJob.isOpen(job)) {
                open.add(job);
            }
        });
        return open;
    }

    private static String text(JsonNode said) {
        return OneLine.of(said.asText());
    }
}
