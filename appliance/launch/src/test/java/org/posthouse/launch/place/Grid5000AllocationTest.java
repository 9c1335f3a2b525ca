package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.place.AllocationRequest.Strategy;

/**
 * Figures 4 and 5 of the P2P-MPI chapter by simulation: hosts and cores by site for 100 to 600 processes. The table goes
 * to {@code target/grid5000-allocation.txt}.
 */
class Grid5000AllocationTest {
    private static final List<String> SITES = List.of("nancy", "lyon", "rennes", "bordeaux", "grenoble", "sophia");

    private static final int HOSTS = 0;
    private static final int CORES = 1;

    /** By strategy and number of processes: for each site hosts and cores. */
    private static final Map<Strategy, Map<Integer, Map<String, int[]>>> FIGURES = new TreeMap<>();

    @BeforeAll
    static void simulate() throws Exception {
        StringBuilder table = new StringBuilder("hosts/cores by site, simulated; P2P-MPI chapter, figures 4 and 5\n");
        for (Strategy strategy : List.of(Strategy.CONCENTRATE, Strategy.SPREAD)) {
            table.append('\n').append(strategy).append("\n   n").append(row(site -> site)).append('\n');
            for (int n = 100; n <= 600; n += 50) {
                Map<String, int[]> figure = figure(strategy, n);
                FIGURES.computeIfAbsent(strategy, key -> new TreeMap<>()).put(n, figure);
                table.append(String.format(Locale.ROOT, "%4d", n))
                        .append(row(site -> figure.get(site)[HOSTS] + "/" + figure.get(site)[CORES]))
                        .append('\n');
            }
        }
        Files.writeString(Files.createDirectories(Path.of("target")).resolve("grid5000-allocation.txt"), table);
    }

    private static String row(UnaryOperator<String> cell) {
        StringBuilder row = new StringBuilder();
        SITES.forEach(site -> row.append(String.format(Locale.ROOT, "%10s", cell.apply(site))));
        return row.toString();
    }

    private static Map<String, int[]> figure(Strategy strategy, int n) throws Exception {
        List<NodeSlots> nodes = NodeOrder.byDistance(Grid5000.nodes(0.06, new Random(n)));
        Map<String, int[]> bySite = new LinkedHashMap<>();
        SITES.forEach(site -> bySite.put(site, new int[2]));
        Set<String> hosts = new HashSet<>();
        for (PlacedRank place : NodeAllocation.of(nodes, AllocationRequest.of(n, strategy)).placed()) {
            int[] counts = bySite.get(place.node().site());
            counts[CORES]++;
            counts[HOSTS] += hosts.add(place.node().host()) ? 1 : 0;
        }
        return bySite;
    }

    private static void assertFigure(Strategy strategy, int n, int figure, Integer... expected) {
        assertThat(SITES.stream().map(site -> FIGURES.get(strategy).get(n).get(site)[figure]))
                .as("%s of %s, n = %d, at %s", figure == HOSTS ? "hosts" : "cores", strategy, n, SITES)
                .containsExactly(expected);
    }

    @Test
    void has350HostsAtSixSitesInEightClusters() {
        assertThat(Grid5000.nodes(0, new Random(1))).hasSize(350);
        assertThat(Grid5000.CLUSTERS).hasSize(8).extracting(Grid5000.Cluster::site).containsAll(SITES);
    }

    @Test
    void concentrateStaysAtNancyUpTo200AndTakesFiveHostsOfLyonFor250() {
        assertFigure(Strategy.CONCENTRATE, 100, HOSTS, 25, 0, 0, 0, 0, 0);
        assertFigure(Strategy.CONCENTRATE, 200, HOSTS, 50, 0, 0, 0, 0, 0);
        assertFigure(Strategy.CONCENTRATE, 200, CORES, 200, 0, 0, 0, 0, 0);
        assertFigure(Strategy.CONCENTRATE, 250, HOSTS, 60, 5, 0, 0, 0, 0);
        assertFigure(Strategy.CONCENTRATE, 250, CORES, 240, 10, 0, 0, 0, 0);
        FIGURES.get(Strategy.CONCENTRATE).forEach((n, sites) -> assertThat(sites.get("nancy")[CORES]).isEqualTo(Math.min(n, 240)));
    }

    /** The chapter's hosts interleave from 300 on. Sorted by {@link NodeOrder}, each site is used up before the next. */
    @Test
    void concentrateUsesUpASiteBeforeTheNext() {
        assertFigure(Strategy.CONCENTRATE, 300, CORES, 240, 60, 0, 0, 0, 0);
        assertFigure(Strategy.CONCENTRATE, 350, CORES, 240, 100, 10, 0, 0, 0);
        assertFigure(Strategy.CONCENTRATE, 600, CORES, 240, 100, 180, 80, 0, 0);
        assertFigure(Strategy.CONCENTRATE, 600, HOSTS, 60, 50, 90, 20, 0, 0);
    }

    @Test
    void spreadUsesTheFourNearestSitesUpTo250() {
        assertFigure(Strategy.SPREAD, 100, HOSTS, 60, 40, 0, 0, 0, 0);
        assertFigure(Strategy.SPREAD, 200, HOSTS, 60, 50, 90, 0, 0, 0);
        assertFigure(Strategy.SPREAD, 250, HOSTS, 60, 50, 90, 50, 0, 0);
        for (int n = 100; n <= 350; n += 50) {
            FIGURES.get(Strategy.SPREAD).get(n).forEach((site, counts) -> assertThat(counts[CORES]).as(site).isEqualTo(counts[HOSTS]));
        }
    }

    @Test
    void spreadUsesAllSitesFrom300AndNancysSecondCoresAt400() {
        assertFigure(Strategy.SPREAD, 300, HOSTS, 60, 50, 90, 60, 20, 20);
        assertFigure(Strategy.SPREAD, 350, CORES, 60, 50, 90, 60, 20, 70);
        assertFigure(Strategy.SPREAD, 400, HOSTS, 60, 50, 90, 60, 20, 70);
        assertFigure(Strategy.SPREAD, 400, CORES, 110, 50, 90, 60, 20, 70);
        assertFigure(Strategy.SPREAD, 450, CORES, 120, 90, 90, 60, 20, 70);
        assertFigure(Strategy.SPREAD, 600, CORES, 120, 100, 180, 110, 20, 70);
    }
}
