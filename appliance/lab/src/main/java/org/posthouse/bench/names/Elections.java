package org.posthouse.bench.names;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.posthouse.names.Alarm;
import org.posthouse.names.Election;
import org.posthouse.names.Leader;
import org.posthouse.names.Name;
import org.posthouse.names.NameService;

/** Elections by all front ends of a group, with contenders at each. Confined to one thread. */
final class Elections implements AutoCloseable {
    /** At each front end. */
    static final int CONTENDERS = 20;

    private static final Name TOKEN = Name.parse("bench-election/leader");

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<ExecutorService> threads = new ArrayList<>();
    private final List<Election> elections = new ArrayList<>();
    private final List<AtomicInteger> binds = new ArrayList<>();

    Elections(NamesGroup group) {
        for (int each = 0; each < NamesGroup.FRONT_ENDS; each++) {
            ExecutorService thread = Executors.newSingleThreadExecutor();
            AtomicInteger counter = new AtomicInteger();
            threads.add(thread);
            binds.add(counter);
            elections.add(new Election(counting(group.frontEnd(each), counter), alarm(thread), thread, TOKEN, "relay-" + each));
        }
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

    private Alarm alarm(ExecutorService thread) {
        return new Alarm() {
            @Override
            public void after(long millis, Runnable work) {
                timer.schedule(() -> thread.execute(work), millis, TimeUnit.MILLISECONDS);
            }

            @Override
            public long now() {
                return System.currentTimeMillis();
            }
        };
    }

    /**
     * All contend at once.
     *
     * @return seconds until all have heard who leads
     * @throws IOException if one count had two winners, or a front end bound more often than elections were held
     */
    double elect() throws IOException, InterruptedException {
        binds.forEach(each -> each.set(0));
        long start = System.nanoTime();
        List<CompletableFuture<Leader>> answers = IntStream.range(0, NamesGroup.FRONT_ENDS * CONTENDERS)
                .mapToObj(each -> elections.get(each % NamesGroup.FRONT_ENDS).contend("contender-" + each).toCompletableFuture())
                .toList();
        List<Leader> leaders = new ArrayList<>();
        for (CompletableFuture<Leader> each : answers) {
            leaders.add(Inserts.answer(each));
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        List<Leader> distinct = leaders.stream().distinct().toList();
        long counts = distinct.stream().mapToLong(Leader::count).distinct().count();
        if (counts != distinct.size()) {
            throw new IOException("an election had two winners: " + distinct);
        }
        if (binds.stream().anyMatch(each -> each.get() > counts)) {
            throw new IOException("front ends have bound " + binds + " times in " + counts + " elections, expected once each at most");
        }
        return seconds;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        threads.forEach(ExecutorService::shutdownNow);
    }
}
