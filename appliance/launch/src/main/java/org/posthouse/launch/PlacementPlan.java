package org.posthouse.launch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.HomeAssignment;
import org.posthouse.launch.place.NodeAllocation;
import org.posthouse.launch.place.NodeRequest;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.launch.place.PlacedRank;
import org.posthouse.launch.place.PlacementRequest;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.place.RelaySearch;
import org.posthouse.launch.remote.NodeReservation;
import org.posthouse.wire.HomeRelay;

/**
 * Where the ranks of a job would be if it were started now ({@code --dry-run}). Nothing is reserved.
 *
 * @param places in the order of their first ranks
 */
public record PlacementPlan(List<Place> places) {
    /**
     * A node or this host, with its ranks.
     *
     * @param site of the node's relay; the ranks, and most of those that are followed, are at home there
     * @param where the node and its host, or this host and the relay, for people
     * @param ranks whose first processes are there
     * @param followed ranks whose followers are there; one of the two lists has a rank
     */
    public record Place(String site, String where, List<Integer> ranks, List<Integer> followed) {
        @Override
        public String toString() {
            String leaders = ranks.isEmpty() ? "" : words(ranks);
            String followers = followed.isEmpty() ? "" : (followed.size() == 1 ? "follower of " : "followers of ") + words(followed);
            return "site " + site + ", " + where + ": " + leaders + (ranks.isEmpty() || followed.isEmpty() ? "" : "; ") + followers;
        }
    }

    /** @throws JobFailure in one line, if the job could not be placed */
    public static PlacementPlan of(int ranks, Replicas replicas, PlacementRequest request) throws JobFailure {
        List<List<RelayClient>> sites = RelaySearch.find(request, replicas.processes(ranks));
        List<RelayClient> found = sites.stream().flatMap(List::stream).toList();
        try {
            NodeRequest.Use use = request.nodes().use();
            boolean onNodes = use == NodeRequest.Use.ALWAYS || use == NodeRequest.Use.IF_THERE && NodeReservation.hasNodes(found);
            return new PlacementPlan(onNodes ? onNodes(request.nodes().allocation(ranks, replicas), found) : here(replicas.degrees(ranks), sites));
        } finally {
            found.forEach(RelayClient::close);
        }
    }

    private static List<Place> onNodes(AllocationRequest request, List<RelayClient> found) throws JobFailure {
        Map<NodeSlots, List<PlacedRank>> ofNode = new LinkedHashMap<>();
        for (PlacedRank placed : NodeAllocation.of(NodeReservation.free(found), request).placed()) {
            ofNode.computeIfAbsent(placed.node(), node -> new ArrayList<>()).add(placed);
        }
        List<Place> places = new ArrayList<>();
        ofNode.forEach((node, placed) -> places.add(new Place(
                node.site(), "node " + node.name() + ", host " + node.host(),
                placed.stream().filter(place -> place.copy() == 0).map(PlacedRank::rank).toList(),
                placed.stream().filter(place -> place.copy() > 0).map(PlacedRank::rank).toList())));
        return places;
    }

    private static List<Place> here(int[] degrees, List<List<RelayClient>> sites) {
        HomeAssignment homes = HomeAssignment.of(degrees.length, sites.stream().map(site -> site.stream().map(RelayClient::self).toList()).toList());
        Map<Integer, List<Integer>> ranksOf = new LinkedHashMap<>();
        for (int rank = 0; rank < degrees.length; rank++) {
            ranksOf.computeIfAbsent(homes.homeOf()[rank], home -> new ArrayList<>()).add(rank);
        }
        List<Place> places = new ArrayList<>();
        ranksOf.forEach((home, placed) -> {
            HomeRelay relay = homes.homes().get(home);
            List<Integer> followed = placed.stream().flatMap(rank -> Collections.nCopies(degrees[rank] - 1, rank).stream()).toList();
            places.add(new Place(relay.site(), "this host, at home at relay " + relay.relay(), placed, followed));
        });
        return places;
    }

    /** {@code ranks 0-3, 8}. */
    static String words(List<Integer> ranks) {
        List<Integer> sorted = ranks.stream().distinct().sorted().toList();
        StringBuilder words = new StringBuilder(sorted.size() == 1 ? "rank " : "ranks ");
        for (int at = 0; at < sorted.size();) {
            int end = at;
            while (end + 1 < sorted.size() && sorted.get(end + 1) == sorted.get(end) + 1) {
                end++;
            }
            words.append(at == 0 ? "" : ", ").append(sorted.get(at)).append(end == at ? "" : "-" + sorted.get(end));
            at = end + 1;
        }
        return words.toString();
    }
}
