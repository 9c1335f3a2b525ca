package org.posthouse.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Groups of hosts that have the same ranks: a job fails when all hosts of one group have failed. Groups of equal hazards and sites are one object.
 *
 * @param hazards cumulative hazard of each host over the job's time
 * @param sites number of each host's site
 * @param count how many groups are such
 */
record CopyGroup(List<Double> hazards, List<Integer> sites, long count) {
    /** Of {@code groups} groups whose hosts are all alike. Copy k of group i is at site (i + k) mod {@code sites}. */
    static List<CopyGroup> alike(double hazard, long groups, int degree, int sites) {
        List<CopyGroup> kinds = new ArrayList<>();
        for (int kind = 0; kind < Math.min(sites, groups); kind++) {
            long count = (groups - kind + sites - 1) / sites;
            kinds.add(new CopyGroup(Collections.nCopies(degree, hazard), sitesOf(kind, degree, sites), count));
        }
        return kinds;
    }

    /**
     * Spreads hosts that differ, so that the groups are about equally at risk: in each round the riskiest group gets the best host that is left.
     *
     * @param hazards of groups x degree hosts, the smallest first
     */
    static List<CopyGroup> spread(double[] hazards, int groups, int degree, int sites) {
        double[][] copies = new double[groups][degree];
        double[] logRisk = new double[groups];
        Integer[] order = IntStream.range(0, groups).boxed().toArray(Integer[]::new);
        for (int copy = 0; copy < degree; copy++) {
            Arrays.sort(order, Comparator.comparingDouble(group -> -logRisk[group]));
            for (int at = 0; at < groups; at++) {
                double hazard = hazards[copy * groups + at];
                copies[order[at]][copy] = hazard;
                logRisk[order[at]] += Math.log(-Math.expm1(-hazard));
            }
        }
        Map<CopyGroup, Long> kinds = new LinkedHashMap<>();
        for (int group = 0; group < groups; group++) {
            CopyGroup one = new CopyGroup(Arrays.stream(copies[group]).boxed().toList(), sitesOf(group % sites, degree, sites), 1);
            kinds.merge(one, 1L, Long::sum);
        }
        return kinds.entrySet().stream().map(kind -> new CopyGroup(kind.getKey().hazards(), kind.getKey().sites(), kind.getValue())).toList();
    }

    private static List<Integer> sitesOf(int first, int degree, int sites) {
        return IntStream.range(0, degree).mapToObj(copy -> (first + copy) % sites).toList();
    }

    /** The logarithm of the probability that no group of this kind loses all of its hosts. @param failedSites bit mask of sites whose hosts have failed */
    double logSurvival(int failedSites) {
        double all = 1;
        for (int copy = 0; copy < hazards.size(); copy++) {
            if ((failedSites >> sites.get(copy) & 1) == 0) {
                all *= -Math.expm1(-hazards.get(copy));
            }
        }
        return count * Math.log1p(-all);
    }

    double meanHazard() {
        return hazards.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }
}
