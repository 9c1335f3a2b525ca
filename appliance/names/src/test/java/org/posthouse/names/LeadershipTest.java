package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Three relays that always have one leader, in simulated time. */
class LeadershipTest {
    private static final Name TOKEN = Name.parse("vm/leader");
    private static final int FRONT_ENDS = 3;

    private final List<SimulatedWorld.FrontEnd> frontEnds = new ArrayList<>();
    private final List<Leadership> leaderships = new ArrayList<>();
    private final List<String> changes = new ArrayList<>();
    private SimulatedWorld world;

    private void start(long seed, int lostPercent) {
        world = new SimulatedWorld(seed, lostPercent);
        for (int each = 0; each < FRONT_ENDS; each++) {
            String name = "relay-" + each;
            SimulatedWorld.FrontEnd frontEnd = world.new FrontEnd(name);
            Election election = new Election(frontEnd, frontEnd, frontEnd, TOKEN, name);
            Leadership leadership = new Leadership(frontEnd, known -> election.contend(name, known), frontEnd, frontEnd, TOKEN, name,
                    leader -> changes.add(name + ": " + leader.map(Leader::contender).orElse("nobody")));
            frontEnds.add(frontEnd);
            leaderships.add(leadership);
            leadership.start();
        }
    }

    /** The front ends that hold themselves for leader. */
    private List<Integer> leading() {
        List<Integer> leading = new ArrayList<>();
        for (int each = 0; each < FRONT_ENDS; each++) {
            if (!frontEnds.get(each).isDead() && leaderships.get(each).ownCount() > 0) {
                leading.add(each);
            }
        }
        return leading;
    }

    /** Runs, and sees at each 100 ms that there is one leader at most. */
    private void run(long millis) {
        for (long at = 0; at < millis; at += 100) {
            world.run(100);
            assertThat(leading()).as("after " + changes).hasSizeLessThan(2);
        }
    }

    private void allKnow(int leader) {
        for (int each = 0; each < FRONT_ENDS; each++) {
            if (!frontEnds.get(each).isDead()) {
                assertThat(leaderships.get(each).leader().map(Leader::contender)).as("at relay-" + each + " after " + changes).contains("relay-" + leader);
            }
        }
    }

    @Test
    void oneLeadsFromTheStartAndForLong() {
        start(1, 0);
        run(5_000);
        assertThat(leading()).hasSize(1);
        int leader = leading().getFirst();
        run(600_000);
        assertThat(leading()).containsExactly(leader);
        allKnow(leader);
        assertThat(changes).hasSize(FRONT_ENDS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 20})
    void aDeadLeaderIsReplaced(int lostPercent) {
        for (long seed = 1; seed <= 40; seed++) {
            frontEnds.clear();
            leaderships.clear();
            changes.clear();
            start(seed, lostPercent);
            runUntilOneLeads(60_000);
            int dead = leading().getFirst();
            frontEnds.get(dead).die();
            assertThat(leading()).isEmpty();
            long before = world.now();
            runUntilOneLeads(60_000);
            if (lostPercent == 0) {
                assertThat(world.now() - before).isLessThanOrEqualTo((Leadership.SILENCE_TICKS + 4) * Leadership.TICK_MS);
            }
            assertThat(leading().getFirst()).isNotEqualTo(dead);
        }
    }

    private void runUntilOneLeads(long millisMax) {
        for (long at = 0; at < millisMax && leading().isEmpty(); at += 100) {
            run(100);
        }
        assertThat(leading()).as("after " + changes).hasSize(1);
    }

    @Test
    void oneThatLeavesIsReplacedAtOnce() {
        start(3, 0);
        runUntilOneLeads(60_000);
        run(1_000);
        int left = leading().getFirst();
        CompletionStage<Void> told = leaderships.get(left).close();
        run(3_000);
        assertThat(told.toCompletableFuture()).isCompleted();
        assertThat(leading()).hasSize(1).doesNotContain(left);
    }

    /** It may hold itself for leader when it wakes, but nothing that it writes is taken; and it soon knows. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aLeaderThatSleepsWritesNothingWhenItWakes(long seed) {
        start(seed, 0);
        runUntilOneLeads(60_000);
        int sleeper = leading().getFirst();
        long staleCount = leaderships.get(sleeper).ownCount();
        frontEnds.get(sleeper).sleep(40_000);
        world.run(30_000);
        List<Integer> others = leading();
        assertThat(others).as("the sleeper, and who was elected").hasSize(2);
        others.remove(Integer.valueOf(sleeper));
        long count = leaderships.get(others.getFirst()).ownCount();
        assertThat(count).isGreaterThan(staleCount);
        Name state = Name.parse("vm/state");
        world.backEnd().bind(state, NameRecord.of(Map.of("by", "new"), count));
        NameException refused = (NameException) world.backEnd().swap(state, 1, NameRecord.of(Map.of("by", "old"), staleCount))
                .toCompletableFuture().exceptionNow();
        assertThat(refused.kind()).isEqualTo(NameException.Kind.CONFLICT);
        world.run(10_000 + (Leadership.GIVE_UP_TICKS + 2) * Leadership.TICK_MS);
        assertThat(leading()).isEqualTo(others);
        allKnow(others.getFirst());
    }

    @Test
    void whoIsCutOffFromTheNamesStopsToLeadBeforeAnotherIsElected() {
        for (long seed = 1; seed <= 20; seed++) {
            frontEnds.clear();
            leaderships.clear();
            changes.clear();
            start(seed, 0);
            runUntilOneLeads(60_000);
            int cut = leading().getFirst();
            frontEnds.get(cut).isCut = true;
            runUntilOther(cut);
            assertThat(leaderships.get(cut).leader()).isEmpty();
            frontEnds.get(cut).isCut = false;
            run(20_000);
            allKnow(leading().getFirst());
        }
    }

    private void runUntilOther(int than) {
        for (int at = 0; at < 600 && (leading().isEmpty() || leading().contains(than)); at++) {
            run(100);
        }
        assertThat(leading()).hasSize(1).doesNotContain(than);
    }
}
