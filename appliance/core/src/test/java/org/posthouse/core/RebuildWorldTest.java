package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Hello;
import org.posthouse.wire.RankFailed;

/**
 * Orders of the events of rebuilds: deaths at any time, also of the processes that take the places of the dead, before they connect, in a rebuild and
 * behind it; and the arrival of each frame that the relays exchange. At the end all that live are in one communicator, one process of each rank, and
 * nobody waits.
 */
final class RebuildWorldTest {
    private static final int PROCESSES_OF_A_RANK = 4;
    private static final int SEEDS = 1_000;

    private enum Life {
        TO_COME,
        STARTED,
        CONNECTED,
        ENDED,
        DEAD
    }

    /** A process, whose program calls rebuild when it has no communicator or knows of a death in the one that it has. */
    private static final class Participant {
        private final int number;
        private final OneRelay.Rank port;
        private Life life = Life.TO_COME;
        private boolean waits;
        private String communicator = "";
        private final TreeSet<Integer> members = new TreeSet<>();
        private int read;

        private Participant(int number, OneRelay.Rank port) {
            this.number = number;
            this.port = port;
        }

        /** Reads what it was told since. */
        private void reads() {
            for (; read < port.heard.size(); read++) {
                String word = port.heard.get(read);
                if (word.startsWith("rebuilt")) {
                    assertThat(waits).as("process %s waits for %s", number, word).isTrue();
                    waits = false;
                    take(word);
                } else if (word.startsWith("failed")) {
                    members.remove(Integer.parseInt(word.split(" ")[1]));
                }
            }
        }

        private void take(String word) {
            if (word.endsWith("in vain")) {
                life = Life.ENDED;
                return;
            }
            communicator = word;
            members.clear();
            Stream.of(word.substring(word.indexOf('{') + 1, word.indexOf('}')).split(", ")).map(Integer::valueOf).forEach(members::add);
            port.heard.stream().limit(read).filter(known -> known.startsWith("failed")).forEach(known -> members.remove(Integer.valueOf(known.split(" ")[1])));
        }

        private boolean wantsRebuild(int ranks) {
            return life == Life.CONNECTED && !waits && members.size() < ranks;
        }

        private boolean lives() {
            return life == Life.STARTED || life == Life.CONNECTED;
        }
    }

    private static final class World extends FailureWorld {
        private final List<Participant> processes = new ArrayList<>();
        private int deathsLeft;
        private int finalizingLeft;

        World(OneRelay ports, int deaths, int finalizing, int... home) throws Refusal {
            super(opening -> opening.rebuilding(PROCESSES_OF_A_RANK), home);
            deathsLeft = deaths;
            finalizingLeft = finalizing;
            for (int process = 0; process < ranks() * PROCESSES_OF_A_RANK; process++) {
                processes.add(new Participant(process, ports.new Rank()));
            }
            for (int rank = 0; rank < ranks(); rank++) {
                connect(processes.get(rank));
                IntStream.range(0, ranks()).forEach(processes.get(rank).members::add);
            }
        }

        @Override
        List<Runnable> acts() {
            processes.forEach(Participant::reads);
            List<Runnable> acts = new ArrayList<>();
            for (Participant process : processes) {
                if (process.life == Life.STARTED) {
                    acts.add(() -> connect(process));
                }
                if (process.wantsRebuild(ranks())) {
                    acts.add(() -> rebuild(process));
                }
                if (deathsLeft > 0 && process.lives()) {
                    acts.add(() -> die(process));
                }
                if (finalizingLeft > 0 && process.life == Life.CONNECTED && !process.waits && !process.members.isEmpty()) {
                    acts.add(() -> finish(process));
                }
            }
            return acts;
        }

        private void connect(Participant process) {
            try {
                int incarnation = process.number / ranks() + 1;
                core(process.number).connect(Hello.start(JOB, process.number, incarnation), List.of(), process.port);
                process.life = Life.CONNECTED;
            } catch (Refusal e) {
                throw new AssertionError(e);
            }
        }

        private void rebuild(Participant process) {
            process.waits = true;
            BitSet self = new BitSet();
            self.set(process.number);
            sends(process.port, new Agree(JOB, 0, process.number, 1, Agree.Kind.REBUILD, 1, self, new BitSet()).encode().slice());
        }

        private void finish(Participant process) {
            finalizingLeft--;
            process.life = Life.ENDED;
            sends(process.port, new Frames(JOB).finalizing(0));
        }

        /** The launcher starts the next process of the rank when the relay has told of the death, or the process has not connected. */
        private void die(Participant process) {
            deathsLeft--;
            if (process.life == Life.CONNECTED) {
                kill(process.port);
            } else {
                core(process.number).rankFailed(new RankFailed(JOB, process.number, process.number / ranks() + 1));
            }
            process.life = Life.DEAD;
            processes.get(process.number + ranks()).life = Life.STARTED;
        }

        @Override
        void check(Object path) {
            List<Participant> living = processes.stream().filter(Participant::lives).toList();
            assertThat(living).as("nobody waits after %s", path).noneMatch(process -> process.waits);
            if (processes.stream().noneMatch(process -> process.life == Life.ENDED)) {
                TreeSet<Integer> all = new TreeSet<>(living.stream().map(process -> process.number).toList());
                assertThat(living).as("one process of each rank after %s", path).hasSize(ranks());
                assertThat(living).as("after %s", path).allSatisfy(process -> assertThat(process.members).isEqualTo(all));
                assertThat(living).as("one communicator after %s", path).extracting(process -> process.communicator).containsOnly(
                        living.getFirst().communicator);
            }
        }
    }

    private final OneRelay ports = new OneRelay();

    RebuildWorldTest() throws Refusal {}

    @Test
    void allThatLiveAreInOneCommunicatorAfterDeathsInEveryOrder() throws Exception {
        int runs = FailureWorld.runAll(() -> new World(ports, 1, 0, 0, 1, 0));
        assertThat(runs).as("orders").isGreaterThan(100);
    }

    @Test
    void nobodyWaitsForARankThatHasFinalizedInAnyOrder() throws Exception {
        int runs = FailureWorld.runAll(() -> new World(ports, 1, 1, 0, 1));
        assertThat(runs).as("orders").isGreaterThan(100);
    }

    /** Up to three deaths, of the same rank or others, at any time; in half of the runs a rank calls Finalize in between. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void alsoAfterSeveralDeathsInDrawnOrders(int deaths) throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            World world = new World(ports, deaths, seed % 2, 0, 1, 2, 1);
            for (List<Runnable> choices = world.choices(); !choices.isEmpty(); choices = world.choices()) {
                choices.get(random.nextInt(choices.size())).run();
            }
            world.check("seed " + seed);
        }
    }
}
