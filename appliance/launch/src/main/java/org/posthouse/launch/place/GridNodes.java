package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Token;

/**
 * The nodes of the named relays and of all relays that they know. Immutable.
 *
 * @param nodes by site, relay and name
 * @param unreached relays that could not be asked
 */
public record GridNodes(List<Node> nodes, List<Unreached> unreached) {
    private static final Comparator<Node> ORDER =
            Comparator.comparing(Node::site).thenComparing(Node::relay).thenComparing(node -> node.offer().name());

    /**
     * One agent.
     *
     * @param site of its relay
     * @param relay its relay
     * @param address where its relay was asked, as host:port
     * @param offer its last offer
     */
    public record Node(String site, String relay, String address, AgentOffer offer) {
        /** The node's name among all nodes of the grid. */
        public String fullName() {
            return offer.name() + "@" + relay;
        }
    }

    /**
     * A relay that could not be asked.
     *
     * @param site its site
     * @param relay its id
     * @param address where it was asked, as host:port
     * @param why for people
     */
    public record Unreached(String site, String relay, String address, String why) {
        @Override
        public String toString() {
            return "relay " + relay + " of site " + site + " at " + address + " cannot be asked for its nodes: " + why;
        }
    }

    /** What one relay has answered. */
    private record Answer(List<Node> nodes, List<Unreached> unreached) {}

    public GridNodes {
        nodes = List.copyOf(nodes);
        unreached = List.copyOf(unreached);
    }

    /**
     * Asks the relays, those that are only known all at once. Blocks for about {@link RelayClient#ANSWER_SECONDS} at most.
     *
     * @param addresses of the named relays, as host:port
     * @throws JobFailure if a named relay cannot be asked
     */
    public static GridNodes ask(List<String> addresses, Token token) throws JobFailure {
        List<Node> nodes = new ArrayList<>();
        Map<String, HomeRelay> others = new LinkedHashMap<>();
        List<String> asked = new ArrayList<>();
        for (String address : addresses) {
            try (RelayClient relay = RelayClient.connect(address, token)) {
                relay.known().forEach(known -> others.putIfAbsent(known.relay(), known.home()));
                if (!asked.contains(relay.home().relay())) {
                    asked.add(relay.home().relay());
                    nodes.addAll(nodes(relay));
                }
            }
        }
        others.keySet().removeAll(asked);
        List<Unreached> unreached = new ArrayList<>();
        for (Answer answer : answers(others.values().stream().toList(), token)) {
            nodes.addAll(answer.nodes());
            unreached.addAll(answer.unreached());
        }
        nodes.sort(ORDER);
        return new GridNodes(nodes, unreached);
    }

    private static List<Answer> answers(List<HomeRelay> relays, Token token) throws JobFailure {
        List<Answer> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Answer> answer : threads.invokeAll(relays.stream().map(relay -> task(relay, token)).toList())) {
                answers.add(answer.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while relays were asked for their nodes", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a relay's answer cannot be used", e.getCause());
        }
        return answers;
    }

    private static Callable<Answer> task(HomeRelay relay, Token token) {
        return () -> askOne(relay, token);
    }

    /** Asks a relay that another knows. It may have ended, or its address may lead elsewhere from here. */
    private static Answer askOne(HomeRelay relay, Token token) {
        try (RelayClient client = RelayClient.connect(relay.address(), token)) {
            if (!client.home().relay().equals(relay.relay())) {
                return unreached(relay, "relay " + client.home().relay() + " answers there; start " + relay.relay()
                        + " with --announce and the address at which it is reached from here");
            }
            return new Answer(nodes(client), List.of());
        } catch (JobFailure e) {
            return unreached(relay, e.getMessage());
        }
    }

    private static Answer unreached(HomeRelay relay, String why) {
        return new Answer(List.of(), List.of(new Unreached(relay.site(), relay.relay(), relay.address(), why)));
    }

    private static List<Node> nodes(RelayClient relay) throws JobFailure {
        HomeRelay home = relay.home();
        return relay.nodes().stream().map(offer -> new Node(home.site(), home.relay(), home.address(), offer)).toList();
    }
}
