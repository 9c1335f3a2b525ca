package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.posthouse.launch.job.JobFailure;

/**
 * Finds the relays that a job can use, and connects to them: the named ones, others of their sites, and those of
 * further sites that they know. Confined to the launching thread.
 *
 * <p>A named relay that cannot be reached is a failure. A relay that is only known may have just ended. It is left out,
 * with a message, as long as its site has another.
 */
public final class RelaySearch {
    /** As {@code relay --listen} takes it. */
    private static final Pattern EVERY_ADDRESS = Pattern.compile("0\\.0\\.0\\.0:|:::|\\[::]:");

    private static final String NO_GROUP = "name one of each other site with --relay, or start them all with --tunnel-group, so that they know each other";

    private static final String ELSEWHERE = "; if it runs on another host, start it with --announce and the address at which it is reached from here, or name"
            + " that with --relay";

    /** Milliseconds from the answer of a relay that has not read its log yet to the next dial. */
    private static final long AGAIN_MS = 100;

    private final PlacementRequest placementRequest;

    /** By the relay's id, in the order in which they were connected. */
    private final Map<String, RelayClient> lines = new LinkedHashMap<>();

    /**
     * Relays by id, as the relays describe each other. A relay's description of itself comes before those of others.
     */
    private final Map<String, Candidate> known = new TreeMap<>();

    private RelaySearch(PlacementRequest placementRequest) {
        this.placementRequest = placementRequest;
    }

    /**
     * @param processes number of the job's ranks and of those that follow them
     * @return the relays of each site, connected; at least one a site
     * @throws JobFailure in one line, if there are not so many; no connection is left then
     */
    public static List<List<RelayClient>> find(PlacementRequest placementRequest, int processes) throws JobFailure {
        RelaySearch search = new RelaySearch(placementRequest);
        try {
            return search.find(processes);
        } catch (JobFailure e) {
            search.lines.values().forEach(RelayClient::close);
            throw e;
        }
    }

    private List<List<RelayClient>> find(int processes) throws JobFailure {
        for (String address : placementRequest.addresses()) {
            add(connectNamed(address));
        }
        List<List<RelayClient>> found = new ArrayList<>();
        for (String site : sites(processes)) {
            found.add(connectSite(site));
        }
        return found;
    }

    /** One that has not read its log yet is waited for: it may have been started just before. */
    private RelayClient connectNamed(String address) throws JobFailure {
        for (boolean told = false;; told = true) {
            try {
                return RelayClient.connect(address, placementRequest.token(), advice(address));
            } catch (JobFailure e) {
                if (!e.isEarly()) {
                    throw e;
                }
                if (!told) {
                    System.err.println("posthouse: " + e.getMessage());
                }
            }
            pause(address);
        }
    }

    private static void pause(String address) throws JobFailure {
        try {
            Thread.sleep(AGAIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while waiting for the relay at " + address, e);
        }
    }

    /** Advice to the user about a named relay that cannot be reached. */
    private String advice(String address) {
        return "; start it (posthouse relay --site SITE --listen " + address + "), or give --relay the address at which it says that it listens"
                + (placementRequest.addresses().size() > 1
                        ? ", or leave it out: another is named"
                        : "; without --relay the job runs over relays of its own");
    }

    /** Keeps the line to a relay, once; a relay that was named twice is one relay, and two that have one name are none. */
    private void add(RelayClient line) throws JobFailure {
        RelayClient first = lines.putIfAbsent(line.home().relay(), line);
        if (first != null) {
            line.close();
            requireSame(first, line);
            return;
        }
        for (Candidate told : line.known()) {
            known.putIfAbsent(told.relay(), told);
        }
        known.put(line.home().relay(), line.self());
    }

    private static void requireSame(RelayClient first, RelayClient second) throws JobFailure {
        if (!first.listen().equals(second.listen())) {
            throw new JobFailure("two relays are called " + first.home().relay() + ": one listens at " + first.listen() + ", one at " + second.listen()
                    + "; leave one of them out, or start it with a --site or --name of its own");
        }
    }

    /** The sites of the relays named, and as many others as are wanted. */
    private Set<String> sites(int processes) throws JobFailure {
        Set<String> sites = new LinkedHashSet<>();
        List<String> leftOut = lines.values().stream().filter(line -> line.leftOut() > 0).map(RelaySearch::leftOut).toList();
        leftOut.forEach(what -> System.err.println("posthouse: " + what));
        lines.values().forEach(line -> sites.add(line.home().site()));
        if (placementRequest.parts().isPresent()) {
            addSitesOfParts(sites);
        }
        int wanted = Math.max(placementRequest.sites(), sites.size());
        if (wanted > processes) {
            throw new JobFailure(wanted + " sites for a job of " + processes + (processes == 1 ? " process" : " processes") + ": each site needs one");
        }
        known.values().stream().map(Candidate::site).distinct().forEach(site -> {
            if (sites.size() < wanted) {
                sites.add(site);
            }
        });
        if (sites.size() < wanted) {
            throw new JobFailure("the job wants " + wanted + " sites, but the relay at " + placementRequest.addresses().get(0)
                    + " knows only " + sites.size() + "; " + (leftOut.isEmpty() ? NO_GROUP : String.join("; ", leftOut)));
        }
        return sites;
    }

    /** Parts are expected at sites by their names, of which the relays know more than are named. */
    private void addSitesOfParts(Set<String> sites) throws JobFailure {
        for (String site : placementRequest.nodes().sites().ranks().keySet()) {
            if (known.values().stream().noneMatch(relay -> relay.site().equals(site))) {
                throw new JobFailure("slots of site " + site + " are expected (--expect), and no relay of that site is known; " + NO_GROUP);
            }
            sites.add(site);
        }
    }

    private static String leftOut(RelayClient line) {
        return line + " knows of " + (line.known().size() + line.leftOut()) + " relays and could tell of " + line.known().size()
                + "; name those of the others that are to take part with --relay";
    }

    private List<RelayClient> connectSite(String site) throws JobFailure {
        List<RelayClient> found = new ArrayList<>();
        lines.values().stream().filter(line -> line.home().site().equals(site)).forEach(found::add);
        List<String> missed = new ArrayList<>();
        for (Candidate next : leastLoaded(site)) {
            if (placementRequest.relaysPerSite() == 0 || found.size() < placementRequest.relaysPerSite()) {
                try {
                    found.add(connect(next));
                } catch (JobFailure e) {
                    missed.add("relay " + next.relay() + ": " + e.getMessage());
                }
            }
        }
        if (found.isEmpty() || found.size() < placementRequest.relaysPerSite()) {
            throw new JobFailure("the job wants " + Math.max(1, placementRequest.relaysPerSite()) + " relays of site " + site + ", but only "
                    + found.size() + " can be reached" + (missed.isEmpty() ? "" : "; " + String.join("; ", missed)));
        }
        missed.forEach(why -> System.err.println("posthouse: no ranks go to " + why));
        return found;
    }

    /** The relays of {@code site} that there is no line to, those with the fewest ranks first. */
    private List<Candidate> leastLoaded(String site) {
        return known.values().stream()
                .filter(relay -> relay.site().equals(site) && !lines.containsKey(relay.relay()))
                .sorted(Comparator.comparingInt(Candidate::ranks).thenComparing(Candidate::relay))
                .toList();
    }

    private RelayClient connect(Candidate relay) throws JobFailure {
        String address = relay.home().address();
        if (EVERY_ADDRESS.matcher(address).lookingAt()) {
            throw new JobFailure(
                    "all that others know is that it listens at " + address + ", which is every address of its host: start it with --announce HOST:PORT,"
                            + " or name it with --relay");
        }
        RelayClient line = RelayClient.connect(address, placementRequest.token(), ELSEWHERE);
        if (!line.home().relay().equals(relay.relay())) {
            line.close();
            throw new JobFailure("relay " + line.home().relay() + " answers at " + address + ELSEWHERE);
        }
        add(line);
        return line;
    }
}
