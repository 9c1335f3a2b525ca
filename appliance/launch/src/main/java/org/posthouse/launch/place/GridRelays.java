package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Token;

/**
 * One question to the named relays and to all relays that they know. Immutable.
 *
 * @param <T> an answer
 * @param answers of those that have answered, the named ones first
 * @param unreached relays that could not be asked
 */
public record GridRelays<T>(List<T> answers, List<Unreached> unreached) {
    /** A question to one relay, over a connection of its own. */
    public interface Question<T> {
        T ask(RelayClient relay) throws JobFailure;
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

    public GridRelays {
        answers = List.copyOf(answers);
        unreached = List.copyOf(unreached);
    }

    /**
     * Asks the relays, those that are only known all at once. Blocks for about {@link RelayClient#ANSWER_SECONDS} at most.
     *
     * @param addresses of the named relays, as host:port
     * @throws JobFailure if a named relay cannot be asked
     */
    public static <T> GridRelays<T> ask(List<String> addresses, Token token, Question<T> question) throws JobFailure {
        List<T> answers = new ArrayList<>();
        Map<String, HomeRelay> others = new LinkedHashMap<>();
        List<String> asked = new ArrayList<>();
        for (String address : addresses) {
            try (RelayClient relay = RelayClient.connect(address, token)) {
                relay.known().forEach(known -> others.putIfAbsent(known.relay(), known.home()));
                if (!asked.contains(relay.home().relay())) {
                    asked.add(relay.home().relay());
                    answers.add(question.ask(relay));
                }
            }
        }
        others.keySet().removeAll(asked);
        List<Unreached> unreached = new ArrayList<>();
        for (GridRelays<T> other : all(others.values().stream().map(relay -> task(relay, token, question)).toList())) {
            answers.addAll(other.answers());
            unreached.addAll(other.unreached());
        }
        return new GridRelays<>(answers, unreached);
    }

    private static <T> List<GridRelays<T>> all(List<Callable<GridRelays<T>>> tasks) throws JobFailure {
        List<GridRelays<T>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<GridRelays<T>> answer : threads.invokeAll(tasks)) {
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

    private static <T> Callable<GridRelays<T>> task(HomeRelay relay, Token token, Question<T> question) {
        return () -> askOne(relay, token, question);
    }

    /** Asks a relay that another knows. It may have ended, or its address may lead elsewhere from here. */
    private static <T> GridRelays<T> askOne(HomeRelay relay, Token token, Question<T> question) {
        try (RelayClient client = RelayClient.connect(relay.address(), token)) {
            if (!client.home().relay().equals(relay.relay())) {
                return unreached(relay, "relay " + client.home().relay() + " answers there; start " + relay.relay()
                        + " with --announce and the address at which it is reached from here");
            }
            return new GridRelays<>(List.of(question.ask(client)), List.of());
        } catch (JobFailure e) {
            return unreached(relay, e.getMessage());
        }
    }

    private static <T> GridRelays<T> unreached(HomeRelay relay, String why) {
        return new GridRelays<>(List.of(), List.of(new Unreached(relay.site(), relay.relay(), relay.address(), why)));
    }
}
