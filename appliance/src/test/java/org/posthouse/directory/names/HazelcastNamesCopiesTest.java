package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IndeterminateOperationStateException;
import com.hazelcast.core.LifecycleService;
import com.hazelcast.map.IMap;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.posthouse.names.Alarm;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameFrontEnd;
import org.posthouse.names.NameRecord;

/** A name that lacks copies, at an owner that is made up. */
class HazelcastNamesCopiesTest {
    private static final String LACKING = NameChangeProcessor.NO_COPIES + "1 of the relays would keep a copy";
    private static final Name NAME = Name.parse("a");

    /** A change is tried again for so long: on a busy machine the first answer may take a second. */
    private static final long TRIES_MS = 2_000;

    private static final NameRecord RECORD = NameRecord.of(Map.of("k", "v"));

    /** What the owner answers, one after the other; then that copies are missing. */
    private final Queue<CompletableFuture<String>> answers = new ConcurrentLinkedQueue<>();

    private final NamesMajority majority = new NamesMajority("relay", "127.0.0.1:1", List.of());
    private final HazelcastNames names;

    HazelcastNamesCopiesTest() {
        majority.follow(NamesMajorityTest.group(new NamesMajority.Roll(Set.of(), Set.of()), "a"));
        names = new HazelcastNames(member(), "r", majority, TRIES_MS);
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private HazelcastInstance member() {
        IMap<?, ?> map = proxy(IMap.class, (proxy, method, args) -> switch (method.getName()) {
            case "submitToKey" -> Optional.ofNullable(answers.poll()).orElseGet(() -> CompletableFuture.completedFuture(LACKING));
            case "getAsync" -> CompletableFuture.completedFuture(null);
            default -> throw new UnsupportedOperationException(method.toString());
        });
        return proxy(HazelcastInstance.class, (proxy, method, args) -> switch (method.getName()) {
            case "getMap" -> map;
            case "getCluster" -> proxy(Cluster.class, (cluster, call, with) -> UUID.randomUUID());
            case "getLifecycleService" -> proxy(LifecycleService.class, (service, call, with) -> UUID.randomUUID());
            default -> throw new UnsupportedOperationException(method.toString());
        });
    }

    private static NameException failure(CompletableFuture<?> stage) {
        try {
            stage.join();
            throw new AssertionError("it did not fail");
        } catch (CompletionException e) {
            return (NameException) e.getCause();
        }
    }

    /** What the front end makes of a failed bind: whether the back end counts as down after it. */
    private List<Optional<String>> downAfterBind(String expectedMessage) {
        List<Optional<String>> down = new ArrayList<>();
        Executor here = Runnable::run;
        NameFrontEnd frontEnd = new NameFrontEnd(names, "r", new Alarm() {
            @Override
            public void after(long millis, Runnable work) {
                // Nothing comes later here.
            }

            @Override
            public long now() {
                return 0;
            }
        }, here, down::add);
        NameException failed = failure(frontEnd.bind(NAME, RECORD).toCompletableFuture());
        assertThat(failed.kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(failed).hasMessageContaining(expectedMessage);
        return down;
    }

    @Test
    void aNameWithoutCopiesIsUnavailableAndTheBackEndIsNotDown() {
        assertThat(downAfterBind("1 of the relays would keep a copy; copies are made, try again")).isEmpty();
    }

    /** The first try may have been done. */
    @Test
    void aChangeThatMayHaveBeenDoneIsNoQuestionOfOneName() {
        answers.add(CompletableFuture.failedFuture(new IndeterminateOperationStateException("a member has died")));
        assertThat(downAfterBind("1 of the relays would keep a copy")).hasSize(1);
    }

    @Test
    void aNameWhoseCopiesComeIsBound() {
        answers.add(CompletableFuture.completedFuture(LACKING));
        answers.add(CompletableFuture.completedFuture(NameChangeProcessor.OTHER + StoredName.of(RECORD, 3, 0, "other").text()));
        assertThat(failure(names.bind(NAME, RECORD).toCompletableFuture()).kind()).as("answered by what is there").isEqualTo(NameException.Kind.ALREADY_BOUND);
    }
}
