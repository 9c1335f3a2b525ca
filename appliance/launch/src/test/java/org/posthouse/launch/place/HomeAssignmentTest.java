package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.HomeRelay;

/** Which relay each rank is at home at. */
class HomeAssignmentTest {
    private static Candidate relay(String id, int ranks) {
        return new Candidate(new HomeRelay(id.replaceFirst("/.*", ""), id, id + ":7411"), ranks);
    }

    /** The relay of each rank, in the order of the ranks. */
    private static List<String> relays(HomeAssignment homeAssignment) {
        return Arrays.stream(homeAssignment.homeOf()).mapToObj(home -> homeAssignment.homes().get(home).relay()).toList();
    }

    @Test
    void aRelayASiteGetsABlockOfItsRanks() {
        HomeAssignment homeAssignment = HomeAssignment.of(7, List.of(List.of(relay("b", 0)), List.of(relay("a", 9)), List.of(relay("c", 0))));
        assertThat(relays(homeAssignment)).containsExactly("b", "b", "b", "a", "a", "c", "c");
    }

    @Test
    void ranksOfASiteAreSharedEquallyInBlocksOfNeighbours() {
        HomeAssignment homeAssignment = HomeAssignment.of(
                10, List.of(List.of(relay("a/2", 0), relay("a", 0)), List.of(relay("b", 0), relay("b/2", 0), relay("b/3", 0))));
        assertThat(relays(homeAssignment)).containsExactly("a", "a", "a", "a/2", "a/2", "b", "b", "b/2", "b/2", "b/3");
    }

    @Test
    void fillsRelayWithFewestRanksFirst() {
        List<Candidate> site = List.of(relay("a", 5), relay("a/2", 1), relay("a/3", 2));
        assertThat(relays(HomeAssignment.of(1, List.of(site)))).containsExactly("a/2");
        assertThat(relays(HomeAssignment.of(5, List.of(site)))).containsExactly("a/2", "a/2", "a/2", "a/3", "a/3");
        assertThat(relays(HomeAssignment.of(8, List.of(site)))).containsExactly("a", "a/2", "a/2", "a/2", "a/2", "a/3", "a/3", "a/3");
    }

    @Test
    void breaksTiesByRelayIdRegardlessOfCandidateOrder() {
        assertThat(relays(HomeAssignment.of(1, List.of(List.of(relay("a/2", 3), relay("a", 3)))))).containsExactly("a");
        assertThat(relays(HomeAssignment.of(3, List.of(List.of(relay("a/2", 0), relay("a", 0)))))).containsExactly("a", "a", "a/2");
    }

    @Test
    void relaysWithoutARankAreNoHomes() {
        HomeAssignment homeAssignment = HomeAssignment.of(2, List.of(List.of(relay("a", 0), relay("a/2", 0)), List.of(relay("b", 1), relay("b/2", 0))));
        assertThat(homeAssignment.homes()).extracting(HomeRelay::relay).containsExactly("a", "b/2");
        assertThat(homeAssignment.homeOf()).containsExactly(0, 1);
    }

    @Test
    void noRelayEndsWithMoreThanOneRankAboveAnotherThatGotOneLess() {
        Random random = new Random(5);
        for (int round = 0; round < 500; round++) {
            List<List<Candidate>> sites = new ArrayList<>();
            for (int site = random.nextInt(3); site >= 0; site--) {
                List<Candidate> relays = new ArrayList<>();
                for (int name = 1 + random.nextInt(4); name > 0; name--) {
                    relays.add(relay("s" + site + "/" + name, random.nextInt(6)));
                }
                sites.add(relays);
            }
            int ranks = sites.size() + random.nextInt(40);
            List<String> placed = relays(HomeAssignment.of(ranks, sites));
            assertThat(placed).as("sites %s", sites).hasSize(ranks);
            assertThat(placed.stream().distinct().count()).as("blocks of %s", placed).isEqualTo(blocks(placed));
            for (List<Candidate> site : sites) {
                assertBalanced(site, placed);
            }
        }
    }

    private static long blocks(List<String> placed) {
        long blocks = 1;
        for (int rank = 1; rank < placed.size(); rank++) {
            blocks += placed.get(rank).equals(placed.get(rank - 1)) ? 0 : 1;
        }
        return blocks;
    }

    /** A relay that got ranks stands at most one above every other of its site. */
    private static void assertBalanced(List<Candidate> site, List<String> placed) {
        int lowest = site.stream().mapToInt(relay -> after(relay, placed)).min().orElseThrow();
        for (Candidate relay : site) {
            if (placed.contains(relay.relay())) {
                assertThat(after(relay, placed)).as("%s of %s at %s", relay, site, placed).isLessThanOrEqualTo(lowest + 1);
            }
        }
    }

    private static int after(Candidate relay, List<String> placed) {
        return relay.ranks() + (int) placed.stream().filter(relay.relay()::equals).count();
    }
}
