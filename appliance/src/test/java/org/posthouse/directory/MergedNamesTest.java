package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/**
 * Two relays of three that were alone meet again, of which one has missed confirmed changes. Hazelcast joins first and merges later: in between they are a
 * majority that does not have all names yet.
 */
@Timeout(300)
class MergedNamesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int NAMES = 1_000;

    private List<HazelcastDirectory> directories;

    @BeforeEach
    void start() throws IOException {
        directories = Groups.start("merged-names", Groups.endpoints("127.0.0.1", "127.0.0.1", "127.0.0.1"));
    }

    @AfterEach
    void close() {
        directories.forEach(HazelcastDirectory::close);
    }

    private NameService names(int relay) {
        return directories.get(relay).names();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static Name name(int number) {
        return Name.parse("m/" + number);
    }

    private void writeAll(int relay, String value) {
        List<CompletionStage<?>> writes = new ArrayList<>();
        for (int number = 0; number < NAMES; number++) {
            writes.add(value.equals("old") ? names(relay).bind(name(number), NameRecord.of(Map.of("is", value)))
                    : names(relay).rebind(name(number), NameRecord.of(Map.of("is", value))));
        }
        writes.forEach(MergedNamesTest::get);
    }

    private void cut(int one, int other) {
        directories.get(one).guard().bar("r" + other, "cut by the test");
        directories.get(other).guard().bar("r" + one, "cut by the test");
    }

    private void heal(int one, int other) {
        directories.get(one).guard().readmit("r" + other);
        directories.get(other).guard().readmit("r" + one);
    }

    /** Both ways, as Hazelcast chooses which of two equal parts joins the other. */
    @ParameterizedTest
    @CsvSource({"1, 2", "2, 1"})
    void nothingOlderIsAnsweredBeforeTheMergeIsDone(int informed, int uninformed) throws Exception {
        writeAll(0, "old");
        cut(uninformed, 0);
        cut(uninformed, informed);
        Groups.awaitMembers(directories.get(informed), 2);
        writeAll(informed, "new");
        cut(informed, 0);
        directories.forEach(each -> Groups.awaitMembers(each, 1));

        Set<String> answers = new ConcurrentSkipListSet<>();
        Set<Integer> answered = ConcurrentHashMap.newKeySet();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> readers = new ArrayList<>();
        for (int relay : new int[] {informed, uninformed}) {
            readers.add(Thread.ofPlatform().start(() -> read(relay, over, answers, answered)));
        }
        heal(informed, uninformed);
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
