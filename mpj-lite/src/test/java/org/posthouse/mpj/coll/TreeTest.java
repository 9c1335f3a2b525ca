package org.posthouse.mpj.coll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.mpj.LocalWorld;
import org.posthouse.mpj.data.Region;

/** The shapes that collectives run along. */
class TreeTest {
    private static Peers[] peers(int[] sites) {
        Peers[] peers = new Peers[sites.length];
        int[] worldRanks = IntStream.range(0, sites.length).toArray();
        new LocalWorld(sites.length)
                .sites(sites)
                .run(endpoint -> peers[endpoint.rank()] = new Peers(endpoint, 1, endpoint.rank(), worldRanks));
        return peers;
    }

    /** Checks that parents and children agree and that all ranks hang below the root; returns all places. */
    private static Tree[] whole(int[] sites, int root, Function<Peers, Tree> shape) {
        return whole(peers(sites), root, shape);
    }

    private static Tree[] whole(Peers[] peers, int root, Function<Peers, Tree> shape) {
        Tree[] trees = Arrays.stream(peers).map(shape).toArray(Tree[]::new);
        int[] found = new int[peers.length];
        for (int rank = 0; rank < peers.length; rank++) {
            for (int child : trees[rank].children()) {
                assertThat(trees[child].parent()).isEqualTo(rank);
                found[child]++;
            }
        }
        found[root]++;
        assertThat(found).containsOnly(1);
        assertThat(trees[root].parent()).isEqualTo(Tree.NONE);
        return trees;
    }

    private static int crossings(int[] sites, Tree[] trees) {
        int crossings = 0;
        for (int rank = 0; rank < sites.length; rank++) {
            for (int child : trees[rank].children()) {
                crossings += sites[child] == sites[rank] ? 0 : 1;
            }
        }
        return crossings;
    }

    @Test
    void reachesEveryRankFromEveryRoot() {
        for (int size = 1; size <= 17; size++) {
            Peers[] peers = peers(new int[size]);
            for (int root = 0; root < size; root++) {
                int from = root;
                whole(peers, from, each -> Tree.binomial(each, from));
                whole(peers, from, each -> Tree.fourAry(each, from));
                whole(peers, from, each -> Tree.flat(each, from));
            }
        }
    }

    @Test
    void entersEachSiteOnce() {
        int[][] layouts = {{0, 1}, {0, 1, 0, 1, 0, 1}, {2, 2, 1, 1, 1, 0, 0}, {0, 0, 0, 0, 1}, {0, 1, 2, 3}};
        for (int[] sites : layouts) {
            int expected = (int) Arrays.stream(sites).distinct().count() - 1;
            for (int root = 0; root < sites.length; root++) {
                int from = root;
                Tree[] binomial = whole(sites, from, peers -> Tree.binomial(peers, from));
                assertThat(crossings(sites, binomial)).isEqualTo(expected);
                Tree[] fourAry = whole(sites, from, peers -> Tree.fourAry(peers, from));
                assertThat(crossings(sites, fourAry)).isEqualTo(expected);
                Tree[] flat = whole(sites, from, peers -> Tree.flat(peers, from));
                assertThat(crossings(sites, flat)).isEqualTo(expected);
            }
        }
    }

    @Test
    void binomialTreesAreLogarithmicAndSendTheLongestWayFirst() {
        Tree[] trees = whole(new int[8], 0, peers -> Tree.binomial(peers, 0));
        assertThat(trees[0].children()).containsExactly(4, 2, 1);
        assertThat(trees[4].children()).containsExactly(6, 5);
        assertThat(trees[7].children()).isEmpty();
    }

    @Test
    void nobodyHasMoreThanFourChildren() {
        for (Tree tree : whole(new int[30], 0, peers -> Tree.fourAry(peers, 0))) {
            assertThat(tree.children().length).isLessThanOrEqualTo(4);
        }
    }

    @Test
    void orderedTreesGroupConsecutiveRanks() {
        Tree[] trees = whole(new int[] {0, 1, 0, 1, 0, 1, 0}, 0, Tree::ordered);
        assertThat(trees[0].children()).containsExactly(4, 2, 1);
        assertThat(trees[4].children()).containsExactly(6, 5);
    }

    @Test
    void chainsPayAboveTheDocumentedLengths() {
        int[][] kibPerRanks = {{3, 64}, {4, 128}, {8, 192}, {64, 768}};
        for (int[] each : kibPerRanks) {
            assertThat(Chain.pays(each[0], each[1] * 1024L)).isFalse();
            assertThat(Chain.pays(each[0], each[1] * 1024L + 1)).isTrue();
        }
        assertThat(Chain.pays(2, 1L << 40)).isFalse();
        assertThat(Chain.pays(8, 0)).isFalse();
        assertThat(Chain.pays(8, Region.BYTES_UNKNOWN)).isFalse();
    }

    @Test
    void passesAlongTheSites() {
        Peers[] peers = peers(new int[] {0, 1, 0, 2, 1});
        assertThat(peers[0].inSiteOrder(0)).containsExactly(0, 2, 1, 4, 3);
        assertThat(peers[3].inSiteOrder(4)).containsExactly(4, 1, 0, 2, 3);
        assertThat(peers[0].siteLeaders()).hasSizeGreaterThan(1);
        assertThat(peers(new int[3])[1].siteLeaders()).hasSize(1);
    }
}
