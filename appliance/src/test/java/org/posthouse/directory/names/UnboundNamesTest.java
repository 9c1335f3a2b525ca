package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.map.IMap;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.posthouse.names.NameRecord;

/** What the sweeps of an owner forget. */
class UnboundNamesTest {
    private static final long SECONDS = 60;
    private static final StoredName BOUND = StoredName.of(NameRecord.of(Map.of("v", "1")), 1, 0, "binding");
    private static final NamesMajority.Roll NONE = new NamesMajority.Roll(Set.of(), Set.of());

    private final Map<String, String> stored = new TreeMap<>();
    private final NamesMajority majority = new NamesMajority("relay", "127.0.0.1:1", List.of());
    private final UnboundNames unbound = new UnboundNames(map(stored), majority);

    UnboundNamesTest() {
        majority.follow(NamesMajorityTest.group(NONE, "a", "b"));
        stored.put("bound", BOUND.text());
        stored.put("garbled", "garbled");
        stored.put("unbound", BOUND.unbound(0, "unbinding").text());
    }

    @SuppressWarnings("unchecked")
    private static IMap<String, String> map(Map<String, String> stored) {
        return (IMap<String, String>) Proxy.newProxyInstance(IMap.class.getClassLoader(), new Class<?>[] {IMap.class}, (proxy, method,
                args) -> switch (method.getName()) {
                    case "localKeySet" -> Set.copyOf(stored.keySet());
                    case "getAll" -> ((Set<String>) args[0]).stream().collect(Collectors.toMap(key -> key, stored::get));
                    case "remove" -> stored.remove(args[0], args[1]);
                    default -> throw new UnsupportedOperationException(method.toString());
                });
    }

    private Set<String> sweep(long atSecond) {
        unbound.sweep(TimeUnit.SECONDS.toNanos(atSecond), SECONDS);
        return stored.keySet();
    }

    @Test
    void anUnboundNameIsForgottenAfterItsTimeAndABoundOneNever() {
        assertThat(sweep(0)).contains("unbound");
        assertThat(sweep(59)).contains("unbound");
        assertThat(sweep(60)).containsExactly("bound", "garbled");
        assertThat(sweep(1_000)).containsExactly("bound", "garbled");
    }

    @Test
    void aNameThatWasBoundMeanwhileHasItsWholeTime() {
        sweep(0);
        stored.put("unbound", BOUND.at(2).unbound(0, "later").text());
        assertThat(sweep(60)).contains("unbound");
        assertThat(sweep(119)).contains("unbound");
        assertThat(sweep(120)).doesNotContain("unbound");
    }

    /** It may have the name bound, and bring it back where nothing is remembered. */
    @Test
    void nothingIsForgottenWhileARelayIsMissingOrHasJustReturned() {
        sweep(0);
        majority.follow(NamesMajorityTest.group(NONE, "a"));
        assertThat(sweep(1_000)).contains("unbound");
        majority.follow(NamesMajorityTest.group(NONE, "a", "b"));
        assertThat(sweep(2_000)).as("its merge is under way").contains("unbound");
        assertThat(sweep(2_060)).doesNotContain("unbound");
    }

    @Test
    void aRelayThatLeftWithNoticeIsNotWaitedFor() {
        sweep(0);
        majority.follow(NamesMajorityTest.group(new NamesMajority.Roll(Set.of("a"), Set.of("b")), "a"));
        assertThat(sweep(60)).doesNotContain("unbound");
    }
}
