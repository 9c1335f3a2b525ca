package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every back end of names does. Its test extends this, whichever module it is in. */
@Timeout(120)
public abstract class NameServiceContract {
    /** The back end, without a name below {@link #root}. */
    protected abstract NameService names();

    /** Where the test's names are. */
    protected Name root() {
        return Name.parse("test");
    }

    private Name name(String below) {
        return Name.parse(root() + "/" + below);
    }

    private static NameRecord record(String value) {
        return NameRecord.of(Map.of("v", value));
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static NameException failure(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            return (NameException) e.getCause();
        }
        throw new AssertionError("it did not fail");
    }

    @Test
    void bindsOnceAndARepeatOfTheSameSucceeds() throws Exception {
        BoundName first = get(names().bind(name("a"), record("1")));
        assertThat(first.version()).isEqualTo(1);
        assertThat(get(names().bind(name("a"), record("1")))).isEqualTo(first);
        NameException refused = failure(names().bind(name("a"), record("2")));
        assertThat(refused.kind()).isEqualTo(NameException.Kind.ALREADY_BOUND);
        assertThat(refused.found()).contains(first);
        assertThat(get(names().lookup(name("a")))).contains(first);
    }

    @Test
    void swapReplacesTheExpectedVersionOnly() throws Exception {
        assertThat(failure(names().swap(name("a"), 1, record("1"))).found()).isEmpty();
        BoundName first = get(names().swap(name("a"), 0, record("1")));
        assertThat(failure(names().swap(name("a"), 0, record("2"))).found()).contains(first);
        BoundName second = get(names().swap(name("a"), first.version(), record("2")));
        assertThat(second.version()).isGreaterThan(first.version());
        NameException late = failure(names().swap(name("a"), first.version(), record("3")));
        assertThat(late.kind()).isEqualTo(NameException.Kind.CONFLICT);
        assertThat(get(names().lookup(name("a")))).contains(second);
    }

    @Test
    void anEarlierEpochReplacesNothing() throws Exception {
        BoundName leader = get(names().bind(name("a"), NameRecord.of(Map.of(), 5)));
        assertThat(failure(names().swap(name("a"), leader.version(), NameRecord.of(Map.of("x", "y"), 4))).kind()).isEqualTo(NameException.Kind.CONFLICT);
        assertThat(failure(names().rebind(name("a"), NameRecord.of(Map.of("x", "y"), 4))).kind()).isEqualTo(NameException.Kind.CONFLICT);
        assertThat(get(names().rebind(name("a"), NameRecord.of(Map.of("x", "y"), 5))).record().epoch()).isEqualTo(5);
    }

    @Test
    void rebindNeedsARecord() throws Exception {
        assertThat(failure(names().rebind(name("a"), record("1"))).kind()).isEqualTo(NameException.Kind.NOT_BOUND);
        get(names().bind(name("a"), record("1")));
        assertThat(get(names().rebind(name("a"), record("2"))).record()).isEqualTo(record("2"));
    }

    @Test
    void unbindTakesTheExpectedVersionOrAny() throws Exception {
        assertThat(get(names().unbind(name("a"), NameService.ANY_VERSION))).isFalse();
        BoundName first = get(names().bind(name("a"), record("1")));
        assertThat(failure(names().unbind(name("a"), first.version() + 1)).kind()).isEqualTo(NameException.Kind.CONFLICT);
        assertThat(get(names().unbind(name("a"), first.version()))).isTrue();
        assertThat(get(names().lookup(name("a")))).isEmpty();
        BoundName again = get(names().bind(name("a"), record("1")));
        assertThat(again.version()).as("a version does not come twice").isGreaterThan(first.version());
    }

    @Test
    void listsInPagesWhatIsBelowAPrefix() throws Exception {
        for (String each : List.of("b/2", "b/1", "b-x/1", "a", "b", "b/1/c", "c")) {
            get(names().bind(name(each), record(each)));
        }
        assertThat(shown(get(names().list(name("b"), 10, Optional.empty())))).containsExactly("b", "b/1", "b/1/c", "b/2");
        assertThat(shown(get(names().list(name("b"), 2, Optional.empty())))).containsExactly("b", "b/1");
        assertThat(shown(get(names().list(name("b"), 2, Optional.of(name("b/1")))))).containsExactly("b/1/c", "b/2");
        assertThat(shown(get(names().list(name("b"), 2, Optional.of(name("b/2")))))).isEmpty();
    }

    private List<String> shown(List<BoundName> bound) {
        return bound.stream().map(each -> each.name().toString().substring(root().toString().length() + 1)).toList();
    }

    @Test
    void aListenerHearsWhatIsThereAndEachChangeInOrder() throws Exception {
        get(names().bind(name("b/1"), record("before")));
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        try (NameService.Subscription here = names().listen(name("b"), change -> heard.add(
                change.bound().name().parts().getLast() + " " + change.bound().record().field("v") + " " + change.present()))) {
            await(heard, "1 before true");
            get(names().rebind(name("b/1"), record("then")));
            await(heard, "1 then true");
            get(names().bind(name("b/2"), record("other")));
            get(names().bind(name("c"), record("elsewhere")));
            get(names().unbind(name("b/1"), NameService.ANY_VERSION));
            await(heard, "1 then false");
            assertThat(heard).containsSubsequence("1 before true", "1 then true", "1 then false").contains("2 other true").noneMatch(
                    line -> line.contains("elsewhere"));
        }
        get(names().bind(name("b/3"), record("late")));
        assertThat(heard).as("of a closed listener").noneMatch(line -> line.contains("late"));
    }

    private static void await(List<String> heard, String line) {
        Awaitility.await().untilAsserted(() -> assertThat(heard).contains(line));
    }

    @Test
    void theRootIsThePrefixOfAllNames() throws Exception {
        get(names().bind(name("a"), record("1")));
        get(names().bind(Name.parse("zz-beside-" + root()), record("2")));
        List<Name> listed = get(names().list(Name.ROOT, NameService.LIST_MAX, Optional.empty())).stream().map(BoundName::name).toList();
        assertThat(listed).contains(name("a"), Name.parse("zz-beside-" + root())).isSorted();
        assertThat(get(names().list(Name.ROOT, 1, Optional.of(name("a")))).getFirst().name()).isGreaterThan(name("a"));
        List<String> heard = Collections.synchronizedList(new ArrayList<>());
        try (NameService.Subscription all = names().listen(Name.ROOT, change -> heard.add(change.bound().name() + " " + change.present()))) {
            await(heard, name("a") + " true");
            get(names().unbind(Name.parse("zz-beside-" + root()), NameService.ANY_VERSION));
            await(heard, "zz-beside-" + root() + " false");
        }
    }

    @Test
    void ofManySwapsOfOneVersionOneSucceeds() throws Exception {
        BoundName first = get(names().bind(name("a"), record("0")));
        List<CompletionStage<BoundName>> swaps = IntStream.rangeClosed(1, 50)
                .mapToObj(each -> names().swap(name("a"), first.version(), record(Integer.toString(each))))
                .collect(Collectors.toList());
        long succeeded = swaps.stream().filter(swap -> {
            try {
                swap.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
                return true;
            } catch (CompletionException e) {
                assertThat(((NameException) e.getCause()).kind()).isEqualTo(NameException.Kind.CONFLICT);
                return false;
            }
        }).count();
        assertThat(succeeded).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "quotes \" and \\ and ' and \u0000", "ümläut 漢字 \uD83D\uDE80", "line\nbreak", " ", "=,+<>#;"})
    void anyTextIsAValue(String value) throws Exception {
        get(names().bind(name("a"), NameRecord.of(Map.of("v", value, value.strip().isEmpty() ? "key" : value, "w"))));
        assertThat(get(names().lookup(name("a"))).orElseThrow().record().field("v")).isEqualTo(value);
    }

    @Test
    void aRecordOfTheLargestSizeIsTaken() throws Exception {
        NameRecord largest = record("x".repeat(NameRecord.BYTES_MAX - 1));
        get(names().bind(name("a"), largest));
        assertThat(get(names().lookup(name("a"))).orElseThrow().record()).isEqualTo(largest);
        assertThatThrownBy(() -> record("x".repeat(NameRecord.BYTES_MAX))).isInstanceOf(NameException.class).hasMessage(
                "a record has 65537 bytes, expected at most 65536");
    }
}
