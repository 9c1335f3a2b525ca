package org.posthouse.names;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What stands in a relay between those that ask for names and the one back end (FT-MPI on H2O, section 3.1). Lookups of one name are merged, the listeners of
 * one prefix share a subscription, and the contenders of one token an {@link Election}. It has no state that a restart loses: who asked asks again. While the
 * back end does not answer, everything is refused at once with the time of the next try.
 *
 * <p>All state is confined to the executor, which runs one task at a time. Any thread may call; stages complete on the executor, and listeners are told there.
 */
public final class NameFrontEnd implements NameService {
    /** Most calls under way; the back end may be slow. */
    static final int UNDER_WAY_MAX = 4_096;

    private final NameService backEnd;
    private final String frontEnd;
    private final Alarm alarm;
    private final Executor executor;
    private final NameHistory history;
    private final BackEndHealth health;
    private final MergedLookups lookups;
    private final Map<Name, SharedSubscription> subscriptions = new HashMap<>();
    private final Map<Name, Contests> elections = new HashMap<>();
    private int underWay;
    private boolean closed;

    /** The elections of one token that contenders here wait for. */
    private static final class Contests {
        private final Election election;
        private int waiting;

        Contests(Election election) {
            this.election = election;
        }
    }

    /**
     * @param backEnd its owner closes it, after this
     * @param frontEnd the relay, by which elections tell their winners apart
     * @param onChange told, on the executor, why the back end does not answer any more, or nothing when it does again
     */
    public NameFrontEnd(NameService backEnd, String frontEnd, Alarm alarm, Executor executor, Consumer<Optional<String>> onChange) {
        this.backEnd = backEnd;
        this.frontEnd = frontEnd;
        this.alarm = alarm;
        this.executor = executor;
        this.history = new NameHistory(alarm);
        this.health = new BackEndHealth(backEnd, alarm, executor, onChange);
        this.lookups = new MergedLookups(backEnd::lookup, executor);
    }

    /** Finds out whether the back end answers. */
    public void start() {
        executor.execute(health::probe);
    }

    /** Why the back end does not answer; empty if it does. Thread-safe. */
    public Optional<String> unavailable() {
        return health.unavailable();
    }

    /** What listeners here were told last, for people. Thread-safe. */
    public NameHistory history() {
        return history;
    }

    /** Lookups that needed none of their own at the back end. Confined to the executor. */
    public long mergedLookups() {
        return lookups.merged();
    }

    /** Subscriptions of the back end, one for each prefix. Confined to the executor. */
    public int subscriptions() {
        return subscriptions.size();
    }

    /**
     * Contends in the next election of a token, or in the one that goes on, as {@link Election#contend}.
     *
     * @return who has won, here or elsewhere
     */
    public CompletionStage<Leader> elect(Name token, String contender) {
        return elect(token, contender, Long.MAX_VALUE);
    }

    /** As {@link Election#contend(String, long)}. */
    public CompletionStage<Leader> elect(Name token, String contender, long known) {
        // Its calls of the back end come through here, and note how they end.
        return ask(() -> {
            Contests contests = elections.computeIfAbsent(token, any -> new Contests(new Election(this, alarm, executor, token, frontEnd)));
            contests.waiting++;
            return contests.election.contend(contender, known).whenCompleteAsync((leader, fault) -> {
                contests.waiting--;
                if (contests.waiting == 0) {
                    elections.remove(token, contests);
                }
            }, executor);
        }, fault -> {});
    }

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return change(name, () -> backEnd.bind(name, record));
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return change(name, () -> backEnd.rebind(name, record));
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return change(name, () -> backEnd.swap(name, expected, record));
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return change(name, () -> backEnd.unbind(name, expected));
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return ask(() -> lookups.lookup(name));
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        if (limit < 1 || limit > LIST_MAX) {
            throw new IllegalArgumentException("limit " + limit + ", expected 1 to " + LIST_MAX);
        }
        return ask(() -> backEnd.list(prefix, limit, after));
    }

    private <T> CompletionStage<T> change(Name name, Supplier<CompletionStage<T>> work) {
        if (name.equals(Name.ROOT)) {
            return CompletableFuture.failedFuture(new NameException(NameException.Kind.BAD_NAME, "the root is the prefix of all names, and no name itself"));
        }
        return ask(work);
    }

    private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> work) {
        return ask(work, health::note);
    }

    private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> work, Consumer<NameException> note) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        executor.execute(() -> {
            try {
                check();
            } catch (NameException e) {
                answer.completeExceptionally(e);
                return;
            }
            underWay++;
            work.get().whenCompleteAsync((value, fault) -> {
                underWay--;
                if (fault == null) {
                    answer.complete(value);
                } else {
                    NameException known = Faults.of(fault);
                    note.accept(known);
                    answer.completeExceptionally(known);
                }
            }, executor);
        });
        return answer;
    }

    private void check() {
        if (closed) {
            throw NameException.unavailable("relay " + frontEnd + " has ended", 0);
        }
        health.check();
        if (underWay >= UNDER_WAY_MAX) {
            throw NameException.busy(
                    UNDER_WAY_MAX + " calls of relay " + frontEnd + " wait for the names' back end, which answers slowly: try again");
        }
    }

    @Override
    public Subscription listen(Name prefix, Consumer<NameChange> listener) {
        // An object of its own, as one consumer may listen twice; it hears nothing once it is closed.
        Listener own = new Listener(listener);
        executor.execute(() -> {
            if (!closed && !own.ended) {
                subscriptions.computeIfAbsent(prefix, any -> new SharedSubscription(backEnd, prefix, executor, history::add)).add(own);
            }
        });
        return () -> {
            own.ended = true;
            executor.execute(() -> {
                SharedSubscription shared = subscriptions.get(prefix);
                if (shared != null && shared.remove(own)) {
                    subscriptions.remove(prefix);
                }
            });
        };
    }

    private static final class Listener implements Consumer<NameChange> {
        private final Consumer<NameChange> consumer;

        /** Written by whoever closes the subscription, read by the executor. */
        private volatile boolean ended;

        Listener(Consumer<NameChange> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void accept(NameChange change) {
            if (!ended) {
                consumer.accept(change);
            }
        }
    }

    /** Ends the subscriptions. */
    @Override
    public void close() {
        executor.execute(() -> {
            closed = true;
            health.close();
            subscriptions.values().forEach(SharedSubscription::close);
            subscriptions.clear();
        });
    }
}
