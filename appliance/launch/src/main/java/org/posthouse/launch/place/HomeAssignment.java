package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.posthouse.wire.HomeRelay;

/**
 * The home relay of each rank of a job. Each site takes a block of neighbouring ranks; all blocks are as long as can be
 * but for one rank. Inside a site every rank goes to the relay with the fewest ranks by then, those of other jobs
 * included. Between equals it is the first by its id. So the site's relays end as equal as they can. The ranks of one
 * relay are neighbours too, because neighbours talk most. Relays that get no rank are left out.
 *
 * @param homes the relays that have ranks of the job
 * @param homeOf for each rank, an index in {@code homes}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record HomeAssignment(List<HomeRelay> homes, int[] homeOf) {

    /**
     * @param ranks number of ranks; if they are fewer than sites, some sites get none
     * @param sites the relays of each site, at least one
     */
    public static HomeAssignment of(int ranks, List<List<Candidate>> sites) {
        int[] ranksOfSite = new int[sites.size()];
        for (int rank = 0; rank < ranks; rank++) {
            ranksOfSite[(int) ((long) rank * sites.size() / ranks)]++;
        }
        List<HomeRelay> homes = new ArrayList<>();
        int[] homeOf = new int[ranks];
        int placed = 0;
        for (int site = 0; site < ranksOfSite.length; site++) {
            List<Candidate> relays = sites.get(site).stream().sorted(Comparator.comparing(Candidate::relay)).toList();
            int[] shares = shares(ranksOfSite[site], relays);
            for (int relay = 0; relay < shares.length; relay++) {
                for (int i = 0; i < shares[relay]; i++) {
                    homeOf[placed++] = homes.size();
                }
                if (shares[relay] > 0) {
                    homes.add(relays.get(relay).home());
                }
            }
        }
        return new HomeAssignment(List.copyOf(homes), homeOf);
    }

    /** Number of the site's ranks for each of its relays. */
    private static int[] shares(int ranks, List<Candidate> relays) {
        int[] shares = new int[relays.size()];
        for (int placed = 0; placed < ranks; placed++) {
            int fewest = 0;
            for (int relay = 1; relay < shares.length; relay++) {
                if (relays.get(relay).ranks() + shares[relay] < relays.get(fewest).ranks() + shares[fewest]) {
                    fewest = relay;
                }
            }
            shares[fewest]++;
        }
        return shares;
    }
}
