package org.posthouse.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Elections over a simulated network. */
class ElectionTest {
    private static final Name TOKEN = Name.parse("vm/grid/leader");
    private static final int FRONT_ENDS = 3;
    private static final int CONTENDERS = 20;

    /** Who was elected by each count, as the back end's record had it at any time. */
    private final Map<Long, String> elected = new HashMap<>();
    private long lastCount;

    private void watch(SimulatedWorld world) {
        world.backEnd().listen(TOKEN, change -> {
            if (!change.bound().name().equals(TOKEN)) {
                return;
            }
            Leader leader = Leader.of(change.bound().record());
            assertThat(elected.putIfAbsent(leader.count(), leader.contender())).as("two winners of election " + leader.count()).isNull();
            assertThat(leader.count()).isGreaterThan(lastCount);
            lastCount = leader.count();
        });
    }

    private static List<SimulatedWorld.FrontEnd> frontEnds(SimulatedWorld world) {
        List<SimulatedWorld.FrontEnd> frontEnds = new ArrayList<>();
        for (int each = 0; each < FRONT_ENDS; each++) {
            frontEnds.add(world.new FrontEnd("relay-" + each));
        }
        return frontEnds;
    }

    private static Election election(SimulatedWorld.FrontEnd frontEnd, String name) {
        return new Election(frontEnd, frontEnd, frontEnd, TOKEN, name);
    }

    /** 200 elections of 3 x 20 contenders. */
    @Test
    void eachElectionHasOneWinnerAndEachFrontEndBindsOnce() {
        SimulatedWorld world = new SimulatedWorld(1, 0);
        watch(world);
        List<SimulatedWorld.FrontEnd> frontEnds = frontEnds(world);
        List<Election> elections = new ArrayList<>();
        for (int each = 0; each < FRONT_ENDS; each++) {
            elections.add(election(frontEnds.get(each), "relay-" + each));
        }
        for (int round = 1; round <= 200; round++) {
            world.binds.clear();
            List<CompletionStage<Leader>> answers = new ArrayList<>();
            for (int each = 0; each < FRONT_ENDS * CONTENDERS; each++) {
                answers.add(elections.get(each % FRONT_ENDS).contend("contender-" + each));
            }
            world.run(10_000);
            List<Leader> leaders = answers.stream().map(answer -> answer.toCompletableFuture().join()).distinct().toList();
            assertThat(leaders).as("round " + round).hasSize(1);
            assertThat(leaders.getFirst().count()).isEqualTo(round);
            assertThat(world.binds).as("round " + round).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(FRONT_ENDS);
        }
        assertThat(elected).hasSize(200);
        assertThat(world.backEnd().list(Name.parse("vm/grid"), 1_000, java.util.Optional.empty()).toCompletableFuture().join())
                .as("ballots of old elections are removed").hasSizeLessThan(12);
    }

    /** The winner's relay dies right after its ballot was bound. */
    @Test
    void aWinnerThatDiesBeforeItTakesOfficeIsPassedOverWithinThreeSeconds() {
        SimulatedWorld world = new SimulatedWorld(2, 0);
        watch(world);
        List<SimulatedWorld.FrontEnd> frontEnds = frontEnds(world);
        frontEnds.getFirst().callsLeft = 2; // Its look-up and its bind.
        election(frontEnds.getFirst(), "relay-0").contend("dies");
        world.run(200);
        assertThat(frontEnds.getFirst().isDead()).isTrue();
        CompletionStage<Leader> next = election(frontEnds.get(1), "relay-1").contend("lives");
        world.run(3_000);
        assertThat(next.toCompletableFuture()).isCompleted();
        assertThat(next.toCompletableFuture().join()).satisfies(leader -> {
            assertThat(leader.contender()).isEqualTo("lives");
            assertThat(leader.count()).isEqualTo(2);
        });
    }

    /** It had won, slept while another was elected, and wakes up. */
    @Test
    void aWinnerThatSleptChangesNothingAndHearsWhoLeads() {
        SimulatedWorld world = new SimulatedWorld(3, 0);
        watch(world);
        List<SimulatedWorld.FrontEnd> frontEnds = frontEnds(world);
        CompletionStage<Leader> sleeps = election(frontEnds.getFirst(), "relay-0").contend("sleeps");
        world.run(0);
        while (world.backEnd().lookup(Name.parse(TOKEN + "_1")).toCompletableFuture().join().isEmpty()) {
            world.run(1);
        }
        frontEnds.getFirst().sleep(10_000);
        CompletionStage<Leader> wakes = election(frontEnds.get(1), "relay-1").contend("wakes");
        world.run(5_000);
        assertThat(wakes.toCompletableFuture().join().contender()).isEqualTo("wakes");
        world.run(10_000);
        assertThat(sleeps.toCompletableFuture().join().contender()).isEqualTo("wakes");
        assertThat(elected).containsExactly(Map.entry(2L, "wakes"));
    }

    /** Messages are lost, front ends die at any call and sleep at any time: never two winners of one count, and who lives elects in the end. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 20})
    void seedsOfLossDeathAndSleepNeverGiveTwoWinners(int lostPercent) {
        for (int seed = 1; seed <= 150; seed++) {
            elected.clear();
            lastCount = 0;
            SimulatedWorld world = new SimulatedWorld(seed, lostPercent);
            watch(world);
            List<SimulatedWorld.FrontEnd> frontEnds = frontEnds(world);
            for (int each = 0; each < FRONT_ENDS; each++) {
                SimulatedWorld.FrontEnd frontEnd = frontEnds.get(each);
                if (each > 0 && world.random().nextBoolean()) {
                    frontEnd.callsLeft = world.random().nextInt(12);
                }
                contendForEver(world, frontEnd, election(frontEnd, "relay-" + each), "relay-" + each);
                world.after(world.random().nextInt(5_000), () -> frontEnd.sleep(world.random().nextInt(6_000)));
            }
            world.run(120_000);
            assertThat(elected).as("seed " + seed).isNotEmpty();
            assertThat(elected.values()).as("seed " + seed + ": who lives is elected").contains("relay-0");
        }
    }

    private static void contendForEver(SimulatedWorld world, SimulatedWorld.FrontEnd frontEnd, Election election, String contender) {
        election.contend(contender).whenComplete((leader, fault) -> frontEnd.after(
                1 + world.random().nextInt(3_000), () -> contendForEver(world, frontEnd, election, contender)));
    }
}
