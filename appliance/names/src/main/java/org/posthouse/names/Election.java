package org.posthouse.names;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One front end's part in the elections of one token, without locks (FT-MPI on H2O, section 3.2). All state is confined to the executor, which runs one
 * task at a time; any thread may call {@link #contend}.
 *
 * <p>The token's record names the leader, and its epoch counts the elections. An election is decided by one {@code bind} of {@code token_COUNT} for each front
 * end, however many contend through it. Whoever binds it then swaps the token's record. Three faults of the paper are mended. The count is read at each
 * election, as a front end may have missed some. A winner that dies before it has swapped is passed over after {@link #WINNER_MS}: the others contend for the
 * next count. A winner that sleeps meanwhile fails to swap, as the token has another version.
 */
public final class Election {
    /** Milliseconds that a winner may take to swap the token. */
    public static final long WINNER_MS = 2_000;

    /** Counts that one election passes over before it fails. */
    public static final int DEAD_WINNERS_MAX = 8;

    private final NameService names;
    private final Alarm alarm;
    private final Executor executor;
    private final Name token;
    private final String frontEnd;

    /** Contenders of this front end that wait for the election that goes on; the first of them contends for all. */
    private final List<CompletableFuture<Leader>> waiting = new ArrayList<>();

    /** The election that goes on; null if none does. */
    private Contest contest;

    /** What one election began with, and how far it is. */
    private final class Contest {
        private final String contender;
        private final long tokenVersion;
        private final long firstCount;
        private long count;
        private BoundName own;

        Contest(String contender, Optional<BoundName> bound) {
            this.contender = contender;
            this.tokenVersion = bound.map(BoundName::version).orElse(0L);
            this.firstCount = bound.map(found -> found.record().epoch()).orElse(0L) + 1;
            this.count = firstCount;
        }
    }

    /** @param frontEnd differs from that of every other front end */
    public Election(NameService names, Alarm alarm, Executor executor, Name token, String frontEnd) {
        this.names = names;
        this.alarm = alarm;
        this.executor = executor;
        this.token = token;
        this.frontEnd = frontEnd;
    }

    /**
     * Contends for the next election, or for the one that goes on.
     *
     * @return who was elected, perhaps by another front end; fails with a {@link NameException} if the names cannot be reached
     */
    public CompletionStage<Leader> contend(String contender) {
        return contend(contender, Long.MAX_VALUE);
    }

    /**
     * Contends for the election behind a known one, unless that is over.
     *
     * @param known the count of the election whose winner is to be replaced
     * @return as the other {@code contend}; if a later election than the known one is over, who has won that
     */
    public CompletionStage<Leader> contend(String contender, long known) {
        CompletableFuture<Leader> elected = new CompletableFuture<>();
        executor.execute(() -> {
            waiting.add(elected);
            if (waiting.size() == 1) {
                begin(contender, known);
            }
        });
        return elected;
    }

    private void begin(String contender, long known) {
        then(names.lookup(token), (bound, fault) -> {
            if (fault != null) {
                fail(fault);
            } else if (bound.isPresent() && bound.get().record().epoch() > known) {
                succeed(Leader.of(bound.get().record()));
            } else {
                contest = new Contest(contender, bound);
                bind();
            }
        });
    }

    private void bind() {
        NameRecord record = NameRecord.of(Map.of("contender", contest.contender, "frontEnd", frontEnd), contest.count);
        then(names.bind(ballot(contest.count), record), (bound, fault) -> {
            if (fault == null) {
                contest.own = bound;
                swap();
            } else if (fault.kind() == NameException.Kind.ALREADY_BOUND) {
                awaitWinner();
            } else {
                fail(fault);
            }
        });
    }

    private Name ballot(long count) {
        return token.beside("_" + count);
    }

    private void swap() {
        Leader leader = new Leader(contest.contender, frontEnd, contest.count, alarm.now());
        then(names.swap(token, contest.tokenVersion, leader.record()), (bound, fault) -> {
            if (fault == null) {
                collect();
                succeed(leader);
            } else if (fault.kind() == NameException.Kind.CONFLICT) {
                withdraw();
            } else {
                fail(fault); // Whether it was done the next election reads from the token.
            }
        });
    }

    /** Others went on without this winner. */
    private void withdraw() {
        then(names.unbind(ballot(contest.count), contest.own.version()), (done, ignored) -> then(names.lookup(token), (bound, fault) -> {
            if (fault != null) {
                fail(fault);
            } else if (bound.isPresent()) {
                succeed(Leader.of(bound.get().record()));
            } else {
                fail(NameException.notBound(token));
            }
        }));
    }

    /** Another front end has bound the count: its swap of the token is awaited. */
    private void awaitWinner() {
        Contest now = contest;
        NameService.Subscription[] told = new NameService.Subscription[1];
        told[0] = names.listen(token, change -> executor.execute(() -> {
            if (contest == now && change.present() && change.bound().name().equals(token) && change.bound().record().epoch() >= now.count) {
                told[0].close(); // It is there: this task came after the one that began to listen.
                succeed(Leader.of(change.bound().record()));
            }
        }));
        long count = now.count;
        alarm.after(WINNER_MS, () -> {
            if (contest == now && now.count == count) {
                told[0].close();
                passOver();
            }
        });
    }

    /** The winner has not swapped in time. A change may have been missed, so the token is read once more. */
    private void passOver() {
        Contest now = contest;
        then(names.lookup(token), (bound, fault) -> {
            if (fault != null) {
                fail(fault);
            } else if (bound.map(found -> found.record().epoch()).orElse(0L) >= now.count) {
                succeed(Leader.of(bound.orElseThrow().record()));
            } else if (now.count - now.firstCount + 1 >= DEAD_WINNERS_MAX) {
                fail(new NameException(
                        NameException.Kind.UNAVAILABLE,
                        DEAD_WINNERS_MAX + " winners in a row of elections of " + token + " have not taken office within " + WINNER_MS + " ms each"));
            } else {
                now.count++;
                bind();
            }
        });
    }

    /** Removes a ballot that nobody can contend for any more. */
    private void collect() {
        if (contest.count > DEAD_WINNERS_MAX + 1) {
            names.unbind(ballot(contest.count - DEAD_WINNERS_MAX - 1), NameService.ANY_VERSION);
        }
    }

    private void succeed(Leader leader) {
        end(each -> each.complete(leader));
    }

    private void fail(NameException fault) {
        end(each -> each.completeExceptionally(fault));
    }

    private void end(Consumer<CompletableFuture<Leader>> with) {
        List<CompletableFuture<Leader>> told = List.copyOf(waiting);
        waiting.clear();
        contest = null;
        told.forEach(with);
    }

    /** Goes on with an answer on the executor. */
    private <T> void then(CompletionStage<T> asked, BiConsumer<T, NameException> with) {
        asked.whenCompleteAsync((answer, fault) -> with.accept(answer, fault == null ? null : Faults.of(fault)), executor);
    }
}
