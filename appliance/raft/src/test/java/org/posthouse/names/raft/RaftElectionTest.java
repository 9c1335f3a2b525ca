package org.posthouse.names.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.Alarm;
import org.posthouse.names.Leader;
import org.posthouse.names.Name;
import org.posthouse.names.NameFrontEnd;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** Elections of three relays, each of which is a judge too, with the times that relays use. */
class RaftElectionTest {
    private static final int ELECTIONS = Boolean.getBoolean("posthouse.long") ? 200 : 10;
    private static final int CONTENDERS = 20;
    private static final Name TOKEN = Name.parse("vm/grid/leader");

    @TempDir
    private Path folder;

    private JudgeGroup group;
    private final Map<String, Relay> relays = new TreeMap<>();

    /** A relay's front end, with a thread of its own. */
    private static final class Relay implements AutoCloseable {
        private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        private final ConcurrentLinkedQueue<Name> binds = new ConcurrentLinkedQueue<>();
        private final NameFrontEnd frontEnd;

        /** Completed when the relay's first ballot is bound, if it is to die then: nothing that it asks for is done any more. */
        private final CompletableFuture<Void> dead = new CompletableFuture<>();

        Relay(String id, NameService judges, boolean isToDie) {
            Alarm alarm = new Alarm() {
                @Override
                public void after(long millis, Runnable work) {
                    thread.schedule(work, millis, TimeUnit.MILLISECONDS);
                }

                @Override
                public long now() {
                    return System.currentTimeMillis();
                }
            };
            frontEnd = new NameFrontEnd(watched(judges, isToDie), id, alarm, thread, fault -> {});
        }

        private NameService watched(NameService judges, boolean isToDie) {
            return (NameService) Proxy.newProxyInstance(NameService.class.getClassLoader(), new Class<?>[] {NameService.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("bind")) {
                    binds.add((Name) arguments[0]);
                }
                if (dead.isDone() && CompletionStage.class.isAssignableFrom(method.getReturnType())) {
                    return new CompletableFuture<>();
                }
                try {
                    Object answer = method.invoke(judges, arguments);
                    if (!isToDie || !method.getName().equals("bind")) {
                        return answer;
                    }
                    ((CompletionStage<?>) answer).toCompletableFuture().join();
                    dead.complete(null);
                    return new CompletableFuture<>();
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }

    @BeforeEach
    void start() throws Exception {
        group = JudgeGroup.started(folder, RaftTiming.WAN);
    }

    @AfterEach
    void close() {
        relays.values().forEach(Relay::close);
        group.close();
    }

    private Relay relay(String judge, boolean isToDie) {
        return relays.computeIfAbsent(judge, id -> new Relay(id, names(id), isToDie));
    }

    private RaftNames names(String judge) {
        try {
            return group.near(judge);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A relay whose contenders come when an election is over contends in the next. */
    @Test
    void eachElectionHasOneWinnerAndEachRelayBindsOnceForIt() throws Exception {
        Map<Long, Leader> elected = new TreeMap<>();
        long start = System.nanoTime();
        while (elected.size() < ELECTIONS) {
            List<CompletionStage<Leader>> answers = new ArrayList<>();
            for (String judge : group.judges()) {
                Relay relay = relay(judge, false);
                for (int each = 0; each < CONTENDERS; each++) {
                    answers.add(relay.frontEnd.elect(TOKEN, judge + "/" + each));
                }
            }
            for (CompletionStage<Leader> each : answers) {
                Leader leader = each.toCompletableFuture().get(30, TimeUnit.SECONDS);
                assertThat(elected.computeIfAbsent(leader.count(), first -> leader)).as("of election " + leader.count()).isEqualTo(leader);
            }
        }
        for (String judge : group.judges()) {
            assertThat(relay(judge, false).binds).as("ballots that " + judge + " has asked for").doesNotHaveDuplicates()
                    .hasSizeLessThanOrEqualTo(elected.size());
        }
        assertThat(elected.keySet()).as("counts").containsExactlyElementsOf(LongStream.rangeClosed(1, elected.size()).boxed().toList());
        System.out.printf("%d elections of 3 relays x %d contenders: one winner each, %.1f ms each%n", elected.size(), CONTENDERS,
                (System.nanoTime() - start) / 1e6 / elected.size());
    }

    /** The relay whose ballot is bound dies with its judge, which leads the judges. */
    @Test
    void aWinnerThatDiesWithTheLeadingJudgeIsReplacedWithinThreeSeconds() throws Exception {
        String dies = group.leader();
        Relay winner = relay(dies, true);
        winner.frontEnd.elect(TOKEN, dies);
        winner.dead.get(30, TimeUnit.SECONDS);
        group.stop(dies);
        long start = System.nanoTime();
        List<CompletionStage<Leader>> answers = group.judges().stream()
                .filter(judge -> !judge.equals(dies)).map(judge -> relay(judge, false).frontEnd.elect(TOKEN, judge)).toList();
        Leader next = answers.getFirst().toCompletableFuture().get(30, TimeUnit.SECONDS);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        System.out.printf("a winner died between bind and swap, and its judge led: a new leader after %d ms%n", millis);
        assertThat(next.count()).isEqualTo(2);
        assertThat(answers.getLast().toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo(next);
        assertThat(millis).isLessThan(3_000);
        group.start(dies);
        assertThat(JudgeGroup.failure(group.near(dies).swap(TOKEN, 0, NameRecord.of(Map.of("leader", dies), 1)))).as("a late swap of the dead")
                .hasMessageContaining(
                        "expected 0");
    }
}
