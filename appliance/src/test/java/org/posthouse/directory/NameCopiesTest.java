package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.posthouse.directory.GroupOfThree.get;

import com.hazelcast.map.IMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.posthouse.directory.names.ForwardedNames;
import org.posthouse.directory.names.NamesMap;
import org.posthouse.names.Alarm;
import org.posthouse.names.BoundName;
import org.posthouse.names.Election;
import org.posthouse.names.Leader;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** What becomes of names when a member dies, leaves, or what is stored is not what relays store. */
@Timeout(300)
class NameCopiesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int NAMES = 40;
    /** 3 s; while other tests have the processors, it tells of the order only. */
    private static final long LEADER_MS_MAX = Boolean.getBoolean("posthouse.long") ? 3_000 : 15_000;

    @RegisterExtension
    private final GroupOfThree group = new GroupOfThree("copies");

    private NameService names(int relay) {
        return group.names(relay);
    }

    private static NameException.Kind failure(CompletionStage<?> stage) {
        try {
            get(stage);
            throw new AssertionError("it did not fail");
        } catch (CompletionException e) {
            return ((NameException) e.getCause()).kind();
        }
    }

    private static boolean isDone(CompletionStage<?> stage) {
        return stage.handle((done, fault) -> fault == null).toCompletableFuture().join();
    }

    private static Name name(int number) {
        return Name.parse("a/" + number);
    }

    private static NameRecord record(String value) {
        return NameRecord.of(Map.of("v", value));
    }

    /** The copies have what the owners had, versions of unbound names too. */
    @Test
    void aMemberThatDiesTakesNoNameWithIt() {
        for (int each = 0; each < NAMES; each++) {
            get(names(0).bind(name(each), record("1")));
            get(names(0).rebind(name(each), record("2")));
            if (each % 2 == 0) {
                get(names(0).unbind(name(each), NameService.ANY_VERSION));
            }
        }
        long begin = System.nanoTime();
        group.directory(2).member().getLifecycleService().terminate();
        get(names(0).bind(Name.parse("b"), record("1")));
        System.out.printf("names hazelcast: a name bound %d ms after a member died%n", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        get(names(0).bind(Name.parse("c"), record("1")));
        for (int each = 0; each < NAMES; each++) {
            Optional<BoundName> found = get(names(1).lookup(name(each)));
            if (each % 2 == 0) {
                assertThat(found).isEmpty();
                assertThat(get(names(1).bind(name(each), record("3"))).version()).as("a version does not come twice").isEqualTo(3);
            } else {
                assertThat(found).contains(new BoundName(name(each), record("2"), 2));
            }
        }
    }

    /** The relay that has bound the election's name dies with its member, before it has written who leads. */
    @Tag("long")
    @Test
    void aWinnerThatDiesWithItsMemberIsPassedOverInTime() throws InterruptedException {
        Name token = Name.parse("vm/leader");
        try (ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor()) {
            get(election(names(0), thread, token, "r0").contend("first"));
            CountDownLatch bound = new CountDownLatch(1);
            NameService stopping = new ForwardedNames(names(2)) {
                @Override
                public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
                    bound.countDown();
                    return new CompletableFuture<>();
                }
            };
            var unused = election(stopping, thread, token, "r2").contend("dead");
            assertThat(bound.await(60, TimeUnit.SECONDS)).isTrue();
            long begin = System.nanoTime();
            group.directory(2).member().getLifecycleService().terminate();
            Leader leader = get(election(names(1), thread, token, "r1").contend("next"));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            System.out.printf("names hazelcast: a new leader %d ms after the winner's member died between bind and swap%n", millis);
            assertThat(leader.contender()).isEqualTo("next");
            assertThat(leader.count()).isEqualTo(3);
            assertThat(millis).isLessThan(LEADER_MS_MAX);
        }
    }

    private static Election election(NameService names, ScheduledExecutorService thread, Name token, String frontEnd) {
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

    /** Two of three relays stop with notice. They may start again where the third is not. */
    @Tag("long")
    @Test
    void theLastRelayOfAConfiguredGroupDoesNotAnswerAlone() {
        for (int relay = 0; relay < GroupOfThree.RELAYS; relay++) {
            group.directory(relay).announce(Groups.relay("r" + relay, 1));
        }
        await().atMost(PATIENCE).until(() -> group.directory(0).relays().size() == 3);
        get(names(0).bind(name(1), record("1")));
        group.directory(2).close();
        await().atMost(PATIENCE).until(() -> isDone(names(0).rebind(name(1), record("2"))));
        group.directory(1).close();
        await().atMost(PATIENCE).until(() -> group.directory(0).member().getCluster().getMembers().size() == 1);
        assertThat(failure(names(0).lookup(name(1)))).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(failure(names(2).lookup(name(1)))).as("of a relay that has left").isEqualTo(NameException.Kind.UNAVAILABLE);
    }

    /** A relay of the grid can write anything to the map. */
    @Test
    void whatNoRelayStoresIsSkippedAndReplaced() {
        IMap<String, String> map = group.directory(0).member().getMap(NamesMap.NAME);
        List<Name> heard = Collections.synchronizedList(new ArrayList<>());
        try (NameService.Subscription all = names(1).listen(Name.ROOT, change -> heard.add(change.bound().name()))) {
            map.set("a 1", "garbled");
            map.set("a 2", "{\"version\":1,\"epoch\":0,\"term\":0,\"bound\":true,\"change\":\"\",\"fields\":{\"f\":\"" + "x".repeat(70_000) + "\"}}");
            map.set("a$b", "{\"version\":1,\"epoch\":0,\"term\":0,\"bound\":true,\"change\":\"\",\"fields\":{}}");
            get(names(0).bind(name(3), record("1")));
            await().atMost(PATIENCE).until(() -> heard.contains(name(3)));
            assertThat(get(names(1).lookup(name(1)))).isEmpty();
            assertThat(get(names(1).list(Name.parse("a"), 10, Optional.empty()))).extracting(BoundName::name).containsExactly(name(3));
            assertThat(get(names(1).bind(name(2), record("2"))).version()).isEqualTo(1);
            assertThat(heard).doesNotContain(name(1));
        }
    }

    @Test
    void theRootIsNoName() {
        assertThat(failure(names(0).bind(Name.ROOT, record("1")))).isEqualTo(NameException.Kind.BAD_NAME);
        assertThat(failure(names(0).lookup(Name.ROOT))).isEqualTo(NameException.Kind.BAD_NAME);
    }
}
