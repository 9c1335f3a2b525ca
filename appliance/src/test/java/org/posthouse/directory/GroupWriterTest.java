package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.map.IMap;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The writer before a map that fails as told. */
class GroupWriterTest {
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Map<String, String> stored = new ConcurrentHashMap<>();
    private final Queue<BiFunction<String, PostProcessor, CompletableFuture<String>>> outcomes = new ConcurrentLinkedQueue<>();
    private final Queue<String> tried = new ConcurrentLinkedQueue<>();
    private final DirectoryView directoryView = new DirectoryView();
    private final GroupWriter writer = new GroupWriter(map(), directoryView, thread);

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    @Test
    void triesAgainUntilTheGroupHasAnswered() {
        outcomes.add((key, postProcessor) -> CompletableFuture.failedFuture(new IllegalStateException("the owner is gone")));
        outcomes.add((key, postProcessor) -> {
            throw new IllegalStateException("not active");
        });
        outcomes.add((key, postProcessor) -> CompletableFuture.completedFuture("garbled"));

        writer.post(rank(0, 1, "running"));
        writer.post(rank(1, 1, "running"));

        await().untilAsserted(() -> assertThat(stored).containsOnlyKeys("rank/7/0", "rank/7/1"));
        await().until(() -> writer.waiting() == 0);
    }

    @Test
    void shortensFailureToItsFirstClause() {
        assertThat(GroupWriter.text(new TimeoutException("EntryOperation failed to complete within 12000 MILLISECONDS. Invocation{op=com.hazelcast.map.impl"
                + ".operation.EntryOperation{serviceName='hz:impl:mapService', identityHash=306902610}, tryCount=250}")))
                .isEqualTo("EntryOperation failed to complete within 12000 MILLISECONDS");
        assertThat(GroupWriter.text(new TimeoutException())).isEqualTo("timeout");
    }

    @Test
    void doesNotRetryPostingReplacedByNewerOne() {
        Posting overtaken = rank(0, 1, "running");
        outcomes.add((key, postProcessor) -> {
            directoryView.learn(rank(0, 2, "running"));
            return CompletableFuture.failedFuture(new IllegalStateException("the owner is gone"));
        });

        writer.post(overtaken);
        await().until(() -> writer.waiting() == 0);

        assertThat(tried).containsExactly("rank/7/0");
        assertThat(stored).isEmpty();
    }

    @Test
    void learnsTheWinnerWhenTheGroupRefuses() {
        stored.put("rank/7/0", rank(0, 5, "running").text());
        directoryView.write(rank(0, 4, "starting"));

        writer.post(rank(0, 4, "starting"));

        await().untilAsserted(() -> assertThat(directoryView.ranks(7)).containsExactly(rank(0, 5, "running").rank()));
        assertThat(Posting.parse(stored.get("rank/7/0")).version()).isEqualTo(5);
    }

    @Test
    void writesMoreThanMayBeUnderWayAtOnce() {
        for (int i = 0; i < 1_000; i++) {
            writer.post(rank(i, 1, "running"));
        }

        await().untilAsserted(() -> assertThat(stored).hasSize(1_000));
    }

    private static Posting rank(int rank, int incarnation, String state) {
        return Posting.of(new RankEntry(7, rank, "north", "a", incarnation, state), "a", 1_000);
    }

    @SuppressWarnings("unchecked")
    private IMap<String, String> map() {
        return (IMap<String, String>) Proxy.newProxyInstance(
                IMap.class.getClassLoader(), new Class<?>[] {IMap.class}, (proxy, method, args) -> {
                    assertThat(method.getName()).isEqualTo("submitToKey");
                    return submit((String) args[0], (PostProcessor) args[1]);
                });
    }

    private CompletableFuture<String> submit(String key, PostProcessor postProcessor) {
        tried.add(key);
        BiFunction<String, PostProcessor, CompletableFuture<String>> outcome = outcomes.poll();
        if (outcome != null) {
            return outcome.apply(key, postProcessor);
        }
        return CompletableFuture.completedFuture(process(key, postProcessor));
    }

    private String process(String key, PostProcessor postProcessor) {
        Map.Entry<String, String> entry = new Map.Entry<>() {
            @Override
            public String getKey() {
                return key;
            }

            @Override
            public String getValue() {
                return stored.get(key);
            }

            @Override
            public String setValue(String value) {
                return stored.put(key, value);
            }
        };
        return postProcessor.process(entry);
    }
}
