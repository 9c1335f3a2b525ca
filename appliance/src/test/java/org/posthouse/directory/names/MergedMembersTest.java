package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.core.LifecycleService;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** For whom a relay waits that came back with others after a cut. */
class MergedMembersTest {
    private static final String OWN = "a";

    private static <T> T that(Class<T> type, Function<String, Object> answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> answer.apply(method.getName());
        }));
    }

    /** A member that has come with these, and is closed now: it asks nobody. */
    private static HazelcastInstance member(String... relays) {
        Set<Member> members = Stream.of(relays)
                .map(relay -> that(Member.class, call -> call.equals("localMember") ? (Object) relay.equals(OWN) : relay))
                .collect(Collectors.toSet());
        Cluster cluster = that(Cluster.class, call -> members);
        LifecycleService closed = that(LifecycleService.class, call -> false);
        return that(HazelcastInstance.class, call -> switch (call) {
            case "getCluster" -> cluster;
            case "getLifecycleService" -> closed;
            default -> throw new IllegalStateException(call + " of a member that is closed");
        });
    }

    private static void merge(MergedMembers merged) {
        merged.stateChanged(new LifecycleEvent(LifecycleState.MERGING));
        merged.stateChanged(new LifecycleEvent(LifecycleState.MERGED));
    }

    @Test
    void relayThatHasLeftWithNoticeIsNotAwaited() {
        Set<String> withdrawn = new HashSet<>();
        MergedMembers merged = new MergedMembers("relay", () -> withdrawn);
        merged.follow(member(OWN, "c", "d"));
        merge(merged);
        assertThat(merged.awaited()).containsExactly("c", "d");
        withdrawn.add("d");
        assertThat(merged.awaited()).containsExactly("c");
        assertThat(merged.hasMerged()).isFalse();
        withdrawn.add("c");
        assertThat(merged.hasMerged()).isTrue();
    }

    @Test
    void messageNamesTheRelayThatCameWithThisOneAndIsGone() {
        NamesMajority majority = new NamesMajority("relay", "127.0.0.1:1", List.of("127.0.0.1:2", "127.0.0.1:3"));
        majority.follow(NamesMajorityTest.group(new NamesMajority.Roll(Set.of("a", "b", "c"), Set.of()), "a", "b"));
        majority.merged().follow(member(OWN, "c"));
        merge(majority.merged());
        assertThat(majority.lacking())
                .hasValueSatisfying(why -> assertThat(why).endsWith("their names are not merged yet: a, b; this relay waits for names of c, "
                        + "which came with it and is gone: start that again, or this one"));
    }
}
