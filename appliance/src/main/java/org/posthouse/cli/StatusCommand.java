package org.posthouse.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.posthouse.cli.console.ConsoleClient;
import org.posthouse.cli.console.ConsoleOptions;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.terminal.OneLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code posthouse status}: how a running relay and its links are, and what somebody should do something about. */
@Command(
        name = "status",
        description = "Tells how a running relay is: its links, its log, its keys, and what is to be done.",
        mixinStandardHelpOptions = true,
        footer = {"", "Status 0: all is well. 3: a relay takes no work, a link is down, a log holds senders or a checkpoint is not kept, a running job has"
                + " diverged or stands still, or a warning stands.",
            "", "Examples:", "  posthouse status", "  posthouse status --ops 127.0.0.1:7423 --json"})
final class StatusCommand implements Callable<Integer> {
    /** Blocked ranks of a job that are named. */
    private static final int BLOCKED_NAMED_MAX = 8;

    @Mixin
    private ConsoleOptions console;

    private boolean attention;

    @Override
    public Integer call() throws CommandFailure {
        ConsoleClient client = console.client();
        JsonNode relays = client.json(client.get("/api/v1/relays"));
        JsonNode jobs = client.json(client.get("/api/v1/jobs"));
        String text = tell(relays, jobs);
        System.out.print(console.json() ? json(relays, jobs) + System.lineSeparator() : text);
        return attention ? ExitCode.ATTENTION.status() : 0;
    }

    /** Both answers in one object. It contains the problems that {@link #tell} reports. */
    static String json(JsonNode relays, JsonNode jobs) {
        return JsonNodeFactory.instance.objectNode()
                .<ObjectNode>set("relays", relays.path("relays"))
                .set("jobs", jobs.path("jobs"))
                .toString();
    }

    /** The answers of {@code /api/v1/relays} and {@code /api/v1/jobs} as text. */
    String tell(JsonNode relays, JsonNode jobs) {
        StringBuilder text = new StringBuilder();
        relays.path("relays").forEach(relay -> tell(text, relay));
        jobs.path("jobs").forEach(job -> tellJob(text, job));
        return text.toString();
    }

    private void tell(StringBuilder text, JsonNode relay) {
        boolean ready = relay.path("ready").asBoolean();
        attention |= !ready;
        text.append(String.format(
                Locale.ROOT,
                "relay %s of site %s: %s, mode %s%s%n",
                text(relay.path("relay")),
                text(relay.path("site")),
                ready ? "ready" : "takes no work",
                text(relay.path("mode")),
                relay.path("startedAt").asLong() == 0 ? "" : ", since " + time(relay.path("startedAt"))));
        relay.path("reasons").forEach(reason -> line(text, "not ready", text(reason)));
        relay.path("links").forEach(link -> tellLink(text, link));
        tellGateway(text, relay.path("streams"));
        relay.path("streams").path("forwards").forEach(forward -> tellForward(text, forward, relay.path("links")));
        if (relay.path("log").isObject()) {
            tellLog(text, relay.path("log"));
        }
        if (relay.path("keys").isObject()) {
            tellKeys(text, relay.path("keys"));
        }
    }

    /** A job that is open, and whatever is to be told of one: that it may have diverged, is without a launcher, or has ranks that are blocked. */
    private void tellJob(StringBuilder text, JsonNode job) {
        String state = text(job.path("state"));
        if (state.equals("RUNNING") || state.equals("STARTING")) {
            text.append(String.format(
                    Locale.ROOT, "job %s (%s): %s, %,d %s, since %s%s%n", text(job.path("id")), text(job.path("name")),
                    state.equals("RUNNING") ? "running" : "starting", job.path("size").asLong(),
                    job.path("size").asLong() == 1 ? "rank" : "ranks", time(job.path("startedAt")),
                    job.path("owner").asText().isEmpty() ? "" : ", of " + text(job.path("owner"))));
        }
        if (job.path("launcherAwaitedUntil").asLong() > 0) {
            attention = true;
            text.append(String.format(
                    Locale.ROOT,
                    "job %s (%s): its launcher has gone, and the job is ended unless it comes back by %s (posthouse resume, if it has a folder)%n",
                    text(job.path("id")),
                    text(job.path("name")),
                    time(job.path("launcherAwaitedUntil"))));
        }
        tellBlocked(text, job);
        if (job.path("divergences").asLong() > 0) {
            boolean runs = job.path("state").asText().equals("RUNNING");
            attention |= runs;
            text.append(String.format(
                    Locale.ROOT,
                    "job %s (%s), %s: DIVERGED, %,d messages differ from before a restart, and its result may be another: %s%n",
                    text(job.path("id")),
                    text(job.path("name")),
                    runs ? "running" : "ended",
                    job.path("divergences").asLong(),
                    text(job.path("divergence"))));
        }
    }

    /** Lists the calls in which its ranks are blocked. A job whose ranks all wait needs attention. */
    private void tellBlocked(StringBuilder text, JsonNode job) {
        List<JsonNode> blocked = new ArrayList<>();
        job.path("ranks").forEach(rank -> {
            if (!rank.path("blockedIn").asText().isEmpty()) {
                blocked.add(rank);
            }
        });
        boolean still = job.path("standsStillSince").asLong() > 0;
        if (blocked.isEmpty() || !job.path("state").asText().equals("RUNNING")) {
            return;
        }
        attention |= still;
        text.append(String.format(
                Locale.ROOT,
                "job %s (%s): %s%n",
                text(job.path("id")),
                text(job.path("name")),
                still
                        ? "STANDS STILL: all ranks that have not called Finalize wait since " + time(job.path("standsStillSince"))
                        : String.format(Locale.ROOT, "%,d of %,d ranks wait", blocked.size(), job.path("size").asLong())));
        blocked.stream().limit(BLOCKED_NAMED_MAX).forEach(rank -> line(text, "blocked", String.format(
                Locale.ROOT,
                "rank %d in %s since %s",
                rank.path("rank").asInt(),
                text(rank.path("blockedIn")),
                time(rank.path("blockedSince")))));
        if (blocked.size() > BLOCKED_NAMED_MAX) {
            line(text, "", String.format(Locale.ROOT, "and %,d more (--json)", blocked.size() - BLOCKED_NAMED_MAX));
        }
    }

    private void tellLink(StringBuilder text, JsonNode link) {
        String state = text(link.path("state"));
        boolean up = state.equals("UP");
        attention |= !up;
        long waiting = link.path("waitingBytes").asLong();
        int lanes = link.path("lanes").asInt();
        long roundTripUs = link.path("roundTripMicros").asLong();
        line(text, "link", String.format(
                Locale.ROOT,
                "%s is %s since %s%s%s%s%s",
                text(link.path("peerRelay")),
                state,
                time(link.path("parked").path("since").isNumber() ? link.path("parked").path("since") : link.path("since")),
                !up || roundTripUs == 0 ? "" : String.format(Locale.ROOT, ", round trip %.2f ms", roundTripUs / 1e3),
                lanes <= 1 ? "" : ", " + lanes + " lanes",
                route(link.path("paths")),
                waiting == 0 ? "" : String.format(Locale.ROOT, ", %,d bytes not acknowledged", waiting)));
        link.path("perLane").forEach(lane -> tellLane(text, lane));
        tellStreams(text, link.path("streams"));
        if (link.path("packing").path("bytesBefore").asLong() > 0) {
            tellPacking(text, link.path("packing"));
        }
        if (link.path("parked").isObject()) {
            tellParked(text, link.path("parked"));
        }
        if (!link.path("held").asText().isEmpty()) {
            attention = true;
            line(text, "", "held: " + text(link.path("held")));
        }
    }

    /** If the link has it now, or is to have it again: what only an earlier session needed is nobody's concern. */
    private static void tellLane(StringBuilder text, JsonNode lane) {
        boolean up = lane.path("up").asBoolean();
        if (!up && !lane.path("inSession").asBoolean()) {
            return;
        }
        List<String> via = new ArrayList<>();
        lane.path("via").forEach(relay -> via.add(text(relay)));
        long waiting = lane.path("waitingBytes").asLong();
        line(text, "", String.format(
                Locale.ROOT,
                "lane %d %s: %,d bytes came, %,d went%s",
                lane.path("lane").asInt(),
                !up ? "is down" : via.isEmpty() ? "goes straight" : "goes via " + String.join(", ", via),
                lane.path("bytesIn").asLong(),
                lane.path("bytesOut").asLong(),
                waiting == 0 ? "" : String.format(Locale.ROOT, ", %,d not acknowledged", waiting)));
    }

    /** If there ever were any. */
    private static void tellStreams(StringBuilder text, JsonNode streams) {
        long open = streams.path("open").asLong();
        long came = streams.path("bytesIn").asLong();
        long went = streams.path("bytesOut").asLong();
        if (open + came + went > 0) {
            line(text, "", String.format(
                    Locale.ROOT,
                    "%,d %s open: %,d bytes came, %,d went%s",
                    open,
                    open == 1 ? "stream is" : "streams are",
                    came,
                    went,
                    open == 0
                            ? ""
                            : String.format(
                                    Locale.ROOT,
                                    ", %,d more frames may come and %,d go (tokens)",
                                    streams.path("tokensIn").asLong(),
                                    streams.path("tokensOut").asLong())));
        }
    }

    private static void tellPacking(StringBuilder text, JsonNode packing) {
        line(text, "", String.format(
                Locale.ROOT,
                "packing is %s: %,d bytes were sent as %,d",
                packing.path("on").asBoolean() ? "on" : "off",
                packing.path("bytesBefore").asLong(),
                packing.path("bytesAfter").asLong()));
    }

    /** Over which relays, if it does not go straight. */
    private static String route(JsonNode paths) {
        List<String> detours = new ArrayList<>();
        for (JsonNode path : paths) {
            List<String> relays = new ArrayList<>();
            path.forEach(relay -> relays.add(text(relay)));
            if (!relays.isEmpty()) {
                detours.add(String.join(", ", relays));
            }
        }
        return detours.isEmpty() ? "" : ", via " + String.join(" | ", detours);
    }

    private static void tellGateway(StringBuilder text, JsonNode streams) {
        long carried = streams.path("carried").asLong();
        boolean drained = streams.path("drained").asBoolean();
        if (carried > 0 || drained) {
            line(text, "gateway", String.format(
                    Locale.ROOT,
                    "%s%s, %,d bytes so far",
                    drained ? "drained; " : "",
                    lanesThrough(carried),
                    streams.path("bytesCarried").asLong()));
        }
    }

    /** Number of lanes through a gateway, as text. */
    static String lanesThrough(long carried) {
        return String.format(
                Locale.ROOT, "%,d %s through it", carried, carried == 1 ? "lane of other relays goes" : "lanes of other relays go");
    }

    private static void tellParked(StringBuilder text, JsonNode parked) {
        String lastTry = text(parked.path("lastTry"));
        line(text, "", "down: " + text(parked.path("reason")) + (lastTry.isEmpty() ? "" : "; last try: " + lastTry));
        if (parked.path("messages").asLong() > 0) {
            line(text, "", String.format(
                    Locale.ROOT,
                    "%s parked, %,d bytes",
                    messages(parked) + (parked.path("messages").asLong() == 1 ? " is" : " are"),
                    parked.path("bytes").asLong()));
        }
        parked.path("jobs").forEach(job -> line(text, "", String.format(
                Locale.ROOT, "job %s (%s): %s", text(job.path("id")), text(job.path("name")), parkedOf(job))));
    }

    private static String parkedOf(JsonNode job) {
        int ranks = job.path("ranks").asInt();
        if (ranks == 0 && job.path("messages").asLong() == 0) {
            return "nothing of it waits";
        }
        String waiting = ranks == 0 ? "no rank here waits" : String.format(Locale.ROOT, ranks == 1 ? "%,d rank here waits" : "%,d ranks here wait", ranks);
        return String.format(Locale.ROOT, "%s, %,d bytes; %s", messages(job), job.path("bytes").asLong(), waiting);
    }

    private static String messages(JsonNode counted) {
        long messages = counted.path("messages").asLong();
        return String.format(Locale.ROOT, "%,d %s", messages, messages == 1 ? "message" : "messages");
    }

    private static void tellForward(StringBuilder text, JsonNode forward, JsonNode links) {
        String state = text(forward.path("state"));
        boolean door = state.equals("DOOR");
        String reason = text(forward.path("lastReason"));
        line(text, door ? "door" : "port", String.format(
                Locale.ROOT,
                "%s %s%s, %d of %d streams open%s",
                door ? text(forward.path("name")) + " leads to" : text(forward.path("address")) + " leads to",
                door ? text(forward.path("address")) : text(forward.path("name")),
                state.equals("REFUSING") ? ", refuses" + whyRefusing(forward, links) : "",
                forward.path("streams").asLong(),
                forward.path("opened").asLong(),
                forward.path("refused").asLong() == 0
                        ? ""
                        : String.format(Locale.ROOT, ", %d refused, the last: %s", forward.path("refused").asLong(), reason)));
    }

    /** It listens when its link is up, unless the system does not let it. */
    private static String whyRefusing(JsonNode forward, JsonNode links) {
        String door = text(forward.path("name"));
        String relay = door.substring(0, Math.max(0, door.lastIndexOf('/')));
        for (JsonNode link : links) {
            if (link.path("peerRelay").asText().equals(relay) && link.path("state").asText().equals("UP")) {
                return ": " + text(forward.path("lastReason"));
            }
        }
        return " while the link is not up";
    }

    private void tellLog(StringBuilder text, JsonNode log) {
        String state = text(log.path("state"));
        attention |= !state.equals("open");
        line(text, "log", state + ": " + text(log.path("text")));
    }

    private void tellKeys(StringBuilder text, JsonNode keys) {
        line(text, "keys", String.format(
                Locale.ROOT,
                "serial %s, valid until %s; %d certificates revoked (list %d)",
                text(keys.path("serial")),
                time(keys.path("notAfter")),
                keys.path("revoked").asInt(),
                keys.path("revocationList").asLong()));
        for (JsonNode warning : keys.path("warnings")) {
            attention = true;
            line(text, "warning", text(warning));
        }
    }

    private static void line(StringBuilder text, String what, String line) {
        text.append(String.format(Locale.ROOT, "  %-9s %s%n", what, line));
    }

    /** Untrusted text in one line, such as a job's name or the call in which a rank is blocked. */
    private static String text(JsonNode said) {
        return OneLine.of(said.asText());
    }

    private static Instant time(JsonNode milliseconds) {
        return Instant.ofEpochMilli(milliseconds.asLong()).truncatedTo(ChronoUnit.SECONDS);
    }
}
