package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.wire.Agree;
import org.posthouse.wire.FailureMode;
import org.posthouse.wire.Hello;

/**
 * Every order of the events of one agreement in which one member dies: the parts of three members, the death, and the arrival of each frame that the
 * relays exchange. Whoever lives gets the same result, and is told of the death before.
 */
final class AgreementWorldTest {
    private static final int RANKS = 3;

    private static final class World extends FailureWorld {
        private final List<OneRelay.Rank> ports = new ArrayList<>();
        private final Agree.Kind kind;
        private final int dying;
        private final BitSet sent = new BitSet();
        private boolean died;

        World(OneRelay ports, Agree.Kind kind, int dying, int... home) throws Refusal {
            super(opening -> opening.with(FailureMode.BLANK), home);
            this.kind = kind;
            this.dying = dying;
            for (int rank = 0; rank < RANKS; rank++) {
                OneRelay.Rank port = ports.new Rank();
                this.ports.add(port);
                core(rank).connect(Hello.firstStart(JOB, rank), List.of(), port);
            }
        }

        @Override
        List<Runnable> acts() {
            List<Runnable> acts = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++) {
                int member = rank;
                if (!sent.get(member) && !(died && member == dying)) {
                    acts.add(() -> agree(member));
                }
            }
            if (!died) {
                acts.add(this::die);
            }
            return acts;
        }

        private void agree(int rank) {
            sent.set(rank);
            BitSet members = new BitSet();
            members.set(0, RANKS);
            sends(ports.get(rank), new Agree(JOB, 0, rank, 1, kind, 7 & ~(1 << rank), members, new BitSet()).encode().slice());
        }

        private void die() {
            died = true;
            kill(ports.get(dying));
        }

        @Override
        void check(Object path) {
            String result = null;
            for (int rank = 0; rank < RANKS; rank++) {
                List<String> heard = ports.get(rank).heard;
                List<String> agreed = heard.stream().filter(word -> word.startsWith("agreed")).toList();
                if (rank != dying) {
                    assertThat(agreed).as("rank %s after %s", rank, path).hasSize(1);
                    result = result == null ? agreed.getFirst() : result;
                    assertThat(agreed.getFirst()).as("rank %s after %s", rank, path).isEqualTo(result);
                    assertThat(heard).as("rank %s after %s", rank, path).contains("failed " + dying + " incarnation 1");
                    if (agreed.getFirst().contains("failed {" + dying + "}")) {
                        assertThat(heard.indexOf("failed " + dying + " incarnation 1")).as("told before, after %s", path)
                                .isLessThan(heard.indexOf(agreed.getFirst()));
                    }
                } else {
                    assertThat(agreed.size()).as("the dying after %s", path).isLessThanOrEqualTo(1);
                    if (!agreed.isEmpty()) {
                        result = result == null ? agreed.getFirst() : result;
                        assertThat(agreed.getFirst()).isEqualTo(result);
                    }
                }
            }
            assertThat(result).as("after %s", path).contains(sent.get(dying) ? "" : "failed {" + dying + "} unacknowledged");
        }
    }

    private final OneRelay ranks = new OneRelay();

    AgreementWorldTest() throws Refusal {}

    @ParameterizedTest
    @EnumSource(value = Agree.Kind.class, names = {"AGREE", "SHRINK"})
    void allLivingMembersGetOneResultInEveryOrder(Agree.Kind kind) throws Exception {
        int runs = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            int dying = rank;
            runs += FailureWorld.runAll(() -> new World(ranks, kind, dying, 0, 1, 0));
        }
        assertThat(runs).as("orders").isGreaterThan(300);
    }

    /** The relay of the third member may get the result from the first one's before it gets the death from the second one's. */
    @Tag("long")
    @Test
    void relayThatHearsOfTheDeathLastTellsItFirst() throws Exception {
        int runs = FailureWorld.runAll(() -> new World(ranks, Agree.Kind.AGREE, 1, 0, 1, 2));
        assertThat(runs).as("orders").isGreaterThan(300);
    }

    @Test
    void withoutADeathAllFlagsCount() throws Exception {
        World world = new World(ranks, Agree.Kind.AGREE, 2, 0, 1, 0);
        IntStream.range(0, RANKS).forEach(world::agree);
        while (!world.arrivals().isEmpty()) {
            world.arrivals().getLast().run();
        }
        assertThat(world.ports).allSatisfy(port -> assertThat(port.heard).containsExactly("agreed 1 flags 0 failed {}"));
    }
}
