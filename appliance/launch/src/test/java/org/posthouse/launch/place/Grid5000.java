package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The hosts of the P2P-MPI chapter's experiment (section 3.4): 350 hosts of eight clusters at six sites, seen from Nancy.
 *
 * <p>The chapter's text has the number of sites, clusters and hosts, the 60 hosts with 240 cores at Nancy, the order Nancy,
 * Lyon, Rennes, Bordeaux, and 5 hosts for 10 processes at Lyon, so 2 cores each. The hosts and cores of the other
 * clusters are those of Grid'5000 at that time as remembered, not read. They add up to the 350 hosts. The round trips are
 * chosen, not measured, so that they follow the text: Lyon, Rennes and Bordeaux are within 0.6 ms.
 */
final class Grid5000 {
    /**
     * Hosts of one cluster.
     *
     * @param rttMicros round trip from Nancy, in microseconds
     */
    record Cluster(String site, String name, int hosts, int coresPerHost, long rttMicros) {}

    static final List<Cluster> CLUSTERS = List.of(
            new Cluster("nancy", "grelon", 60, 4, 90),
            new Cluster("lyon", "capricorn", 50, 2, 10_580),
            new Cluster("rennes", "paravent", 90, 2, 10_880),
            new Cluster("bordeaux", "bordereau", 60, 4, 11_180),
            new Cluster("grenoble", "idpot", 8, 2, 13_200),
            new Cluster("grenoble", "idcalc", 12, 4, 13_200),
            new Cluster("sophia", "azur", 32, 2, 17_170),
            new Cluster("sophia", "sol", 38, 4, 17_170));

    private Grid5000() {}

    /** All hosts with each core free; each round trip is up to {@code noise} times longer than the cluster's. */
    static List<NodeSlots> nodes(double noise, Random random) {
        List<NodeSlots> nodes = new ArrayList<>();
        for (Cluster cluster : CLUSTERS) {
            for (int host = 0; host < cluster.hosts(); host++) {
                String name = cluster.name() + "-" + host;
                long rtt = Math.round(cluster.rttMicros() * (1 + noise * random.nextDouble()));
                // A host's id is a hash, so that its order says nothing of its cluster.
                String id = Long.toHexString(new Random(name.hashCode()).nextLong());
                nodes.add(new NodeSlots(
                        nodes.size() + 1, name, id, cluster.site(), rtt, cluster.coresPerHost(), cluster.coresPerHost(), Map.of()));
            }
        }
        return nodes;
    }
}
