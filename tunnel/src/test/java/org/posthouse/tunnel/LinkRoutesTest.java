package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.LinkReach;
import org.posthouse.wire.WireException;

/** Who reaches whom, in grids of relays that are drawn by chance. */
class LinkRoutesTest {
    private static final int SEEDS = Boolean.getBoolean("posthouse.long") ? 300 : 150;

    /** A grid: who is linked straight to whom, and how far that is. */
    private record Net(Map<String, Map<String, Integer>> micros) {
        static Net draw(Random random) {
            int relays = 3 + random.nextInt(6);
            Net net = new Net(new TreeMap<>());
            IntStream.range(0, relays).forEach(i -> net.micros.put("r" + i, new TreeMap<>()));
            for (int i = 0; i < relays; i++) {
                for (int j = 0; j < i; j++) {
                    if (random.nextInt(3) == 0) {
                        net.join("r" + i, "r" + j, 1 + random.nextInt(1_000));
                    }
                }
            }
            return net;
        }

        void join(String one, String other, int far) {
            micros.get(one).put(other, far);
            micros.get(other).put(one, far);
        }

        /** The shortest way without a loop, of at most {@code hops} links, found by trying all; -1 if there is none. */
        int shortest(String from, String to, int hops, List<String> behind) {
            int best = from.equals(to) ? 0 : -1;
            if (best < 0 && hops > 0) {
                for (Map.Entry<String, Integer> next : micros.get(from).entrySet()) {
                    if (!behind.contains(next.getKey())) {
                        List<String> further = new ArrayList<>(behind);
                        further.add(from);
                        int rest = shortest(next.getKey(), to, hops - 1, further);
                        best = rest >= 0 && (best < 0 || rest + next.getValue() < best) ? rest + next.getValue() : best;
                    }
                }
            }
            return best;
        }

        int length(String from, LinkPath path, String to) {
            int sum = 0;
            String at = from;
            for (String next : path.via()) {
                sum += micros.get(at).get(next);
                at = next;
            }
            return sum + micros.get(at).get(to);
        }
    }

    @Test
    void pathsAreLoopFreeAndShortInRandomGrids() throws WireException {
        int detours = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Net net = Net.draw(new Random(seed));
            Map<String, LinkRoutes> routes = new TreeMap<>();
            net.micros.keySet().forEach(relay -> routes.put(relay, new LinkRoutes(relay)));
            settle(net, routes);
            for (String from : routes.keySet()) {
                for (String to : routes.keySet()) {
                    List<LinkRoutes.Route> ways = routes.get(from).to(to);
                    for (LinkRoutes.Route way : ways) {
                        List<String> all = new ArrayList<>(way.path().via());
                        all.addFirst(from);
                        all.add(to);
                        assertThat(new HashSet<>(all)).as("seed %d: %s", seed, all).hasSameSizeAs(all);
                        assertThat(all).as("seed %d", seed).hasSizeLessThanOrEqualTo(LinkPath.HOPS_MAX + 1);
                        assertThat(way.roundTripMicros()).as("seed %d: %s", seed, all).isEqualTo(net.length(from, way.path(), to));
                    }
                    boolean straight = from.equals(to) || net.micros.get(from).containsKey(to);
                    int two = straight ? -1 : net.shortest(from, to, 2, List.of());
                    if (two >= 0) {
                        detours++;
                        assertThat(ways).as("seed %d: %s to %s", seed, from, to).isNotEmpty();
                        assertThat(ways.getFirst().roundTripMicros()).as("seed %d: %s to %s", seed, from, to).isLessThanOrEqualTo(two);
                    }
                    assertThat(straight || net.shortest(from, to, LinkPath.HOPS_MAX, List.of()) >= 0 || ways.isEmpty())
                            .as("seed %d: %s to %s", seed, from, to)
                            .isTrue();
                }
            }
        }
        assertThat(detours).isGreaterThan(SEEDS);
    }

    /** What a relay has lost its link to is reached no more, however many others believed it was. */
    @Test
    void removesLostRelayWithoutCountingToInfinity() throws WireException {
        Net net = new Net(new TreeMap<>());
        List.of("a", "b", "c", "d").forEach(relay -> net.micros.put(relay, new TreeMap<>()));
        net.join("a", "b", 10);
        net.join("b", "c", 10);
        net.join("a", "c", 10);
        net.join("c", "d", 10);
        Map<String, LinkRoutes> routes = new TreeMap<>();
        net.micros.keySet().forEach(relay -> routes.put(relay, new LinkRoutes(relay)));
        settle(net, routes);
        assertThat(routes.get("a").to("d")).first().extracting(LinkRoutes.Route::path).hasToString("via c");
        net.micros.get("c").remove("d");
        net.micros.get("d").remove("c");
        routes.get("c").forget("d");
        routes.get("d").forget("c");
        settle(net, routes);
        routes.forEach((relay, table) -> assertThat(table.reached()).as(relay).doesNotContain("d"));
    }

    @Test
    void tellsWhichLinkOfAWayHasTheMostOnItsWay() throws WireException {
        LinkRoutes a = new LinkRoutes("a");
        a.neighbours(List.of(new LinkRoutes.Neighbour("b", 10, 500), new LinkRoutes.Neighbour("c", 10, 7)));
        a.hear("b", new LinkReach(List.of(new LinkReach.Entry("d", 20, 100, List.of()))));
        a.hear("c", new LinkReach(List.of(new LinkReach.Entry("d", 20, 100, List.of()))));
        assertThat(a.to("d")).extracting(LinkRoutes.Route::load).containsExactly(100L, 500L);
        assertThat(a.to("d")).extracting(route -> route.path().first()).as("of equals the one with less").containsExactly("c", "b");
    }

    /** Behind any other way, also for those who hear of it from others; two in a row are no farther than a number can say. */
    @Test
    void aDrainedRelayIsTheLastResort() throws WireException {
        LinkRoutes gateway = new LinkRoutes("b");
        gateway.neighbours(List.of(new LinkRoutes.Neighbour("d", 10, 0), new LinkRoutes.Neighbour("a", 10, 0)));
        LinkReach drained = LinkRoutes.lastResort(gateway.tell("a", met -> true));
        LinkRoutes a = new LinkRoutes("a");
        a.neighbours(List.of(new LinkRoutes.Neighbour("b", 10, 0), new LinkRoutes.Neighbour("c", 10, 0), new LinkRoutes.Neighbour("e", 10, 0)));
        a.hear("b", drained);
        a.hear("c", new LinkReach(List.of(new LinkReach.Entry("d", 60_000_000, 0, List.of()))));
        assertThat(a.to("d")).extracting(route -> route.path().first()).containsExactly("c", "b");
        assertThat(a.to("d")).extracting(LinkRoutes.Route::isLastResort).containsExactly(false, true);
        a.hear("c", new LinkReach(List.of()));
        LinkRoutes e = new LinkRoutes("e");
        e.neighbours(List.of(new LinkRoutes.Neighbour("a", 10, 0)));
        e.hear("a", LinkRoutes.lastResort(a.tell("e", met -> true)));
        assertThat(e.to("d")).singleElement().matches(LinkRoutes.Route::isLastResort).extracting(LinkRoutes.Route::path).hasToString("via a, b");
    }

    /** Else one that invents relays would have all others look for them. */
    @Test
    void tellsOfWhomItHasMetOnly() throws WireException {
        LinkRoutes a = new LinkRoutes("a");
        a.neighbours(List.of(new LinkRoutes.Neighbour("b", 10, 0), new LinkRoutes.Neighbour("c", 10, 0)));
        a.hear("b", new LinkReach(List.of(new LinkReach.Entry("d", 20, 0, List.of()), new LinkReach.Entry("e", 20, 0, List.of()))));
        assertThat(a.reached("b")).containsExactly("d", "e");
        assertThat(a.reached("c")).isEmpty();
        assertThat(a.tell("c", relay -> relay.equals("e")).entries()).extracting(LinkReach.Entry::relay).containsExactly("b", "e");
    }

    /** An honest one says none of it: its own table has no such way. */
    @Test
    void takesNoWayThatANeighbourCannotHave() {
        LinkRoutes a = new LinkRoutes("a");
        assertThat(a.neighbours(List.of(new LinkRoutes.Neighbour("b", 10, 0)))).as("another one").isTrue();
        LinkReach said = new LinkReach(List.of(
                new LinkReach.Entry("a", 1, 0, List.of()),
                new LinkReach.Entry("b", 1, 0, List.of()),
                new LinkReach.Entry("c", 1, 0, List.of("a")),
                new LinkReach.Entry("d", 1, 0, List.of("b")),
                new LinkReach.Entry("e", 1, 0, List.of("e")),
                new LinkReach.Entry("f", 1, 0, List.of("g"))));
        a.hear("b", said);
        a.hear("x", new LinkReach(List.of(new LinkReach.Entry("y", 1, 0, List.of()))));
        assertThat(a.reached()).containsExactly("f");
        assertThat(List.of("a", "b", "c", "d", "e", "y")).allSatisfy(relay -> assertThat(a.to(relay)).isEmpty());
        assertThat(a.neighbours(List.of(new LinkRoutes.Neighbour("b", 20, 5)))).as("the same one").isFalse();
        assertThat(a.neighbours(List.of())).isTrue();
        assertThat(a.reached()).as("over one that is none any more").isEmpty();
        assertThat(a.to("f")).isEmpty();
    }

    @Test
    void refusesInvalidReachAnnouncements() {
        for (LinkReach.Entry wrong : List.of(
                new LinkReach.Entry("c", -1, 0, List.of()),
                new LinkReach.Entry("c", 1, -1, List.of()),
                new LinkReach.Entry("no relay", 1, 0, List.of()),
                new LinkReach.Entry("c", 1, 0, List.of("x y")),
                new LinkReach.Entry("c", 1, 0, List.of("d", "e", "f")))) {
            assertThatThrownBy(() -> LinkRoutes.check("b", new LinkReach(List.of(wrong)))).isInstanceOf(WireException.class);
        }
        LinkReach.Entry twice = new LinkReach.Entry("c", 1, 0, List.of());
        assertThatThrownBy(() -> LinkRoutes.check("b", new LinkReach(List.of(twice, twice)))).isInstanceOf(WireException.class);
        LinkReach many = new LinkReach(IntStream.rangeClosed(0, LinkLimits.LINKS_MAX)
                .mapToObj(i -> new LinkReach.Entry("c" + i, 1, 0, List.of()))
                .toList());
        assertThatThrownBy(() -> LinkRoutes.check("b", many)).hasMessage("relay b says that it reaches 257 relays, expected at most 256");
    }

    /** Everybody tells everybody until nothing is new. */
    private static void settle(Net net, Map<String, LinkRoutes> routes) throws WireException {
        for (int round = 0; round < 2 * LinkPath.HOPS_MAX; round++) {
            for (Map.Entry<String, LinkRoutes> relay : routes.entrySet()) {
                List<LinkRoutes.Neighbour> neighbours = new ArrayList<>();
                net.micros.get(relay.getKey()).forEach((other, far) -> neighbours.add(new LinkRoutes.Neighbour(other, far, 0)));
                relay.getValue().neighbours(neighbours);
                for (LinkRoutes.Neighbour neighbour : neighbours) {
                    routes.get(neighbour.relay()).hear(relay.getKey(), relay.getValue().tell(neighbour.relay(), met -> true));
                }
            }
        }
    }
}
