package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.directory.Groups;
import org.posthouse.directory.HazelcastDirectory;
import org.posthouse.names.Alarm;
import org.posthouse.names.BoundName;
import org.posthouse.names.Election;
import org.posthouse.names.Leader;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** Elections of three relays with a member each. */
@Timeout(600)
class HazelcastElectionTest {
    private static final int RELAYS = 3;
    private static final int CONTENDERS = 20;
    private static final int ELECTIONS = Boolean.getBoolean("posthouse.long") ? 200 : 20;

    /** 3 s; while other tests have the processors, it tells of the order only. */
    private static final long LEADER_MS_MAX = Boolean.getBoolean("posthouse.long") ? 3_000 : 15_000;

    private static List<HazelcastDirectory> directories = List.of();
    private static int tests;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private Name token;

    @BeforeAll
    static void start() throws IOException {
        directories = Groups.start("elections", Groups.endpoints("127.0.0.1", "127.0.0.1", "127.0.0.1"));
    }

    @AfterAll
    static void close() {
        directories.forEach(HazelcastDirectory::close);
    }

    @BeforeEach
    void next() {
        token = Name.parse("test-" + tests++ + "/leader");
    }

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    private Election election(NameService names, String frontEnd) {
        return new Election(names, new Alarm() {
            @Override
            public void after(long millis, Runnable work) {
                var unused = thread.schedule(work, millis, TimeUnit.MILLISECONDS);
            }

            @Override
            public long now() {
                return System.currentTimeMillis();
            }
        }, thread, token, frontEnd);
    }

    /** What each relay asked the group to bind. */
    private static final class CountedNames extends ForwardedNames {
        private final Map<Name, Integer> binds = new ConcurrentHashMap<>();

        CountedNames(NameService names) {
            super(names);
        }

        @Override
        public CompletableFuture<BoundName> bind(Name name, NameRecord record) {
            binds.merge(name, 1, Integer::sum);
            return super.bind(name, record).toCompletableFuture();
        }
    }

    @Test
    void eachElectionHasOneWinnerAndEachRelayBindsOnce() throws Exception {
        List<CountedNames> counted = directories.stream().map(each -> new CountedNames(each.names())).toList();
        List<Election> elections = new ArrayList<>();
        for (int relay = 0; relay < RELAYS; relay++) {
            elections.add(election(counted.get(relay), "r" + relay));
        }
        Map<Long, Set<String>> leaders = new ConcurrentHashMap<>();
        long begin = System.nanoTime();
        for (int round = 0; round < ELECTIONS; round++) {
            List<CompletableFuture<Leader>> answers = new ArrayList<>();
            for (int contender = 0; contender < CONTENDERS; contender++) {
                for (int relay = 0; relay < RELAYS; relay++) {
                    answers.add(elections.get(relay).contend("r" + relay + "/" + contender).toCompletableFuture());
                }
            }
            for (CompletableFuture<Leader> answer : answers) {
                Leader leader = answer.get(60, TimeUnit.SECONDS);
                leaders.computeIfAbsent(leader.count(), count -> ConcurrentHashMap.newKeySet()).add(leader.contender());
            }
        }
        System.out.printf("names hazelcast: %d elections of %d x %d contenders in %d ms%n", leaders.size(), RELAYS, CONTENDERS,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        assertThat(leaders).hasSizeGreaterThanOrEqualTo(ELECTIONS);
        assertThat(leaders).allSatisfy((count, winners) -> assertThat(winners).as("election %d", count).hasSize(1));
        long last = directories.getFirst().names().lookup(token).toCompletableFuture().get(60, TimeUnit.SECONDS).orElseThrow().record().epoch();
        assertThat(leaders.keySet()).as("no election was passed over").containsExactlyInAnyOrderElementsOf(
                LongStream.rangeClosed(1, last).boxed().toList());
        assertThat(counted).allSatisfy(each -> assertThat(each.binds).as("binds of one relay").allSatisfy((name, binds) -> assertThat(binds).isEqualTo(1)));
    }

    /** It has bound the election's name, and dies before it has written who leads. */
    @Test
    void aWinnerThatStopsBeforeItLeadsIsPassedOverInTime() throws Exception {
        NameService names = directories.getFirst().names();
        election(names, "r0").contend("first").toCompletableFuture().get(60, TimeUnit.SECONDS);
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        NameService stopping = new ForwardedNames(names) {
            @Override
            public CompletableFuture<BoundName> swap(Name name, long expected, NameRecord record) {
                stopped.complete(null);
                return new CompletableFuture<>();
            }
        };
        var unused = election(stopping, "r1").contend("dead");
        stopped.get(60, TimeUnit.SECONDS);
        long begin = System.nanoTime();
        Leader leader = election(directories.getLast().names(), "r2").contend("next").toCompletableFuture().get(60, TimeUnit.SECONDS);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        System.out.printf("names hazelcast: a new leader %d ms after the winner stopped between bind and swap%n", millis);
        assertThat(leader.contender()).isEqualTo("next");
        assertThat(leader.count()).isEqualTo(3);
        assertThat(millis).isLessThan(LEADER_MS_MAX);
    }

    /** Both believe to lead; a record takes the later epoch only. */
    @Test
    void aLeaderOfAnEarlierElectionWritesNothing() throws Exception {
        Name state = token.beside("-state");
        NameService old = directories.get(1).names();
        NameService now = directories.get(2).names();
        BoundName first = old.bind(state, NameRecord.of(Map.of("by", "old"), 4)).toCompletableFuture().get(60, TimeUnit.SECONDS);
        now.swap(state, first.version(), NameRecord.of(Map.of("by", "now"), 5)).toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(old.rebind(state, NameRecord.of(Map.of("by", "old"), 4)).toCompletableFuture())
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(NameException.class)
                .withMessageContaining("epoch 4 is over");
        assertThat(now.lookup(state).toCompletableFuture().get(60, TimeUnit.SECONDS).orElseThrow().record().field("by")).isEqualTo("now");
    }
}
