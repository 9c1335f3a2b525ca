package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.SeededRuns;

/** The rule by which it is certain that ranks wait for each other in sends, in worlds in which every word is late, and as late as it likes. */
final class SendDeadlockTest {
    @Test
    void namesTheRanksOfARingFromAnyOfItsWords() {
        SendDeadlock ring = new SendDeadlock();
        assertThat(ring.waits(0, 3, 1, 5, "Send(destination 1)")).isEmpty();
        assertThat(ring.waits(2, 1, 0, 3, "Send(destination 0)")).isEmpty();
        assertThat(ring.waits(1, 5, 2, 1, "Send(destination 2)")).containsExactly(2, 0, 1);
        assertThat(ring.words(List.of(2, 0, 1))).startsWith("ranks 0, 1, 2 wait for each other in sends")
                .contains("rank 0 in Send(destination 1), rank 1 in Send(destination 2), rank 2 in Send(destination 0);").contains("--unexpected-max");
    }

    @Test
    void wordsOfOtherCallsMakeNoRing() {
        SendDeadlock ring = new SendDeadlock();
        assertThat(ring.waits(0, 3, 1, 5, "Send")).isEmpty();
        assertThat(ring.waits(1, 6, 0, 3, "Send")).as("rank 1 has gone on since").isEmpty();
        assertThat(ring.waits(0, 3, 1, 6, "Send")).containsExactly(1, 0);
        ring.forget(1);
        assertThat(ring.waits(0, 3, 1, 6, "Send")).isEmpty();
    }

    /** Not once is a ring told that ends; and each that does not is told. */
    @Test
    void tellsEachRingThatNeverEndsAndNoOther() {
        int[] rings = new int[1];
        int[] ends = new int[1];
        SeededRuns.each(3_000, seed -> {
            World world = new World(new Random(seed));
            world.run();
            assertThat(world.told).as("ranks that are in a ring").isEqualTo(world.inRings());
            rings[0] += world.told.isEmpty() ? 0 : 1;
            ends[0] += world.told.isEmpty() ? 1 : 0;
        });
        SeededRuns.tally("worlds with a ring", rings[0], 100);
        SeededRuns.tally("worlds without one", ends[0], 300);
    }

    /**
     * Ranks that send and receive, blocking, in an order by chance; each at a home of its own. What is said between two of these takes any time, in its order; so does a word, by a way of its own. A rank
     * whose send waits says so, to all homes; a home tells the launcher as a relay does.
     */
    private static final class World {
        private record Event(long at, int order, Runnable what) {}

        /** A rank's program: a positive step sends to that rank less one, a negative one receives from it. */
        private final Map<Integer, List<Integer>> programs = new HashMap<>();

        private final Map<Integer, Integer> step = new HashMap<>();

        /** At a home: sends that wait there, by source. */
        private final Map<Integer, Set<Integer>> offers = new HashMap<>();

        private final Map<Integer, Integer> posted = new HashMap<>();

        /** At a home: what each rank's last word said it is in, its step; and whether its own rank has asked for something since. */
        private final Map<Integer, Map<Integer, Integer>> words = new HashMap<>();

        private final Map<List<Integer>, Long> ways = new HashMap<>();
        private final PriorityQueue<Event> events =
                new PriorityQueue<>((a, b) -> a.at == b.at ? Integer.compare(a.order, b.order) : Long.compare(a.at, b.at));
        private final SendDeadlock ring = new SendDeadlock();
        private final Set<Integer> told = new HashSet<>();
        private final Random random;
        private long now;
        private int count;

        private World(Random random) {
            this.random = random;
            int ranks = 2 + random.nextInt(4);
            for (int rank = 0; rank < ranks; rank++) {
                programs.put(rank, new ArrayList<>());
                words.put(rank, new HashMap<>());
                offers.put(rank, new HashSet<>());
            }
            for (int message = 1 + random.nextInt(8); message > 0; message--) {
                int from = random.nextInt(ranks);
                int to = (from + 1 + random.nextInt(ranks - 1)) % ranks;
                add(from, to + 1);
                add(to, -(from + 1));
            }
        }

        private void add(int rank, int what) {
            List<Integer> program = programs.get(rank);
            program.add(random.nextInt(3) == 0 ? random.nextInt(program.size() + 1) : program.size(), what);
        }

        private void run() {
            programs.keySet().forEach(rank -> after(0, () -> begin(rank, 0)));
            while (!events.isEmpty()) {
                Event next = events.poll();
                now = next.at;
                next.what.run();
            }
        }

        private void after(long delay, Runnable what) {
            events.add(new Event(now + delay, count++, what));
        }

        /** Over a way whose frames come in their order. */
        private void over(int from, int to, int kind, Runnable what) {
            long at = Math.max(ways.getOrDefault(List.of(from, to, kind), 0L), now + random.nextInt(200));
            ways.put(List.of(from, to, kind), at);
            events.add(new Event(at, count++, what));
        }

        private Integer stepOf(int rank) {
            int at = step.get(rank);
            return at < programs.get(rank).size() ? programs.get(rank).get(at) : 0;
        }

        /** A rank comes to its step; its home is one with it but for the time that each takes to hear of the other. */
        private void begin(int rank, int at) {
            step.put(rank, at);
            int what = stepOf(rank);
            if (what > 0) {
                over(rank, what - 1, 0, () -> offered(rank, what - 1));
                after(random.nextInt(300), () -> say(rank, at));
                after(2_000 + random.nextInt(300), () -> say(rank, at));
            } else if (what < 0) {
                over(rank, rank, 0, () -> post(rank, -what - 1));
            }
        }

        /** If it is still there. */
        private void say(int rank, int at) {
            if (step.get(rank) == at) {
                programs.keySet().forEach(home -> over(rank, home, home == rank ? 0 : 1, () -> hear(home, rank, at)));
            }
        }

        private void hear(int home, int rank, int at) {
            words.get(home).put(rank, at);
            int to = programs.get(rank).get(at) - 1;
            if (to == home) {
                judge(home, rank);
            }
            if (rank == home) {
                words.get(home).keySet().forEach(other -> judge(home, other));
            }
        }

        /** As a core does. */
        private void judge(int home, int rank) {
            Integer own = words.get(home).get(home);
            Integer at = words.get(home).get(rank);
            if (own != null && programs.get(rank).get(at) - 1 == home && offers.get(home).contains(rank * 100 + at)) {
                over(home, 99, 2, () -> {
                    List<Integer> found = ring.waits(rank, at, home, own, "Send");
                    told.addAll(found);
                });
            }
        }

        private void offered(int rank, int home) {
            offers.get(home).add(rank * 100 + step.get(rank));
            match(home);
        }

        private void post(int rank, int source) {
            posted.put(rank, source);
            match(rank);
        }

        private void match(int home) {
            Integer source = posted.get(home);
            Integer offer = source == null
                    ? null
                    : offers.get(home).stream().filter(each -> each / 100 == source).findFirst().orElse(null);
            if (offer != null) {
                posted.remove(home);
                offers.get(home).remove(offer);
                int next = step.get(home) + 1;
                over(home, home, 3, () -> begin(home, next));
                over(home, source, 4, () -> begin(source, offer % 100 + 1));
            }
        }

        /** The truth, at the end: ranks whose sends wait for each other. */
        private Set<Integer> inRings() {
            Set<Integer> in = new HashSet<>();
            for (int rank : programs.keySet()) {
                int at = rank;
                for (int hops = 0; hops <= programs.size() && stepOf(at) > 0; hops++) {
                    at = stepOf(at) - 1;
                    if (at == rank) {
                        in.add(rank);
                        break;
                    }
                }
            }
            return in;
        }
    }
}
