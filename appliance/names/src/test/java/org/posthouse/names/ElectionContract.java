package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Elections by several front ends at a real back end. Its test extends this, whichever module it is in. */
@Timeout(600)
public abstract class ElectionContract {
    private static final int FRONT_ENDS = 3;
    private static final int CONTENDERS = 20;
    private static final Name TOKEN = Name.parse("election/leader");

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ExecutorService> threads = new ArrayList<>();
    private final List<Election> elections = new ArrayList<>();
    private final List<AtomicInteger> binds = new ArrayList<>();
    private final Map<Long, String> elected = new ConcurrentHashMap<>();

    private NameService watched;
    private final Alarm alarm = new Alarm() {
        @Override
        public void after(long millis, Runnable work) {
            timer.schedule(work, millis, TimeUnit.MILLISECONDS);
        }

        @Override
        public long now() {
            return System.currentTimeMillis();
        }
    };

    /** A connection of its own to the back end, which has no names below {@code election}. The test closes it. */
    protected abstract NameService connect() throws Exception;

    @BeforeEach
    void openFrontEnds() throws Exception {
        for (int each = 0; each < FRONT_ENDS; each++) {
            AtomicInteger counter = new AtomicInteger();
            ExecutorService thread = Executors.newSingleThreadExecutor();
            NameService names = connect();
            watched = names;
            binds.add(counter);
            threads.add(thread);
            elections.add(new Election(counting(names, counter), later(thread), thread, TOKEN, "relay-" + each));
        }
    }

    private Alarm later(ExecutorService thread) {
        return new Alarm() {
            @Override
            public void after(long millis, Runnable work) {
                alarm.after(millis, () -> thread.execute(work));
            }

            @Override
            public long now() {
                return alarm.now();
            }
        };
    }

    /** The same names, whose binds are counted. */
    private static NameService counting(NameService names, AtomicInteger counter) {
        return (NameService) Proxy.newProxyInstance(NameService.class.getClassLoader(), new Class<?>[] {NameService.class}, (proxy, method, arguments) -> {
            if (method.getName().equals("bind")) {
                counter.incrementAndGet();
            }
            return method.invoke(names, arguments);
        });
    }

    @AfterEach
    void closeFrontEnds() {
        timer.shutdownNow();
        threads.forEach(ExecutorService::shutdownNow);
    }

    @Test
    void eachOfTenElectionsHasOneWinnerAndOneBindOfEachFrontEnd() throws Exception {
        elect(10);
    }

    @Test
    @Tag("long")
    void eachOfTwoHundredElectionsHasOneWinnerAndOneBindOfEachFrontEnd() throws Exception {
        elect(200);
    }

    /** Its bind is the last that the back end hears of it. */
    @Test
    void aWinnerThatDiesBeforeItsSwapIsReplacedWithinThreeSeconds() throws Exception {
        NameService dying = connect();
        NameService mute = (NameService) Proxy.newProxyInstance(NameService.class.getClassLoader(), new Class<?>[] {NameService.class},
                (proxy, method, arguments) -> method.getName().equals("swap") ? new CompletableFuture<>() : method.invoke(dying, arguments));
        new Election(mute, later(threads.getFirst()), threads.getFirst(), TOKEN, "relay-dying").contend("dies");
        Awaitility.await().until(() -> watched.lookup(Name.parse(TOKEN + "_1")).toCompletableFuture().get(10, TimeUnit.SECONDS).isPresent());
        long start = System.nanoTime();
        Leader leader = elections.get(1).contend("lives").toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        assertThat(leader.contender()).isEqualTo("lives");
        assertThat(leader.count()).isEqualTo(2);
    }

    private void elect(int rounds) throws Exception {
        try (NameService.Subscription told = watched.listen(TOKEN, this::record)) {
            for (int round = 1; round <= rounds; round++) {
                binds.forEach(each -> each.set(0));
                List<CompletableFuture<Leader>> answers = IntStream.range(0, FRONT_ENDS * CONTENDERS)
                        .mapToObj(each -> elections.get(each % FRONT_ENDS).contend("contender-" + each).toCompletableFuture())
                        .toList();
                CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
                List<Leader> leaders = answers.stream().map(CompletableFuture::join).distinct().toList();
                // A front end that was late by a whole election contends for the next: nobody else does, and all hear of one winner for each count.
                Map<Long, Leader> byCount = new ConcurrentHashMap<>();
                leaders.forEach(each -> assertThat(byCount.put(each.count(), each)).as("second winner of election " + each.count()).isNull());
                byCount.forEach((count, leader) -> assertThat(elected.merge(count, leader.contender(), (old, now) -> old)).isEqualTo(leader.contender()));
                int held = byCount.size();
                assertThat(binds).allSatisfy(each -> assertThat(each.get()).isLessThanOrEqualTo(held));
            }
        }
        assertThat(elected.size()).isGreaterThanOrEqualTo(rounds);
    }

    private void record(NameChange change) {
        Leader leader = Leader.of(change.bound().record());
        if (change.present() && change.bound().name().equals(TOKEN)) {
            elected.merge(leader.count(), leader.contender(), (old, now) -> {
                assertThat(now).as("leader of election " + leader.count()).isEqualTo(old);
                return old;
            });
        }
    }
}
