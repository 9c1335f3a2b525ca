package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.posthouse.directory.GroupOfThree.get;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/**
 * Two relays of three that were alone meet again, of which one has missed confirmed changes. Hazelcast joins first and merges later: in between they are a
 * majority that does not have all names yet.
 */
@Timeout(300)
@Tag("long")
class MergedNamesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int NAMES = 1_000;

    @RegisterExtension
    private final GroupOfThree group = new GroupOfThree("merged-names");

    private NameService names(int relay) {
        return group.names(relay);
    }

    private static Name name(int number) {
        return Name.parse("m/" + number);
    }

    private void writeAll(int relay, String value) {
        List<CompletionStage<?>> writes = new ArrayList<>();
        for (int number = 0; number < NAMES; number++) {
            Name name = name(number);
            NameRecord content = NameRecord.of(Map.of("is", value));
            writes.add(value.equals("old") ? names(relay).bind(name, content)
                    : names(relay).rebind(name, content).exceptionallyCompose(e -> againIfUnclear(e, () -> names(relay).rebind(name, content))));
        }
        writes.forEach(GroupOfThree::get);
    }

    /** A group that has just lost a member may not confirm a change in time, on a busy machine: the change is made again. */
    private static <T> CompletionStage<T> againIfUnclear(Throwable e, Supplier<CompletionStage<T>> change) {
        Throwable why = e instanceof CompletionException ? e.getCause() : e;
        return why instanceof NameException failure && failure.kind() == NameException.Kind.UNAVAILABLE ? change.get() : CompletableFuture.failedStage(why);
    }

    /** Both ways, as Hazelcast chooses which of two equal parts joins the other. */
    @Test
    void nothingOlderIsAnsweredBeforeTheMergeIsDone() throws Exception {
        assertNothingOlderIsAnswered(1, 2);
    }

    @Test
    void alsoIfTheYoungerMemberHasTheNewerNames() throws Exception {
        assertNothingOlderIsAnswered(2, 1);
    }

    private void assertNothingOlderIsAnswered(int informed, int uninformed) throws Exception {
        writeAll(0, "old");
        group.cut(uninformed, 0);
        group.cut(uninformed, informed);
        group.awaitMembers(informed, 2);
        writeAll(informed, "new");
        group.cut(informed, 0);
        for (int relay = 0; relay < GroupOfThree.RELAYS; relay++) {
            group.awaitMembers(relay, 1);
        }

        Set<String> answers = new ConcurrentSkipListSet<>();
        Set<Integer> answered = ConcurrentHashMap.newKeySet();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> readers = new ArrayList<>();
        for (int relay : new int[] {informed, uninformed}) {
            readers.add(Thread.ofPlatform().start(() -> read(relay, over, answers, answered)));
        }
        group.heal(informed, uninformed);
        await().atMost(PATIENCE).until(() -> answered.size() == 2 * NAMES);
        over.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(answers).containsExactly("new");
    }

    private void read(int relay, AtomicBoolean over, Set<String> answers, Set<Integer> answered) {
        for (int number = 0; !over.get(); number = (number + 1) % NAMES) {
            try {
                answers.add(get(names(relay).lookup(name(number))).map(bound -> bound.record().field("is")).orElse("none"));
                answered.add(relay == 1 ? number : NAMES + number);
            } catch (CompletionException e) {
                assertThat(((NameException) e.getCause()).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
            }
        }
    }
}
