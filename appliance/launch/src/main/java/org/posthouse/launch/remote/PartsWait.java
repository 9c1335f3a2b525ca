package org.posthouse.launch.remote;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.launch.place.PartsRequest;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.place.SiteRestriction;
import org.posthouse.launch.reserve.ExpectedParts;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Token;

/**
 * Waits until the sites' batch jobs have brought the slots of a job ({@code posthouse run --expect}). Asks the relays for
 * their agents, and tells those that have joined the job how far the others are. Confined to the launching thread.
 *
 * <p>Nothing is reserved before all parts are there. An agent that has joined the job refuses others.
 */
public final class PartsWait {
    private static final long LOOK_MS = 500;

    /** Shortest time between two reports of how far the parts have come. */
    private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(10);

    /** After so long an agent is told again: the relay, or its own connection, may have been away. */
    private static final long TELL_NS = TimeUnit.SECONDS.toNanos(20);

    private static final long REDIAL_NS = TimeUnit.SECONDS.toNanos(2);

    private final List<RelayClient> lines;
    private final Token token;
    private final PartsRequest request;
    private final Consumer<String> printer;
    private final ExpectedParts parts;
    private final long deadlineNs;

    /** What each agent was told, and when. */
    private final Map<Long, Told> told = new HashMap<>();

    /** Indexes of relays that are away. */
    private final Set<Integer> away = new HashSet<>();

    private String reported = "";
    private long reportedNs;
    private long redialledNs;

    private record Told(String standing, long atNs) {}

    /**
     * @param lines connections to the relays of all parts; a connection that breaks is replaced in this list
     * @param token what the relays let a launcher in for
     * @param sites the slots that each part is to bring
     * @param labels that a node must have for its slots to count
     * @param printer prints a line for people
     */
    public PartsWait(
            List<RelayClient> lines, Token token, PartsRequest request, SiteRestriction sites, Map<String, String> labels, Consumer<String> printer) {
        this.lines = lines;
        this.token = token;
        this.request = request;
        this.printer = printer;
        this.parts = new ExpectedParts(sites.ranks(), labels);
        this.deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.waitMs());
        printer.accept("job " + request.job() + " waits up to " + words(request.waitMs()) + " for its parts; the batch script of each site runs:");
        sites.ranks().keySet().forEach(site -> lines.stream().filter(line -> line.home().site().equals(site)).findFirst().ifPresent(
                line -> printer.accept("  " + site + ": srun --no-kill --kill-on-bad-exit=0 --wait=0 posthouse join " + request.job() + " --relay "
                        + line.home().address() + " --allow " + System.getProperty("user.name") + request.options())));
    }

    /** A time for people: {@code 2 h}, {@code 90 min}, {@code 5 s}. */
    static String words(long ms) {
        long seconds = TimeUnit.MILLISECONDS.toSeconds(ms);
        if (seconds == 0 || seconds % 60 != 0) {
            return seconds + " s";
        }
        return seconds % 3_600 == 0 ? seconds / 3_600 + " h" : seconds / 60 + " min";
    }

    /**
     * Waits until all parts are there.
     *
     * @throws JobFailure in one line that names the parts that are late, or if the thread is interrupted
     */
    public void await() throws JobFailure {
        while (!areThere()) {
            if (System.nanoTime() - deadlineNs >= 0) {
                throw new JobFailure("the parts of job " + request.job() + " are not all there after " + words(request.waitMs()) + ": " + parts.late());
            }
            pause();
        }
    }

    private static void pause() throws JobFailure {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while the job's parts were waited for", e);
        }
    }

    /**
     * Whether slots are missing, a moment after they could not be reserved.
     *
     * @throws JobFailure if the thread is interrupted
     */
    public boolean isIncomplete() throws JobFailure {
        pause();
        return !areThere();
    }

    /** Asks the relays, and tells people and agents how far the parts have come. */
    private boolean areThere() throws JobFailure {
        long nowNs = System.nanoTime();
        redial(nowNs);
        List<NodeSlots> nodes = new ArrayList<>();
        Map<Long, Integer> lineOf = new HashMap<>();
        Set<String> unheard = new HashSet<>();
        for (int line = 0; line < lines.size(); line++) {
            String site = lines.get(line).home().site();
            if (away.contains(line)) {
                unheard.add(site);
                continue;
            }
            try {
                for (AgentOffer offer : JoinedAgents.of(request.job(), lines.get(line).nodes())) {
                    nodes.add(NodeSlots.of(offer, site, 0));
                    lineOf.put(offer.agent(), line);
                }
            } catch (JobFailure e) {
                lost(line, e);
                unheard.add(site);
            }
        }
        parts.onNodes(nodes, unheard, nowNs).forEach(printer);
        report(nowNs);
        lineOf.forEach((agent, line) -> tell(agent, line, nowNs));
        return parts.areThere();
    }

    private void report(long nowNs) {
        String standing = parts.standing();
        if (!standing.equals(reported) && !parts.areThere() && (reported.isEmpty() || nowNs - reportedNs >= REPORT_NS)) {
            reported = standing;
            reportedNs = nowNs;
            printer.accept("job " + request.job() + " waits: " + standing);
        }
    }

    private void tell(long agent, int line, long nowNs) {
        Told last = told.get(agent);
        String standing = parts.areThere() ? "all parts are there" : "waits for its parts: " + reported;
        if (last == null || !last.standing.equals(standing) || nowNs - last.atNs >= TELL_NS) {
            told.put(agent, new Told(standing, nowNs));
            send(lines.get(line), agent, JoinedAgents.waits(request.job(), standing));
        }
    }

    private static void send(RelayClient line, long agent, AgentMessage message) {
        try {
            line.send(AgentEnvelope.of(0, agent, 0, message).encode());
        } catch (IOException e) {
            // The connection is broken, which the next question shows.
        }
    }

    // ---- relays that are away

    private void lost(int line, JobFailure why) throws JobFailure {
        if (Thread.currentThread().isInterrupted()) {
            throw why;
        }
        HomeRelay home = lines.get(line).home();
        lines.get(line).close();
        away.add(line);
        printer.accept("relay " + home.relay() + " of " + home.site() + " is away: " + why.getMessage() + "; it is dialled until it answers");
    }

    private void redial(long nowNs) throws JobFailure {
        if (away.isEmpty() || nowNs - redialledNs < REDIAL_NS) {
            return;
        }
        redialledNs = nowNs;
        for (int line : List.copyOf(away)) {
            HomeRelay home = lines.get(line).home();
            try {
                RelayClient made = RelayClient.connect(home.address(), token);
                if (made.home().relay().equals(home.relay())) {
                    lines.set(line, made);
                    away.remove(line);
                    told.clear();
                    printer.accept("relay " + home.relay() + " of " + home.site() + " is back");
                } else {
                    made.close();
                }
            } catch (JobFailure e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            }
        }
    }

    // ---- the end

    /** Ends the agents that have joined the job: it does not begin. */
    public void end(int status, String why) {
        boolean isInterrupted = Thread.interrupted(); // It would close the connections that are written to.
        for (int line = 0; line < lines.size(); line++) {
            if (!away.contains(line)) {
                end(lines.get(line), request.job(), status, why);
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends a relay's agents that have joined a job and that it does not use. */
    public static void end(RelayClient line, String job, int status, String why) {
        try {
            JoinedAgents.of(job, line.nodes()).forEach(agent -> send(line, agent.agent(), JoinedAgents.ended(job, status, why)));
        } catch (JobFailure e) {
            // The relay is away: its agents end without their launcher.
        }
    }
}
