package org.posthouse.names.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** Three judges, cut 1 | 2 and healed. */
class RaftCutTest {
    private static final int CUTS = Boolean.getBoolean("posthouse.long") ? 100 : 4;
    private static final Name NAME = Name.parse("cut/name");

    @TempDir
    private Path folder;

    private JudgeGroup group;

    @BeforeEach
    void start() throws Exception {
        group = JudgeGroup.started(folder, JudgeGroup.FAST);
    }

    @AfterEach
    void close() {
        group.close();
    }

    private static NameRecord record(String value) {
        return NameRecord.of(Map.of("v", value));
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private String otherThan(String judge) {
        return group.judges().stream().filter(each -> !each.equals(judge)).findFirst().orElseThrow();
    }

    @Test
    void aLeaderThatIsCutOffChangesAndReadsNothingAndTheOthersGoOn() throws Exception {
        String leader = group.leader();
        NameService minority = group.names(leader);
        NameService majority = group.near(otherThan(leader));
        BoundName before = get(group.near(leader).bind(NAME, record("before")));
        group.cut(leader);
        long start = System.nanoTime();
        CompletionStage<BoundName> lost = minority.swap(NAME, before.version(), record("lost"));
        CompletionStage<Optional<BoundName>> stale = minority.lookup(NAME);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as("the calls do not wait the 3 s").isLessThan(Duration.ofMillis(2_500));
        BoundName after = get(majority.swap(NAME, before.version(), record("after")));
        NameException failure = JudgeGroup.failure(lost);
        assertThat(failure.kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(failure).hasMessageStartingWith("no majority of the judges site-1,site-2,site-3 has answered within 3000 ms (");
        assertThat(JudgeGroup.failure(stale).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        group.heal();
        assertThat(get(group.near(leader).lookup(NAME))).contains(after);
    }

    @Test
    void callsFailWithoutAMajorityAndSucceedWhenItIsBack() throws Exception {
        List<String> away = group.judges().stream().skip(1).toList();
        away.forEach(group::stop);
        NameService alone = group.names("site-1");
        assertThat(JudgeGroup.failure(alone.bind(NAME, record("1"))).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        assertThat(JudgeGroup.failure(alone.list(NAME, 1, Optional.empty())).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
        for (String judge : away) {
            group.start(judge);
        }
        assertThat(get(group.near("site-1").bind(NAME, record("1"))).version()).isEqualTo(1);
        assertThat(get(alone.rebind(NAME, record("2"))).record()).isEqualTo(record("2"));
    }

    /** A writer on each side swaps by the version that it read; what was answered is never lost, and nothing older comes back. */
    @Test
    void nothingIsLostAndNothingOlderComesBackHoweverOftenTheGroupIsCut() throws Exception {
        Random random = new Random(53);
        Map<Long, String> written = new HashMap<>();
        List<Long> heard = new ArrayList<>();
        group.near("site-1").listen(NAME, change -> {
            synchronized (heard) {
                heard.add(change.bound().version());
            }
        });
        BoundName last = get(group.near("site-1").bind(NAME, record("0")));
        List<String> judges = List.copyOf(group.judges());
        for (int cut = 1; cut <= CUTS; cut++) {
            String separated = cut % 2 == 0 ? group.leader() : judges.get(random.nextInt(3));
            group.cut(separated);
            CompletionStage<BoundName> minority = group.names(separated).swap(NAME, last.version(), record("minority " + cut));
            BoundName won = get(group.near(otherThan(separated)).swap(NAME, last.version(), record("majority " + cut)));
            assertThat(written.put(won.version(), won.record().field("v"))).as("written before at this version").isNull();
            if (random.nextBoolean()) {
                assertThat(JudgeGroup.failure(minority).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
                group.heal();
            } else {
                group.heal(); // The minority's swap may still be on its way: it must find the newer version.
                assertThat(JudgeGroup.failure(minority).kind()).isIn(NameException.Kind.CONFLICT, NameException.Kind.UNAVAILABLE);
            }
            last = get(group.near(separated).lookup(NAME)).orElseThrow();
            assertThat(last).as("after cut " + cut).isEqualTo(won);
        }
        BoundName end = last;
        Awaitility.await().untilAsserted(() -> {
            synchronized (heard) {
                assertThat(heard.getLast()).isEqualTo(end.version());
            }
        });
        assertThat(heard).as("versions that the listener was told").isSorted().doesNotHaveDuplicates();
        System.out.printf("%d cuts of three judges: %d versions, none lost, none older%n", CUTS, end.version());
    }
}
