package org.posthouse.launch.reserve;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.AllocationRequest.Apart;
import org.posthouse.launch.place.AllocationRequest.Strategy;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.launch.reserve.ReservationStep.Allocated;
import org.posthouse.launch.reserve.ReservationStep.Ask;
import org.posthouse.launch.reserve.ReservationStep.AskNodes;
import org.posthouse.launch.reserve.ReservationStep.Failed;
import org.posthouse.launch.reserve.ReservationStep.GiveBack;
import org.posthouse.launch.reserve.ReservationStep.Keep;
import org.posthouse.launch.reserve.ReservationStep.WaitUntil;
import org.posthouse.wire.AgentMessage.Refusal;
import org.posthouse.wire.AgentMessage.Reserved;

/** A launcher's reservation: what it asks, keeps and gives back. */
class ReservationRoundTest {
    private static final long MS = 1_000_000;

    private static NodeSlots node(int agent, String site, int slots, int free) {
        return new NodeSlots(agent, "n" + agent, "h" + agent, site, 100, slots, free, Map.of());
    }

    /** Four nodes with 4 slots each, two of them at each site. */
    private static List<NodeSlots> nodes(int... free) {
        List<NodeSlots> nodes = new ArrayList<>();
        for (int i = 0; i < free.length; i++) {
            nodes.add(node(i + 1, i < 2 ? "site-a" : "site-b", 4, free[i]));
        }
        return nodes;
    }

    private static ReservationRound round(AllocationRequest request) {
        return new ReservationRound(request, new Random(1));
    }

    private static ReservationRound concentrate(int ranks) {
        return round(AllocationRequest.of(ranks, Strategy.CONCENTRATE));
    }

    /** {@code ask 1:4, ask 2:1, wait}. */
    private static String text(List<ReservationStep> steps) {
        return steps.stream()
                .map(step -> switch (step) {
                    case Ask ask -> "ask " + ask.agent() + ":" + ask.want();
                    case Keep keep -> "keep " + keep.agent() + ":" + keep.slots();
                    case GiveBack giveBack -> "give back " + giveBack.agent();
                    case WaitUntil wait -> "wait";
                    case AskNodes askNodes -> "nodes";
                    case Allocated allocated -> "allocated " + allocated.allocation().placed().size();
                    case Failed failed -> "failed: " + failed.why();
                })
                .collect(Collectors.joining(", "));
    }

    private static Reserved granted(int slots) {
        return new Reserved(slots, Refusal.NONE, "");
    }

    private static Reserved refused(Refusal reason) {
        return new Reserved(0, reason, "");
    }

    /** When the last step of a failed round lets the next one begin. */
    private static long waitEndNs(List<ReservationStep> steps) {
        return ((WaitUntil) steps.getLast()).timeNs();
    }

    @Test
    void asksAQuarterMoreKeepsTheNearestAndGivesTheOthersBackFirst() {
        ReservationRound round = concentrate(7);
        assertThat(text(round.onNodes(nodes(4, 4, 4, 4), 0))).isEqualTo("ask 1:4, ask 2:4, ask 3:1, wait");
        assertThat(round.onReserved(3, granted(1), 1)).isEmpty();
        assertThat(round.onReserved(1, granted(4), 2)).isEmpty();
        assertThat(text(round.onReserved(2, granted(4), 3))).isEqualTo("give back 3, keep 1:4, keep 2:3, allocated 7");
    }

    @Test
    void usesAnotherNodeForSlotsThatAreRefused() {
        ReservationRound round = concentrate(8);
        assertThat(text(round.onNodes(nodes(4, 4, 4, 0), 0))).isEqualTo("ask 1:4, ask 2:4, ask 3:2, wait");
        round.onReserved(1, new Reserved(2, Refusal.FULL, ""), 1);
        round.onReserved(2, granted(4), 1);
        assertThat(text(round.onReserved(3, granted(2), 1))).isEqualTo("keep 1:2, keep 2:4, keep 3:2, allocated 8");
    }

    @Test
    void decidesAfterTwoSecondsWithoutTheLastAnswer() {
        ReservationRound round = concentrate(4);
        assertThat(text(round.onNodes(nodes(4, 4), 10))).isEqualTo("ask 1:4, ask 2:1, wait");
        round.onReserved(1, granted(4), 20);
        assertThat(round.onTime(2_000 * MS + 9)).isEmpty();
        assertThat(text(round.onTime(2_000 * MS + 10))).isEqualTo("give back 2, keep 1:4, allocated 4");
        assertThat(text(round.onReserved(2, granted(1), 2_001 * MS))).isEqualTo("give back 2");
        assertThat(round.onReserved(2, refused(Refusal.FULL), 2_001 * MS)).isEmpty();
    }

    @Test
    void aFailedRoundGivesAllBackAndWaitsLongerEachTime() {
        ReservationRound round = concentrate(8);
        long nowNs = 0;
        for (int i = 0; i < ReservationRound.ROUNDS - 1; i++) {
            round.onNodes(nodes(4, 4), nowNs);
            round.onReserved(1, granted(4), nowNs);
            List<ReservationStep> steps = round.onReserved(2, refused(Refusal.FULL), nowNs);
            assertThat(text(steps)).isEqualTo("give back 1, give back 2, wait");
            assertThat(waitEndNs(steps) - nowNs).isBetween(200 * MS << i, 1_000 * MS << i);
            nowNs = waitEndNs(steps);
            assertThat(round.onTime(nowNs - 1)).isEmpty();
            assertThat(text(round.onTime(nowNs))).isEqualTo("nodes");
            assertThat(round.onTime(nowNs + 1)).isEmpty();
        }
        round.onNodes(nodes(4, 4), nowNs);
        round.onReserved(1, granted(4), nowNs);
        assertThat(text(round.onReserved(2, refused(Refusal.FULL), nowNs)))
                .isEqualTo("give back 1, give back 2, failed: asked for 8, got 4: site-a 4 of 8 (4 refused: FULL)");
        assertThat(round.onNodes(nodes(4, 4), nowNs)).isEmpty();
    }

    /** The example of the specification. */
    @Test
    void failureMessageListsGrantsAndRefusalsPerSite() {
        ReservationRound round = round(AllocationRequest.of(16, Strategy.CONCENTRATE).withCopies(2, Apart.HOST));
        List<NodeSlots> offers = List.of(node(1, "site-a", 12, 12), node(2, "site-b", 11, 11), node(3, "site-b", 9, 9));
        List<ReservationStep> steps = List.of();
        long nowNs = 0;
        for (int i = 0; i < ReservationRound.ROUNDS; i++) {
            round.onNodes(offers, nowNs);
            round.onReserved(1, granted(12), nowNs);
            round.onReserved(2, granted(11), nowNs);
            steps = round.onReserved(3, refused(Refusal.FULL), nowNs);
            nowNs += 20_000 * MS;
            round.onTime(nowNs);
        }
        assertThat(((Failed) steps.getLast()).why()).isEqualTo("asked for 16 x 2, got 23: site-a 12 of 12, site-b 11 of 20 (9 refused: FULL)");
    }

    @Test
    void theLastLineNamesEachReason() {
        ReservationRound round = concentrate(16);
        List<ReservationStep> steps = List.of();
        long nowNs = 0;
        for (int i = 0; i < ReservationRound.ROUNDS; i++) {
            round.onNodes(nodes(4, 4, 4, 4), nowNs);
            round.onReserved(1, refused(Refusal.NOT_ALLOWED), nowNs);
            round.onReserved(2, new Reserved(3, Refusal.FULL, ""), nowNs);
            round.onLost(3, "n3 is gone", nowNs);
            nowNs += 20_000 * MS;
            steps = round.onTime(nowNs);
            round.onTime(nowNs + 20_000 * MS);
        }
        assertThat(text(steps))
                .isEqualTo("give back 1, give back 2, give back 4, failed: asked for 16, got 3:"
                        + " site-a 3 of 8 (1 refused: FULL, 4 refused: NOT_ALLOWED), site-b 0 of 8 (4 refused: n3 is gone, 4 refused: no answer)");
    }

    @Test
    void asksNobodyIfTheOffersDoNotSuffice() {
        ReservationRound round = concentrate(8);
        List<ReservationStep> steps = List.of();
        for (int i = 0; i < ReservationRound.ROUNDS; i++) {
            steps = round.onNodes(nodes(4, 1, 2), 0);
            round.onTime(60_000 * MS);
            assertThat(steps).noneMatch(Ask.class::isInstance);
        }
        assertThat(text(steps)).isEqualTo("failed: asked for 8, got 7: site-a 5 of 8 (3 refused: FULL), site-b 2 of 4 (2 refused: FULL)");
    }

    @Test
    void failsAtOnceIfAllSlotsOfAllNodesAreTooFew() {
        assertThat(text(concentrate(17).onNodes(nodes(4, 4, 4, 4), 0))).isEqualTo("failed: asked for 17 slots, got 16; 1 more host with 4 needed");
    }

    @Test
    void aNodeThatIsLostBeforeItsConfirmIsReplacedInTheNextRound() {
        ReservationRound round = concentrate(4);
        round.onNodes(nodes(4, 4), 0);
        round.onReserved(1, granted(4), 1);
        assertThat(text(round.onReserved(2, granted(1), 2))).isEqualTo("give back 2, keep 1:4, allocated 4");
        assertThat(round.onLost(2, "gone", 3)).isEmpty();
        List<ReservationStep> steps = round.onLost(1, "gone", 3);
        assertThat(text(steps)).isEqualTo("wait");
        round.onTime(waitEndNs(steps));
        assertThat(text(round.onNodes(nodes(0, 4), waitEndNs(steps)))).isEqualTo("ask 2:4, wait");
    }

    @Test
    void aNodeThatIsLostBeforeItsAnswerCountsAsOneThatRefuses() {
        ReservationRound round = concentrate(4);
        round.onNodes(nodes(4, 4), 0);
        round.onReserved(1, granted(4), 1);
        assertThat(text(round.onLost(2, "gone", 2))).isEqualTo("keep 1:4, allocated 4");
    }

    @Test
    void ignoresAnAnswerToAnEarlierRoundsQuestion() {
        ReservationRound round = concentrate(8);
        round.onNodes(nodes(4, 4, 2), 0);
        round.onReserved(1, granted(4), 1);
        round.onReserved(2, refused(Refusal.FULL), 1);
        long nextNs = waitEndNs(round.onTime(2_000 * MS)); // 3 has not answered
        round.onTime(nextNs);
        assertThat(text(round.onNodes(nodes(2, 4, 2), nextNs))).isEqualTo("ask 1:2, ask 2:4, ask 3:2, wait");
        round.onReserved(1, granted(2), nextNs);
        round.onReserved(2, granted(4), nextNs);
        assertThat(round.onReserved(3, granted(2), nextNs)).as("the answer to the first round").isEmpty();
        assertThat(text(round.onReserved(3, granted(2), nextNs))).isEqualTo("keep 1:2, keep 2:4, keep 3:2, allocated 8");
    }

    @Test
    void cancelGivesEverythingBack() {
        ReservationRound round = concentrate(4);
        round.onNodes(nodes(4, 4), 0);
        round.onReserved(1, granted(4), 1);
        assertThat(text(round.cancel())).isEqualTo("give back 1, give back 2");
        assertThat(text(round.onReserved(2, granted(1), 2))).isEqualTo("give back 2");
    }

    @Test
    void saysWhyEnoughSlotsDoNotSuffice() {
        ReservationRound round = round(AllocationRequest.of(2, Strategy.SPREAD).withCopies(2, Apart.SITE));
        List<NodeSlots> offers = List.of(node(1, "a", 2, 2), node(2, "a", 2, 2), node(3, "b", 2, 2));
        List<ReservationStep> steps = List.of();
        long nowNs = 0;
        for (int i = 0; i < ReservationRound.ROUNDS; i++) {
            assertThat(text(round.onNodes(offers, nowNs))).isEqualTo("ask 1:2, ask 2:1, ask 3:2, wait");
            round.onReserved(1, granted(2), nowNs);
            round.onReserved(2, granted(1), nowNs);
            steps = round.onReserved(3, new Reserved(1, Refusal.FULL, ""), nowNs);
            nowNs += 20_000 * MS;
            round.onTime(nowNs);
        }
        assertThat(text(steps)).endsWith("failed: asked for 2 x 2, got 4: a 3 of 3, b 1 of 2 (1 refused: FULL);"
                + " asked for 2 x 2 with the copies at different sites, got room for 1 of 2 copies of all ranks (slots: a 3, b 1)");
    }
}
