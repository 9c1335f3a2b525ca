package org.posthouse.launch.reserve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.posthouse.launch.reserve.ReservationWorld.MS;
import static org.posthouse.launch.reserve.ReservationWorld.SECOND;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.AllocationRequest.Strategy;
import org.posthouse.launch.reserve.ReservationStep.Keep;
import org.posthouse.launch.reserve.ReservationWorld.Agent;
import org.posthouse.launch.reserve.ReservationWorld.Launcher;
import org.posthouse.launch.reserve.ReservationWorld.Relay;
import org.posthouse.testkit.SeededRuns;

/** Launchers that compete for the slots of simulated agents. */
class ReservationSimulationTest {
    private static final int RUNS = 200;

    private static AllocationRequest ranks(int ranks) {
        return AllocationRequest.of(ranks, Strategy.CONCENTRATE);
    }

    /** Each agent holds exactly what the launchers believe, and no relay posts more than once a second. */
    private static void assertConsistent(ReservationWorld world) {
        for (Launcher launcher : world.launchers) {
            assertThat(launcher.endedNs).isNotNegative();
            Map<Long, Integer> slots = launcher.allocation == null ? Map.of() : launcher.allocation.slotsByAgent();
            for (int i = 0; i < world.agents.size(); i++) {
                Agent agent = world.agents.get(i);
                int believed = slots.getOrDefault(i + 1L, 0);
                int held = agent.isAlive ? agent.ledger.slotsOf(launcher.job) : 0;
                int confirmed = agent.isAlive ? agent.ledger.confirmedOf(launcher.job) : 0;
                if (held != believed || confirmed != believed) {
                    fail("job %d at agent %d: the launcher believes %d, held %d, confirmed %d", launcher.job, i + 1, believed, held, confirmed);
                }
            }
        }
        assertThat(world.agents).allMatch(agent -> agent.ledger.held() <= agent.ledger.limits().slotsInAll());
        for (Relay relay : world.relays) {
            for (int i = 1; i < relay.postingsNs.size(); i++) {
                assertThat(relay.postingsNs.get(i) - relay.postingsNs.get(i - 1)).as("time between two postings of a relay").isGreaterThanOrEqualTo(SECOND);
            }
        }
    }

    private static long worstNs;
    private static long contested;

    @Test
    void ofTwoLaunchersForThreeFifthsEachOneGetsItsSlotsWithinTenSeconds() {
        SeededRuns.each(RUNS, seed -> {
            ReservationWorld world = new ReservationWorld(seed, 5 * MS);
            world.addRelays(2, 10, 4); // 80 slots
            Launcher first = world.launch(0, ranks(48), 0);
            Launcher second = world.launch(world.random.nextInt(2), ranks(48), world.random.nextLong(20 * MS));
            world.run();
            assertConsistent(world);
            assertThat(first.allocation != null && second.allocation != null).as("both have 60 %").isFalse();
            assertThat(first.allocation != null || second.allocation != null).as("one has its slots").isTrue();
            Launcher winner = first.allocation != null ? first : second;
            Launcher loser = first.allocation != null ? second : first;
            assertThat(loser.failure).startsWith("asked for 48, got 32: site-0").contains("refused: FULL");
            long waitedNs = winner.endedNs - second.startedNs;
            assertThat(waitedNs).as("time in which neither has its slots").isLessThanOrEqualTo(10 * SECOND);
            worstNs = Math.max(worstNs, waitedNs);
            contested += winner.rounds > 1 ? 1 : 0;
        });
        System.out.printf("two launchers for 60 %% each: %d of %d seeds contested, first allocation after at most %d ms%n", contested, RUNS, worstNs / MS);
        SeededRuns.tally("contested seeds", contested, RUNS / 10);
    }

    @Test
    void anAgentThatDiesBetweenItsAnswerAndTheConfirmIsReplaced() {
        SeededRuns.each(RUNS, seed -> {
            ReservationWorld world = new ReservationWorld(seed, 5 * MS);
            world.addRelays(2, 10, 4);
            Launcher launcher = world.launch(0, ranks(30), 0);
            long[] died = {0};
            int victim = world.random.nextInt(8);
            launcher.onStep = step -> {
                if (step instanceof Keep keep && died[0] == 0 && keep.agent() > victim) {
                    died[0] = keep.agent();
                    world.agents.get((int) died[0] - 1).isAlive = false;
                }
            };
            world.run();
            assertThat(died[0]).isPositive();
            assertConsistent(world);
            assertThat(launcher.failure).isNull();
            assertThat(launcher.rounds).isEqualTo(2);
            assertThat(launcher.allocation.slotsByAgent()).doesNotContainKey(died[0]);
        });
    }

    @Test
    void oneLauncherOfFourThousandSlotsNeedsThreeRoundTripsAmongTenThousandAgents() {
        assertUncontended(50, ranks(500)); // 1,000 agents
        assertUncontended(500, ranks(4_000)); // 10,000
        assertUncontended(50, AllocationRequest.of(500, Strategy.SPREAD));
        assertUncontended(500, AllocationRequest.of(4_000, Strategy.SPREAD));
    }

    private static void assertUncontended(int agentsOfRelay, AllocationRequest request) {
        ReservationWorld world = new ReservationWorld(1, 0);
        world.addRelays(20, agentsOfRelay, 4);
        Launcher launcher = world.launch(0, request, 0);
        world.run();
        assertConsistent(world);
        assertThat(launcher.allocation).isNotNull();
        assertThat(launcher.rounds).isEqualTo(1);
        double roundTrips = (launcher.confirmedNs - launcher.startedNs) / (double) launcher.farthestNs;
        System.out.printf(
                "%d agents, 1 launcher, %s %d slots: %.2f round trips of %.1f ms, %d frames at launcher and agents, %d agents confirmed, %s%n",
                world.agents.size(), request.strategy(), request.ranks(), roundTrips, launcher.farthestNs / 1e6, launcher.frames,
                launcher.allocation.slotsByAgent().size(), postings(world));
        assertThat(roundTrips).isLessThanOrEqualTo(3);
    }

    private static String postings(ReservationWorld world) {
        int all = world.relays.stream().mapToInt(relay -> relay.postingsNs.size()).sum();
        int most = world.relays.stream().mapToInt(relay -> relay.postingsNs.size()).max().orElse(0);
        return String.format("%d postings, at most %d of a relay in %.1f s", all, most, world.nowNs() / 1e9);
    }

    @Test
    void competingLaunchersUseMostSlotsOfAThousandAgents() {
        assertCompeting(3, 50, 500, 10);
    }

    @Tag("long")
    @Test
    void competingLaunchersUseMostSlotsOfTenThousandAgents() {
        assertCompeting(1, 500, 4_000, 12);
    }

    private static void assertCompeting(int seeds, int agentsOfRelay, int slots, int launchers) {
        SeededRuns.each(seeds, seed -> {
            ReservationWorld world = new ReservationWorld(seed, MS);
            world.addRelays(20, agentsOfRelay, 4);
            for (int i = 0; i < launchers; i++) {
                world.launch(world.random.nextInt(20), ranks(slots), world.random.nextLong(SECOND));
            }
            world.run();
            assertConsistent(world);
            long won = world.launchers.stream().filter(launcher -> launcher.allocation != null).count();
            long lastNs = world.launchers.stream().mapToLong(launcher -> launcher.endedNs).max().orElseThrow();
            System.out.printf(
                    "%d agents with %d slots, %d launchers of %d: %d got them, %.2f rounds each, all ended after %.1f s, %d frames, %s%n",
                    world.agents.size(), world.agents.size() * 4, launchers, slots, won,
                    world.launchers.stream().mapToInt(launcher -> launcher.rounds).average().orElse(0), lastNs / 1e9,
                    world.launchers.stream().mapToLong(launcher -> launcher.frames).sum(), postings(world));
            long room = world.agents.size() * 4L / slots;
            assertThat(won).as("launchers that have their slots, of %d that fit", room).isBetween(room * 3 / 4, room);
        });
    }
}
