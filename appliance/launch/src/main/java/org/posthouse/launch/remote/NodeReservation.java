package org.posthouse.launch.remote;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AgentFrameListener;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.NodeAllocation;
import org.posthouse.launch.place.NodeOrder;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.launch.place.PlacedRank;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.reserve.ReservationRound;
import org.posthouse.launch.reserve.ReservationStep;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/** Reserves slots of agents for a job: carries out the steps of a {@link ReservationRound}, on the launching thread. */
public final class NodeReservation {
    private final List<RelayClient> lines;
    private final long job;
    private final Token key;
    private final String user;
    private final ReservationRound round;
    private final int launcherSeconds;

    /** Name by which agents join the job; empty if none do. */
    private final String name;

    /** What the readers of the connections have received, for the launching thread. */
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

    private final Map<Long, AgentOffer> offers = new LinkedHashMap<>();

    /** For each agent, the index of its relay's connection. */
    private final Map<Long, Integer> lineOf = new HashMap<>();

    /** An agent's answer; if it is null, the agent is gone. */
    private record Answer(long agent, AgentMessage.Reserved reserved, String why) {}

    /**
     * A node where the job has slots.
     *
     * @param line index of its relay's connection
     * @param ranks the ranks whose first processes are to be started there
     * @param followed the ranks whose followers are
     */
    public record Place(int line, AgentOffer offer, List<Integer> ranks, List<Integer> followed) {
        public Place {
            ranks = List.copyOf(ranks);
            followed = List.copyOf(followed);
        }
    }

    /**
     * @param lines connections to relays whose nodes can be used
     * @param key drawn for the job
     * @param user the launcher's user
     * @param launcherSeconds how long agents keep the job's processes without a launcher
     */
    public NodeReservation(
            List<RelayClient> lines, long job, Token key, String user, AllocationRequest request, int launcherSeconds, RandomGenerator random) {
        this.lines = List.copyOf(lines);
        this.job = job;
        this.key = key;
        this.user = user;
        this.launcherSeconds = launcherSeconds;
        this.name = request.job();
        this.round = new ReservationRound(request, random);
    }

    /** Whether any of these relays has an agent that serves any job. */
    public static boolean hasNodes(List<RelayClient> lines) throws JobFailure {
        for (RelayClient line : lines) {
            if (line.nodes().stream().anyMatch(offer -> !offer.labels().containsKey(AgentOffer.JOB_LABEL))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reserves slots and confirms those that are used.
     *
     * @throws JobFailure in one line that says what was asked for and who granted how much; nothing is reserved then
     */
    public List<Place> reserve() throws JobFailure {
        lines.forEach(line -> line.listenAgents(new Receiver()));
        Deque<ReservationStep> steps = new ArrayDeque<>(round.onNodes(nodes(), System.nanoTime()));
        long deadlineNs = System.nanoTime();
        while (true) {
            if (steps.isEmpty()) {
                steps.addAll(next(deadlineNs));
            } else if (steps.peek() instanceof ReservationStep.Allocated allocated) {
                return places(allocated.allocation());
            } else if (steps.peek() instanceof ReservationStep.Failed failed) {
                throw new JobFailure(failed.why());
            } else if (steps.peek() instanceof ReservationStep.WaitUntil wait) {
                deadlineNs = wait.timeNs();
                steps.remove();
            } else if (steps.peek() instanceof ReservationStep.AskNodes) {
                steps.remove();
                steps.addAll(round.onNodes(nodes(), System.nanoTime()));
            } else {
                send(steps.remove());
            }
        }
    }

    /** Gives back what was reserved. */
    public void release(List<Place> places) {
        for (Place place : places) {
            try {
                send(place.offer().agent(), new AgentMessage.Release(key));
            } catch (JobFailure e) {
                // The relay is gone: its agents free the slots without their launcher.
            }
        }
    }

    private void send(ReservationStep step) throws JobFailure {
        switch (step) {
            case ReservationStep.Ask ask -> send(ask.agent(), new AgentMessage.Reserve(key, ask.want(), ReservationRound.TTL_MS, user, name));
            case ReservationStep.Keep keep -> send(keep.agent(), new AgentMessage.Confirm(key, keep.slots(), launcherSeconds));
            case ReservationStep.GiveBack back -> send(back.agent(), new AgentMessage.Release(key));
            default -> throw new IllegalStateException("a step that is not sent: " + step);
        }
    }

    private void send(long agent, AgentMessage message) throws JobFailure {
        RelayClient line = lines.get(lineOf.get(agent));
        try {
            line.send(AgentEnvelope.of(job, agent, 0, message).encode());
        } catch (IOException e) {
            throw new JobFailure(line + " is gone: " + e.getMessage(), e);
        }
    }

    /** Waits for an answer, or for the time that the round waits for. */
    private List<ReservationStep> next(long deadlineNs) throws JobFailure {
        try {
            Answer answer = answers.poll(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            long nowNs = System.nanoTime();
            if (answer == null) {
                return round.onTime(nowNs);
            }
            return answer.reserved == null ? round.onLost(answer.agent, answer.why, nowNs) : round.onReserved(answer.agent, answer.reserved, nowNs);
        } catch (InterruptedException e) {
            try {
                for (ReservationStep step : round.cancel()) {
                    send(step);
                }
            } finally {
                Thread.currentThread().interrupt(); // Before, it would close the connections that are written to.
            }
            throw new JobFailure("interrupted while waiting for nodes", e);
        }
    }

    /** The nodes of these relays with the slots that they would give now, nearest first. Nothing is reserved. */
    public static List<NodeSlots> free(List<RelayClient> lines) throws JobFailure {
        List<NodeSlots> nodes = new ArrayList<>();
        for (RelayClient line : lines) {
            for (AgentOffer offer : line.nodes()) {
                nodes.add(NodeSlots.of(offer, line.home().site(), line.roundTripUs()).at(line.home().relay()));
            }
        }
        return NodeOrder.byDistance(nodes);
    }

    private List<NodeSlots> nodes() throws JobFailure {
        offers.clear();
        List<NodeSlots> nodes = new ArrayList<>();
        for (int line = 0; line < lines.size(); line++) {
            for (AgentOffer offer : lines.get(line).nodes()) {
                offers.put(offer.agent(), offer);
                lineOf.put(offer.agent(), line);
                nodes.add(NodeSlots.of(offer, lines.get(line).home().site(), lines.get(line).roundTripUs()).at(lines.get(line).home().relay()));
            }
        }
        return NodeOrder.byDistance(nodes);
    }

    private List<Place> places(NodeAllocation allocation) {
        Map<Long, List<PlacedRank>> ofAgent = new LinkedHashMap<>();
        for (PlacedRank placed : allocation.placed()) {
            ofAgent.computeIfAbsent(placed.node().agent(), agent -> new ArrayList<>()).add(placed);
        }
        return ofAgent.entrySet().stream()
                .map(entry -> new Place(
                        lineOf.get(entry.getKey()), offers.get(entry.getKey()), ranks(entry.getValue(), true), ranks(entry.getValue(), false)))
                .toList();
    }

    private static List<Integer> ranks(List<PlacedRank> placed, boolean areFirst) {
        return placed.stream().filter(place -> place.copy() == 0 == areFirst).map(PlacedRank::rank).toList();
    }

    /** Receives the agents' answers, on the threads that read. */
    private final class Receiver implements AgentFrameListener {
        @Override
        public void onFrame(FrameType type, ByteBuffer frame) throws WireException {
            if (type == FrameType.AGENT_MESSAGE) {
                AgentEnvelope envelope = AgentEnvelope.decode(frame);
                if (envelope.message() instanceof AgentMessage.Reserved reserved) {
                    answers.add(new Answer(envelope.agent(), reserved, ""));
                }
            } else if (type == FrameType.AGENT_GONE) {
                AgentGone gone = AgentGone.decode(frame);
                answers.add(new Answer(gone.end(), null, gone.why()));
            }
        }
    }
}
