package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleService;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.map.IMap;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sweeps of a group that does not answer, as during a cut. */
class GroupReconcilerTest {
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final DirectoryView directoryView = new DirectoryView();
    private int registrations;

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    /** Each member has to be told of a listener. That one of them hangs does not end a relay that starts: jobs may wait for it. */
    @Test
    void registersListenerOnceAllMembersAcceptIt() {
        IMap<String, String> map = map(Posting.of(Groups.relay("r1", 1), "r1", 1_000));
        HazelcastInstance member = member(map);
        GroupReconciler sweep =
                new GroupReconciler(member, map, directoryView, new GroupWriter(map, directoryView, thread), thread, Duration.ofDays(1), () -> {});
        GroupListener.register(member, directoryView, sweep, () -> {});
        sweep.run();
        assertThat(directoryView.relays()).as("the member that hangs was waited for").isEmpty();
        sweep.run();
        assertThat(directoryView.relays()).containsExactly(Groups.relay("r1", 1));
        sweep.run();
        assertThat(registrations).as("one that failed, and one").isEqualTo(2);
    }

    /** Hundreds a second may end. */
    @Test
    void aJobThatEndsTakesOnlyItsOwnRanksOffTheGroup() {
        Queue<String> called = new ConcurrentLinkedQueue<>();
        IMap<?, ?> map = stub(IMap.class, method -> {
            called.add(method);
            return method.equals("entrySet") ? Set.of() : CompletableFuture.completedFuture(null);
        });
        GroupConfig config = Groups.config("ends", "127.0.0.1:1", List.of(), "r1");
        try (HazelcastDirectory directory =
                new HazelcastDirectory(config, member(map), new GroupGuard(config), PostingProof.NONE, GroupMember.majority(config))) {
            directory.putRanks(List.of(Groups.rank(7, 0, 1, "r1")));
            directory.removeJob(7);
        }
        assertThat(called).contains("submitToKey", "deleteAsync").doesNotContain("entrySet");
    }

    @SuppressWarnings("unchecked")
    private IMap<String, String> map(Posting stored) {
        return stub(IMap.class, method -> switch (method) {
            case "addEntryListener" -> register();
            case "entrySet" -> Set.of(Map.entry(stored.key(), stored.text()));
            default -> throw new AssertionError(method);
        });
    }

    private UUID register() {
        registrations++;
        if (registrations == 1) {
            throw new OperationTimeoutException("RegistrationOperation invocation failed to complete due to operation-heartbeat-timeout");
        }
        return UUID.randomUUID();
    }

    private static HazelcastInstance member(IMap<?, ?> map) {
        Cluster cluster = stub(Cluster.class, method -> method.equals("getMembers") ? Set.of() : UUID.randomUUID());
        LifecycleService life = stub(LifecycleService.class, method -> UUID.randomUUID());
        return stub(HazelcastInstance.class, method -> switch (method) {
            case "getCluster" -> cluster;
            case "getMap" -> map;
            default -> life;
        });
    }

    private static <T> T stub(Class<T> type, Function<String, Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> answer.apply(method.getName())));
    }

    @Test
    void saysWhyInOneShortLine() {
        assertThat(GroupReconciler.why(new OperationTimeoutException("QueryPartitionOperation invocation failed to complete due to operation-heartbeat-timeout."
                + " Current time: 2026-11-23 21:04:06.590. Invocation{op=com.hazelcast.map.impl.query.QueryPartitionOperation{\nserviceName='x'}}")))
                .isEqualTo("QueryPartitionOperation invocation failed to complete due to operation-heartbeat-timeout");
        assertThat(GroupReconciler.why(new IllegalStateException("the member is not active"))).isEqualTo("the member is not active");
    }
}
