package org.posthouse.launch.reserve;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.AllocationRequest.Strategy;
import org.posthouse.launch.place.NodeAllocation;
import org.posthouse.launch.place.NodeOrder;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.wire.AgentMessage.Reserve;
import org.posthouse.wire.AgentMessage.Reserved;
import org.posthouse.wire.Token;

/**
 * Relays, agents and launchers in one thread, on virtual time in nanoseconds.
 *
 * <p>Each agent tells its relay at once what it has free. Each relay posts its sum of free slots to the directory, at most
 * once a second, and how many of its agents have any. A launcher reads the sums, asks the nearest relays for their nodes,
 * and reserves. It needs enough slots to concentrate, and enough agents to spread. Messages of one pair
 * arrive in their order.
 */
final class ReservationWorld {
    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;

    /** The directory's members hear of a posting this much later. */
    private static final long DIRECTORY_NS = 50 * MS;

    private static final int OFFERS_PER_FRAME = 500;

    final Random random;
    final List<Relay> relays = new ArrayList<>();
    final List<Agent> agents = new ArrayList<>();
    final List<Launcher> launchers = new ArrayList<>();

    /** Longest random delay of a message. */
    private final long jitterNs;

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::timeNs).thenComparingLong(Event::number));
    private long nowNs;
    private long eventsMade;

    private record Event(long timeNs, long number, Runnable action) {}

    ReservationWorld(long seed, long jitterNs) {
        this.random = new Random(seed);
        this.jitterNs = jitterNs;
    }

    long nowNs() {
        return nowNs;
    }

    void at(long timeNs, Runnable action) {
        events.add(new Event(timeNs, eventsMade++, action));
    }

    private void after(long delayNs, Runnable action) {
        at(nowNs + delayNs, action);
    }

    /** Runs until nothing happens any more. */
    void run() {
        for (Event event = events.poll(); event != null; event = events.poll()) {
            nowNs = Math.max(nowNs, event.timeNs);
            event.action.run();
        }
    }

    /** A relay, the offers of its agents, and what it posts. */
    final class Relay {
        private final int number;
        private final Map<Agent, Integer> offers = new HashMap<>();

        /** Sum of the free slots as the directory has it. */
        private int postedSlots;

        /** Number of agents with a free slot as the directory has it. */
        private int postedAgents;

        private boolean isPostingDue;
        final List<Long> postingsNs = new ArrayList<>();

        Relay(int number) {
            this.number = number;
        }

        String site() {
            return String.format("site-%02d", number);
        }

        private void offer(Agent agent, int free) {
            offers.put(agent, free);
            if (!isPostingDue) {
                isPostingDue = true;
                long lastNs = postingsNs.isEmpty() ? nowNs - SECOND : postingsNs.getLast();
                at(Math.max(nowNs, lastNs + SECOND), this::post);
            }
        }

        private void post() {
            isPostingDue = false;
            postingsNs.add(nowNs);
            int sum = offers.values().stream().mapToInt(Integer::intValue).sum();
            int some = (int) offers.values().stream().filter(free -> free > 0).count();
            after(DIRECTORY_NS, () -> {
                postedSlots = sum;
                postedAgents = some;
            });
        }
    }

    /** An agent with its ledger. */
    final class Agent {
        private final int number;
        private final Relay relay;
        private final long rttNs;
        final SlotLedger ledger;
        boolean isAlive = true;

        Agent(Relay relay, int slots) {
            this.number = agents.size() + 1;
            this.relay = relay;
            this.rttNs = (200 + random.nextInt(200)) * 1_000L;
            this.ledger = new SlotLedger(new SlotLimits(slots, slots, slots), Set.of());
            relay.offers.put(this, slots);
            relay.postedSlots += slots;
            relay.postedAgents++;
        }

        private void changed() {
            int free = ledger.free();
            after(rttNs / 2, () -> relay.offer(this, isAlive ? free : 0));
            long expiryNs = ledger.untilExpiryNs(nowNs);
            if (expiryNs != Long.MAX_VALUE) {
                after(expiryNs, () -> {
                    if (ledger.expire(nowNs)) {
                        changed();
                    }
                });
            }
        }

        private void receive(Launcher from, ReservationStep step) {
            if (!isAlive) {
                from.reply(this, () -> from.take(from.round.onLost(number, "the node is gone", nowNs)));
                return;
            }
            switch (step) {
                case ReservationStep.Ask ask -> {
                    Reserved answer =
                            ledger.reserve(from.job, new Reserve(from.key, ask.want(), ReservationRound.TTL_MS, "ann"), nowNs);
                    from.reply(this, () -> from.take(from.round.onReserved(number, answer, nowNs)));
                }
                case ReservationStep.Keep keep -> {
                    if (ledger.confirm(from.job, from.key, keep.slots(), nowNs) < keep.slots()) {
                        from.reply(this, () -> from.take(from.round.onLost(number, "the slots have expired", nowNs)));
                    }
                    from.confirmedNs = nowNs;
                }
                default -> ledger.release(from.job, from.key);
            }
            changed();
        }
    }

    /** A launcher at one site. */
    final class Launcher {
        private final int home;
        private final AllocationRequest request;
        final long job = launchers.size() + 1;
        private final Token key;
        private ReservationRound round;
        private final Map<Agent, Long> lastArrivalNs = new HashMap<>();

        private int answersOpen;
        private List<NodeSlots> offers = new ArrayList<>();

        long startedNs;

        /** When the last confirmation reached an agent. */
        long confirmedNs;

        /** When the reservation ended; -1 before. */
        long endedNs = -1;

        NodeAllocation allocation;
        String failure;

        /** Longest round trip to an agent that was asked, or to a relay. */
        long farthestNs;

        /** Frames from and to the launcher, and between relays and agents for it. */
        long frames;

        int rounds;

        /** Called with each step before it is carried out. */
        Consumer<ReservationStep> onStep = step -> {};

        Launcher(int home, AllocationRequest request) {
            this.home = home;
            this.request = request;
            this.key = new Token(random.nextLong(), random.nextLong());
            this.round = new ReservationRound(request, new Random(random.nextLong()));
        }

        void start() {
            startedNs = nowNs;
            askRelays();
        }

        /** Round trip to a relay: 0.2 ms to one's own, 5 ms and more to others. */
        private long linkNs(Relay relay) {
            return relay.number == home ? MS / 5 : 5 * MS + 3 * MS * Math.abs(relay.number - home);
        }

        private void askRelays() {
            rounds++;
            offers = new ArrayList<>();
            long missing = (5 * request.processes() + 3) / 4;
            List<Relay> asked = new ArrayList<>();
            for (Relay relay : relays.stream().sorted(Comparator.comparingLong(this::linkNs)).toList()) {
                if (missing > 0) {
                    asked.add(relay);
                    missing -= request.strategy() == Strategy.SPREAD ? relay.postedAgents : relay.postedSlots;
                }
            }
            answersOpen = asked.size();
            for (Relay relay : asked) {
                farthestNs = Math.max(farthestNs, linkNs(relay));
                frames += 1 + (relay.offers.size() + OFFERS_PER_FRAME - 1) / OFFERS_PER_FRAME;
                after(linkNs(relay) / 2, () -> {
                    List<NodeSlots> nodes = relay.offers.entrySet().stream()
                            .map(offer -> node(offer.getKey(), offer.getValue()))
                            .toList();
                    after(linkNs(relay) / 2, () -> onOffers(nodes));
                });
            }
        }

        private NodeSlots node(Agent agent, int free) {
            long micros = (linkNs(agent.relay) + agent.rttNs) / 1_000;
            int slots = agent.isAlive ? agent.ledger.limits().slotsPerJob() : 0;
            return new NodeSlots(
                    agent.number, "n" + agent.number, "h" + agent.number, agent.relay.site(), micros, slots, Math.min(free, slots), Map.of());
        }

        private void onOffers(List<NodeSlots> nodes) {
            offers.addAll(nodes);
            if (--answersOpen == 0) {
                take(round.onNodes(NodeOrder.byDistance(offers), nowNs));
            }
        }

        private void take(List<ReservationStep> steps) {
            for (ReservationStep step : steps) {
                onStep.accept(step);
                switch (step) {
                    case ReservationStep.Ask ask -> send(agents.get((int) ask.agent() - 1), step);
                    case ReservationStep.Keep keep -> send(agents.get((int) keep.agent() - 1), step);
                    case ReservationStep.GiveBack giveBack -> send(agents.get((int) giveBack.agent() - 1), step);
                    case ReservationStep.WaitUntil wait -> at(wait.timeNs(), () -> take(round.onTime(nowNs)));
                    case ReservationStep.AskNodes askNodes -> {
                        allocation = null;
                        askRelays();
                    }
                    case ReservationStep.Allocated allocated -> {
                        allocation = allocated.allocation();
                        endedNs = nowNs;
                    }
                    case ReservationStep.Failed failed -> {
                        allocation = null;
                        failure = failed.why();
                        endedNs = nowNs;
                    }
                }
            }
        }

        private void send(Agent agent, ReservationStep step) {
            farthestNs = Math.max(farthestNs, linkNs(agent.relay) + agent.rttNs);
            deliver(agent, () -> agent.receive(this, step));
        }

        private void reply(Agent agent, Runnable action) {
            deliver(agent, action);
        }

        /** A hop to the relay and one beyond. */
        private void deliver(Agent agent, Runnable action) {
            frames += 2;
            long jitter = jitterNs == 0 ? 0 : random.nextLong(jitterNs);
            long arrivalNs = Math.max(lastArrivalNs.getOrDefault(agent, 0L), nowNs + (linkNs(agent.relay) + agent.rttNs) / 2 + jitter);
            lastArrivalNs.put(agent, arrivalNs);
            at(arrivalNs, action);
        }
    }

    /** Adds relays, each with its agents. */
    void addRelays(int count, int agentsOfEach, int slots) {
        for (int i = 0; i < count; i++) {
            Relay relay = new Relay(i);
            relays.add(relay);
            for (int agent = 0; agent < agentsOfEach; agent++) {
                agents.add(new Agent(relay, slots));
            }
        }
    }

    /** A launcher that starts at the given time. */
    Launcher launch(int home, AllocationRequest request, long timeNs) {
        Launcher launcher = new Launcher(home, request);
        launchers.add(launcher);
        at(timeNs, launcher::start);
        return launcher;
    }
}
