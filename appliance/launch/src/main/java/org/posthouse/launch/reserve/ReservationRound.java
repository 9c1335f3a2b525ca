package org.posthouse.launch.reserve;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.NodeAllocation;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.launch.reserve.ReservationStep.Allocated;
import org.posthouse.launch.reserve.ReservationStep.Ask;
import org.posthouse.launch.reserve.ReservationStep.AskNodes;
import org.posthouse.launch.reserve.ReservationStep.Failed;
import org.posthouse.launch.reserve.ReservationStep.GiveBack;
import org.posthouse.launch.reserve.ReservationStep.Keep;
import org.posthouse.launch.reserve.ReservationStep.WaitUntil;
import org.posthouse.wire.AgentMessage.Refusal;
import org.posthouse.wire.AgentMessage.Reserved;

/**
 * A launcher's reservation of a job's slots, in up to {@value #ROUNDS} rounds. Confined to the launching thread. Times are
 * those of a monotonic clock in nanoseconds.
 *
 * <p>A round asks the nearest nodes for 25 % more slots than the job needs, all at once ({@link NodeAllocation#overbooked}).
 * After the last answer, or 2 s, it places the job on the slots that were granted, and releases the others before it
 * confirms. If they do not suffice, it releases all, so that competing launchers do not block each other for ever. It
 * waits random(0.2 s to 1 s) x 2^round, fetches the offers again, and starts the next round. A round whose offers do not
 * suffice asks nobody, and counts as one that failed. Source: the P2P-MPI chapter, section 3.2, which overbooks and
 * cancels; the numbers are ours.
 *
 * <p>A round also fails if a node is lost after its slots were confirmed. Once ranks start, their launcher restarts those of
 * a lost node, and calls this object no more.
 */
public final class ReservationRound {
    /** Rounds until the reservation fails. */
    public static final int ROUNDS = 5;

    /** Time for which agents hold unconfirmed slots, in milliseconds. */
    public static final int TTL_MS = 30_000;

    /** Longest wait for answers in a round. */
    static final long ANSWERS_NS = 2_000_000_000L;

    /** Least and most of the wait after the first round; the wait doubles with each. */
    private static final long WAIT_NS_MIN = 200_000_000L;

    private static final long WAIT_NS_MAX = 1_000_000_000L;

    private enum State {
        /** Waits for the nodes' offers. */
        OFFERS,
        /** Waits for answers to RESERVE. */
        ANSWERS,
        /** Waits for the next round. */
        PAUSE,
        ALLOCATED,
        FAILED
    }

    private final AllocationRequest request;
    private final RandomGenerator random;

    private State state = State.OFFERS;

    /** From 0. */
    private int round;

    /** End of the state ANSWERS or PAUSE. */
    private long deadlineNs;

    /** The nodes that were asked in this round, by the agent's number; nearest first. */
    private final Map<Long, AskedNode> asked = new LinkedHashMap<>();

    /** By agent: RESERVEs that it has not answered, those of earlier rounds included. */
    private final Map<Long, Integer> unanswered = new HashMap<>();

    /** Agents that hold slots, or may hold them. */
    private final Set<Long> holders = new LinkedHashSet<>();

    public ReservationRound(AllocationRequest request, RandomGenerator random) {
        this.request = request;
        this.random = random;
    }

    /**
     * The nodes' offers, at the start or after {@link AskNodes}.
     *
     * @param nodes in order of distance ({@link org.posthouse.launch.place.NodeOrder})
     */
    public List<ReservationStep> onNodes(List<NodeSlots> nodes, long nowNs) {
        if (state != State.OFFERS) {
            return List.of();
        }
        List<NodeSlots> wholeNodes = nodes.stream().map(node -> node.withFree(node.slots())).toList();
        try {
            NodeAllocation.of(wholeNodes, request);
        } catch (JobFailure e) {
            return fail(e.getMessage()); // even if all were free
        }
        asked.clear();
        try {
            NodeAllocation.of(nodes, request);
        } catch (JobFailure e) {
            refuseByOffers(nodes);
            return endRound(e.getMessage(), nowNs);
        }
        List<ReservationStep> steps = new ArrayList<>();
        for (NodeSlots node : NodeAllocation.overbooked(nodes, request)) {
            asked.put(node.agent(), new AskedNode(node));
            unanswered.merge(node.agent(), 1, Integer::sum);
            holders.add(node.agent());
            steps.add(new Ask(node.agent(), node.free()));
        }
        state = State.ANSWERS;
        deadlineNs = nowNs + ANSWERS_NS;
        steps.add(new WaitUntil(deadlineNs));
        return steps;
    }

    /** Notes for the last line what all nodes would have answered, had they been asked for all of their slots. */
    private void refuseByOffers(List<NodeSlots> nodes) {
        for (NodeSlots node : NodeAllocation.eligible(nodes, request)) {
            AskedNode ask = new AskedNode(node.withFree(Math.min(node.slots(), request.ranks())));
            ask.answer(node.free(), Refusal.FULL.name());
            asked.put(node.agent(), ask);
        }
    }

    /** An agent's answer. Slots that are granted too late are released. */
    public List<ReservationStep> onReserved(long agent, Reserved answer, long nowNs) {
        int open = unanswered.merge(agent, -1, Integer::sum);
        if (open <= 0) {
            unanswered.remove(agent);
        }
        if (open > 0) {
            return List.of(); // of an earlier round; that of this round follows
        }
        AskedNode ask = asked.get(agent);
        if (state == State.ANSWERS && ask != null) {
            ask.answer(answer);
            return isLastAnswer() ? place(nowNs) : List.of();
        }
        return answer.granted() == 0 || holders.contains(agent) ? List.of() : List.of(new GiveBack(agent));
    }

    /**
     * An agent is gone, or its CONFIRM came too late.
     *
     * @param why for people
     */
    public List<ReservationStep> onLost(long agent, String why, long nowNs) {
        unanswered.remove(agent);
        boolean isHolder = holders.remove(agent);
        AskedNode ask = asked.get(agent);
        if (ask == null || !isHolder) {
            return List.of();
        }
        ask.answer(0, why);
        if (state == State.ANSWERS && isLastAnswer()) {
            return place(nowNs);
        }
        return state == State.ALLOCATED ? endRound("", nowNs) : List.of();
    }

    /** The time of the last {@link WaitUntil} has come; an early call is harmless. */
    public List<ReservationStep> onTime(long nowNs) {
        if (nowNs - deadlineNs < 0) {
            return List.of();
        }
        return switch (state) {
            case ANSWERS -> place(nowNs);
            case PAUSE -> {
                state = State.OFFERS;
                yield List.of(new AskNodes());
            }
            case OFFERS, ALLOCATED, FAILED -> List.of();
        };
    }

    /** Ends the reservation, and releases all. */
    public List<ReservationStep> cancel() {
        state = State.FAILED;
        return releaseAll();
    }

    private boolean isLastAnswer() {
        return asked.values().stream().allMatch(AskedNode::isAnswered);
    }

    private List<ReservationStep> place(long nowNs) {
        NodeAllocation allocation;
        try {
            allocation = NodeAllocation.of(asked.values().stream().map(AskedNode::grantedNode).toList(), request);
        } catch (JobFailure e) {
            return endRound(e.getMessage(), nowNs);
        }
        Map<Long, Integer> slots = allocation.slotsByAgent();
        List<ReservationStep> steps = new ArrayList<>();
        holders.stream().filter(agent -> !slots.containsKey(agent)).forEach(agent -> steps.add(new GiveBack(agent)));
        holders.retainAll(slots.keySet());
        slots.forEach((agent, count) -> steps.add(new Keep(agent, count)));
        steps.add(new Allocated(allocation));
        state = State.ALLOCATED;
        return steps;
    }

    private List<ReservationStep> endRound(String why, long nowNs) {
        if (round + 1 == ROUNDS) {
            return fail(summary(why));
        }
        List<ReservationStep> steps = releaseAll();
        deadlineNs = nowNs + (random.nextLong(WAIT_NS_MIN, WAIT_NS_MAX + 1) << round);
        round++;
        state = State.PAUSE;
        steps.add(new WaitUntil(deadlineNs));
        return steps;
    }

    private List<ReservationStep> fail(String why) {
        List<ReservationStep> steps = releaseAll();
        steps.add(new Failed(why));
        state = State.FAILED;
        return steps;
    }

    private List<ReservationStep> releaseAll() {
        List<ReservationStep> steps = new ArrayList<>();
        holders.forEach(agent -> steps.add(new GiveBack(agent)));
        holders.clear();
        return steps;
    }

    /** {@code asked for 16 x 2, got 23: site-a 12 of 12, site-b 11 of 20 (9 refused: FULL)}. */
    private String summary(String why) {
        long got = granted(asked.values());
        String sites = asked.values().stream()
                .collect(Collectors.groupingBy(AskedNode::site, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(ReservationRound::summaryOfSite)
                .collect(Collectors.joining(", "));
        // There are enough, but not where they have to be.
        String where = got >= request.processes() && !why.isEmpty() ? "; " + why : "";
        return "asked for " + request.size() + ", got " + got + ": " + sites + where;
    }

    private static String summaryOfSite(List<AskedNode> nodes) {
        Map<String, Integer> refused = new TreeMap<>();
        nodes.stream().filter(node -> node.refused() > 0).forEach(node -> refused.merge(node.refusal(), node.refused(), Integer::sum));
        String reasons = refused.entrySet().stream()
                .map(reason -> reason.getValue() + " refused: " + reason.getKey())
                .collect(Collectors.joining(", "));
        return nodes.getFirst().site() + " " + granted(nodes) + " of " + nodes.stream().mapToInt(AskedNode::asked).sum()
                + (reasons.isEmpty() ? "" : " (" + reasons + ")");
    }

    private static long granted(Collection<AskedNode> nodes) {
        return nodes.stream().mapToLong(AskedNode::granted).sum();
    }
}
