package org.posthouse.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.relay.config.RelayConfig.Mode;

/** Which ranks are where, and which plans are refused. */
class ScalePlanTest {
    private static ScalePlan plan(List<Integer> clients, List<Integer> relays, int processes) {
        return new ScalePlan(clients, relays, List.of(Mode.values()), List.of(false, true), List.of(1, 1024), 5, 10, processes);
    }

    @Test
    void aCellHasAPairForEachRelay() {
        assertThat(plan(List.of(2, 4, 16), List.of(1, 2, 4), 2).cells()).extracting(ScalePlan.Cell::toString).containsExactly(
                "2 clients, 1 relay", "4 clients, 1 relay", "4 clients, 2 relays", "16 clients, 1 relay", "16 clients, 2 relays",
                "16 clients, 4 relays");
    }

    @Test
    void partnersMeetAtOneRelayAndPairsAreSpreadEvenly() {
        ScalePlan.Cell cell = new ScalePlan.Cell(16, 4);
        int[] ranksOfRelay = new int[4];
        for (int rank = 0; rank < 16; rank++) {
            int partner = cell.partnerOf(rank);
            assertThat(partner).isNotEqualTo(rank);
            assertThat(cell.partnerOf(partner)).isEqualTo(rank);
            assertThat(cell.relayOf(partner)).isEqualTo(cell.relayOf(rank));
            assertThat(cell.isFirst(partner)).isNotEqualTo(cell.isFirst(rank));
            ranksOfRelay[cell.relayOf(rank)]++;
        }
        assertThat(ranksOfRelay).containsOnly(4);
    }

    @Test
    void messagesCrossABorderOfProcesses() {
        for (int processes : new int[] {2, 4}) {
            ScalePlan plan = plan(List.of(16), List.of(1), processes);
            ScalePlan.Cell cell = plan.cells().get(0);
            for (int rank = 0; rank < 16; rank++) {
                assertThat(plan.processOf(cell, rank)).isBetween(0, processes - 1)
                        .isNotEqualTo(plan.processOf(cell, cell.partnerOf(rank)));
            }
        }
    }

    @Test
    void everyModeIsMeasuredAtEveryDurabilityBesideThreeBaselines() {
        ScalePlan plan = plan(List.of(2, 4), List.of(1), 2);
        assertThat(plan.series()).extracting(ScaleSeries::label).hasSize(3 + 2 * Mode.values().length).doesNotHaveDuplicates()
                .startsWith("raw", "vertx forwarder", "selector forwarder", "multiplexed none", "multiplexed process");
        assertThat(plan.phases()).isEqualTo(2 * 2 * plan.series().size() * (1 + 5));
    }

    @Test
    void refusesImpossiblePlans() {
        assertThatIllegalArgumentException().isThrownBy(() -> plan(List.of(3), List.of(1), 2))
                .withMessage("3 clients are no pairs, expected an even number");
        assertThatIllegalArgumentException().isThrownBy(() -> plan(List.of(0), List.of(1), 2))
                .withMessage("0 clients, expected 2 to 1024");
        assertThatIllegalArgumentException().isThrownBy(() -> plan(List.of(2), List.of(17), 2))
                .withMessage("17 relays, expected 1 to 16");
        assertThatIllegalArgumentException().isThrownBy(() -> plan(List.of(2, 4), List.of(4), 2))
                .withMessage("nothing to measure: [4] relays for [2, 4] clients, expected a pair for each relay at least");
        assertThatIllegalArgumentException().isThrownBy(() -> plan(List.of(2), List.of(1), 0))
                .withMessage("0 processes, expected 1 to 64");
    }
}
