package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What a front end saves its back end, and what it does while that one does not answer. */
class NameFrontEndTest {
    private static final Name A = Name.parse("a");

    /** Answers when the test says so; counts what comes. */
    private static final class Slow implements NameService {
        private final MemoryNames memory = new MemoryNames();
        private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
        private final List<String> calls = new ArrayList<>();
        private boolean isDown;
        private boolean isBusy;

        private <T> CompletionStage<T> call(String what, Supplier<CompletionStage<T>> work) {
            calls.add(what);
            if (isBusy) {
                return CompletableFuture.failedFuture(NameException.busy("16 listings are under way"));
            }
            if (isDown) {
                return CompletableFuture.failedFuture(new NameException(NameException.Kind.UNAVAILABLE, "the directory server is down"));
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            waiting.add(() -> work.get().whenComplete((value, fault) -> {
                if (fault == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(fault);
                }
            }));
            return answer;
        }

        @Override
        public CompletionStage<BoundName> bind(Name name, NameRecord record) {
            return call("bind " + name, () -> memory.bind(name, record));
        }

        @Override
        public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
            return call("rebind " + name, () -> memory.rebind(name, record));
        }

        @Override
        public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
            return call("swap " + name, () -> memory.swap(name, expected, record));
        }

        @Override
        public CompletionStage<Optional<BoundName>> lookup(Name name) {
            return call("lookup " + name, () -> memory.lookup(name));
        }

        @Override
        public CompletionStage<Boolean> unbind(Name name, long expected) {
            return call("unbind " + name, () -> memory.unbind(name, expected));
        }

        @Override
        public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
            return call("list " + prefix, () -> memory.list(prefix, limit, after));
        }

        @Override
        public Subscription listen(Name prefix, Consumer<NameChange> listener) {
            calls.add("listen " + prefix);
            return memory.listen(prefix, listener);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private static NameRecord record(String value) {
        return NameRecord.of(Map.of("v", value));
    }

    private final Slow slow = new Slow();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> states = new ArrayList<>();
    private final List<Runnable> alarms = new ArrayList<>();
    private final List<Long> pauses = new ArrayList<>();
    private final Alarm alarm = new Alarm() {
        @Override
        public void after(long millis, Runnable work) {
            pauses.add(millis);
            alarms.add(work);
        }

        @Override
        public long now() {
            return 1_000;
        }
    };
    private final NameFrontEnd frontEnd = new NameFrontEnd(slow, "site-a", alarm, tasks::add, why -> states.add(why.orElse("answers")));

    private void run() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private void answer() {
        slow.waiting.remove().run();
        run();
    }

    private void ring() {
        alarms.removeLast().run();
        run();
    }

    private static String value(CompletionStage<Optional<BoundName>> lookup) {
        CompletableFuture<Optional<BoundName>> future = lookup.toCompletableFuture();
        return future.isDone() ? future.join().map(bound -> bound.record().field("v")).orElse("none") : "waits";
    }

    private static NameException fault(CompletionStage<?> stage) {
        return (NameException) stage.toCompletableFuture().exceptionNow();
    }

    @Test
    void aHundredLookupsOfOneNameAreTwoAtTheBackEnd() {
        slow.memory.bind(A, record("1"));
        List<CompletionStage<Optional<BoundName>>> asked = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            asked.add(frontEnd.lookup(A));
        }
        run();
        assertThat(slow.calls).containsExactly("lookup a");
        answer();
        assertThat(value(asked.getFirst())).isEqualTo("1");
        answer();
        assertThat(asked).allMatch(lookup -> value(lookup).equals("1"));
        assertThat(slow.calls).containsExactly("lookup a", "lookup a");
        assertThat(frontEnd.mergedLookups()).isEqualTo(98);
    }

    /** Somebody who has heard of a change must not be told what was there before. */
    @Test
    void aLookupIsNotAnsweredByOneThatBeganBefore() {
        slow.memory.bind(A, record("old"));
        CompletionStage<Optional<BoundName>> first = frontEnd.lookup(A);
        run();
        Runnable early = slow.waiting.remove();
        early.run(); // It has read.
        slow.memory.rebind(A, record("new"));
        CompletionStage<Optional<BoundName>> second = frontEnd.lookup(A);
        tasks.addFirst(tasks.removeLast()); // The question comes before the answer.
        run();
        assertThat(value(first)).isEqualTo("old");
        assertThat(value(second)).isEqualTo("waits");
        answer();
        assertThat(value(second)).isEqualTo("new");
    }

    @Test
    void listenersOfOnePrefixShareASubscriptionAndEachBeginsWithWhatIsThere() {
        slow.memory.bind(Name.parse("p/x"), record("1"));
        slow.memory.bind(Name.parse("p/y"), record("1"));
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        NameService.Subscription one = frontEnd.listen(Name.parse("p"), change -> first.add(change.bound().name() + " " + change.present()));
        run();
        slow.memory.unbind(Name.parse("p/x"), NameService.ANY_VERSION);
        run();
        NameService.Subscription two = frontEnd.listen(Name.parse("p"), change -> second.add(change.bound().name() + " " + change.present()));
        run();
        assertThat(first).containsExactly("p/x true", "p/y true", "p/x false");
        assertThat(second).containsExactly("p/y true");
        assertThat(slow.calls).containsExactly("listen p");
        one.close();
        slow.memory.bind(Name.parse("p/z"), record("1"));
        run();
        assertThat(first).hasSize(3);
        assertThat(second).hasSize(2);
        two.close();
        run();
        assertThat(frontEnd.subscriptions()).isZero();
        slow.memory.bind(Name.parse("p/w"), record("1"));
        run();
        assertThat(second).hasSize(2);
        assertThat(frontEnd.history().newestFirst()).extracting(entry -> entry.name() + " " + entry.version() + " " + entry.present() + " " + entry.fields())
                .containsExactly("p/z 1 true v=1", "p/x 1 false v=1", "p/y 1 true v=1", "p/x 1 true v=1");
    }

    @Test
    void whatABackEndThatIsDownCannotDoIsRefusedAtOnceUntilItAnswers() {
        slow.isDown = true;
        frontEnd.start();
        run();
        assertThat(states).containsExactly("the directory server is down");
        assertThat(pauses).containsExactly(BackEndHealth.FIRST_MS);
        CompletionStage<Optional<BoundName>> refused = frontEnd.lookup(A);
        run();
        assertThat(fault(refused).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(fault(refused)).hasMessage("the directory server is down");
        assertThat(fault(refused).retryMs()).isEqualTo(BackEndHealth.FIRST_MS);
        assertThat(slow.calls).as("asked once").containsExactly("lookup posthouse");
        for (int i = 0; i < 6; i++) {
            ring();
        }
        assertThat(pauses).containsExactly(500L, 1_000L, 2_000L, 4_000L, 8_000L, BackEndHealth.LAST_MS, BackEndHealth.LAST_MS);
        slow.isDown = false;
        ring();
        answer();
        assertThat(states).containsExactly("the directory server is down", "answers");
        assertThat(frontEnd.unavailable()).isEmpty();
        CompletionStage<Optional<BoundName>> again = frontEnd.lookup(A);
        run();
        answer();
        assertThat(value(again)).isEqualTo("none");
    }

    @Test
    void anAnswerThatNeverComesInTimeTellsThatTheBackEndIsDown() {
        CompletionStage<BoundName> first = frontEnd.bind(A, record("1"));
        run();
        assertThat(frontEnd.unavailable()).isEmpty();
        slow.isDown = true;
        CompletionStage<BoundName> second = frontEnd.bind(Name.parse("b"), record("1"));
        run();
        assertThat(fault(second).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(frontEnd.unavailable()).contains("the directory server is down");
        answer();
        assertThat(first.toCompletableFuture().join().version()).isEqualTo(1);
    }

    @Test
    void noMoreThanSoManyCallsWaitForASlowBackEnd() {
        for (int i = 0; i < NameFrontEnd.UNDER_WAY_MAX; i++) {
            frontEnd.bind(Name.parse("n" + i), record("1"));
        }
        CompletionStage<BoundName> oneMore = frontEnd.bind(A, record("1"));
        run();
        assertThat(fault(oneMore)).hasMessageContaining("4096 calls of relay site-a wait");
        answer();
        CompletionStage<BoundName> next = frontEnd.bind(A, record("1"));
        run();
        assertThat(next.toCompletableFuture()).isNotDone();
    }

    @Test
    void aBackEndThatRefusesOneCallIsNotDown() {
        slow.isBusy = true;
        frontEnd.start();
        CompletionStage<List<BoundName>> refused = frontEnd.list(Name.ROOT, 1, Optional.empty());
        run();
        assertThat(fault(refused).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(states).isEmpty();
        slow.isBusy = false;
        CompletionStage<Optional<BoundName>> next = frontEnd.lookup(A);
        run();
        answer();
        assertThat(value(next)).isEqualTo("none");
    }

    @Test
    void aProbeThatIsRefusedIsRepeatedUntilTheBackEndAnswers() {
        slow.isDown = true;
        frontEnd.start();
        run();
        slow.isBusy = true;
        ring();
        assertThat(frontEnd.unavailable()).contains("the directory server is down");
        assertThat(pauses).containsExactly(500L, 1_000L);
    }

    /** They are no fault of the back end. */
    @Test
    void winnersThatDoNotTakeOfficeLeaveTheBackEndUp() {
        for (int count = 1; count <= Election.DEAD_WINNERS_MAX; count++) {
            slow.memory.bind(Name.parse("t_" + count), record("dead"));
        }
        CompletionStage<Leader> elected = frontEnd.elect(Name.parse("t"), "contender");
        run();
        while (!elected.toCompletableFuture().isDone()) {
            if (slow.waiting.isEmpty()) {
                ring();
            } else {
                answer();
            }
        }
        assertThat(fault(elected)).hasMessageContaining("8 winners in a row");
        assertThat(states).isEmpty();
    }

    @Test
    void theContendersHereBindOneBallot() {
        List<CompletionStage<Leader>> elected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            elected.add(frontEnd.elect(Name.parse("t"), "contender-" + i));
        }
        run();
        while (!slow.waiting.isEmpty()) {
            answer();
        }
        assertThat(elected).allMatch(each -> each.toCompletableFuture().join().contender().equals("contender-0"));
        assertThat(slow.calls.stream().filter(call -> call.startsWith("bind"))).containsExactly("bind t_1");
    }

    /** A heartbeat comes every few seconds, for weeks. */
    @Test
    void theHistoryKeepsOneEntryOfARecordThatOnlyGetsNewVersions() {
        frontEnd.listen(Name.parse("vm"), change -> {});
        run();
        slow.memory.bind(Name.parse("vm/leader"), record("a"));
        for (int i = 0; i < 2 * NameHistory.CHANGES_MAX; i++) {
            slow.memory.swap(Name.parse("vm/beat"), i, record("a"));
        }
        run();
        assertThat(frontEnd.history().newestFirst()).extracting(entry -> entry.name() + " " + entry.version())
                .containsExactly("vm/beat " + 2 * NameHistory.CHANGES_MAX, "vm/leader 1");
    }

    @Test
    void theRootIsBoundToNothing() {
        assertThat(fault(frontEnd.bind(Name.ROOT, record("1"))).kind()).isEqualTo(NameException.Kind.BAD_NAME);
        assertThat(fault(frontEnd.unbind(Name.ROOT, NameService.ANY_VERSION)).kind()).isEqualTo(NameException.Kind.BAD_NAME);
    }
}
