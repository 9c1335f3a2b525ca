package org.posthouse.mpj.coll;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.LocalWorld;

/**
 * One communicator of a local world, with all that a seed decides: where the ranks are, how many bytes are eager, and
 * which world rank has which rank.
 *
 * @param forced as the environment would force algorithms; may be empty
 */
record Machine(int size, int sites, String forced, long seed) {
    private static final boolean IS_LONG = Boolean.getBoolean("posthouse.long");

    /** In the short form of the build (ADR 50) one of each kind: alone, a power of two, odd, one more than a power of two. */
    private static final int[] SIZES = IS_LONG ? new int[] {1, 2, 3, 4, 8, 9, 11} : new int[] {1, 2, 3, 4, 9};
    private static final long[] EAGER_BYTES_MAX = {-1, 1000, 256 * 1024};

    /** What each rank does. */
    interface Body {
        void run(Peers peers, int rank) throws Exception;
    }

    /** What each process does, whatever its ranks are. */
    interface WorldBody {
        void run(Endpoint endpoint, int[] worldRanks) throws Exception;
    }

    /**
     * All sizes on one, two and three sites, with every algorithm of the operations, and with none forced. The short form
     * has one site, and two or three; an algorithm that is forced has one of the two for each size.
     */
    static Stream<Machine> all(String... operations) {
        List<String> forced = new ArrayList<>(List.of(""));
        for (String operation : operations) {
            Algorithms.known().get(operation).forEach(name -> forced.add(operation + "=" + name));
        }
        List<Machine> machines = new ArrayList<>();
        for (String force : forced) {
            for (int size : SIZES) {
                for (int sites = 1; sites <= Math.min(3, size); sites++) {
                    if (IS_LONG || isShort(size, sites, !force.isEmpty())) {
                        machines.add(new Machine(size, sites, force, machines.size() + 1));
                    }
                }
            }
        }
        return machines.stream();
    }

    private static boolean isShort(int size, int sites, boolean isForced) {
        int several = Math.min(size, size % 2 == 0 ? 2 : 3);
        return isForced ? sites == (size == 3 ? 1 : several) : sites == 1 || sites == several;
    }

    Random random() {
        return new Random(seed);
    }

    /** A random source of the calling rank's own. */
    Random random(int rank) {
        return new Random(seed * 1000 + rank);
    }

    void run(Body body) {
        runWorld((endpoint, ranks) -> {
            int rank = Tree.position(ranks, endpoint.rank());
            body.run(new Peers(endpoint, Algorithms.parse(forced), 1, rank, ranks), rank);
        });
    }

    void runWorld(WorldBody body) {
        Random random = random();
        List<Integer> ranks = new ArrayList<>(IntStream.range(0, size).boxed().toList());
        Collections.shuffle(ranks, random);
        int[] worldRanks = ranks.stream().mapToInt(Integer::intValue).toArray();
        int stride = random.nextInt(3);
        new LocalWorld(size)
                .seed(seed)
                .eagerBytesMax(EAGER_BYTES_MAX[random.nextInt(EAGER_BYTES_MAX.length)])
                .sites(IntStream.range(0, size).map(rank -> rank * (3 * stride + 1) % sites).toArray())
                .run(endpoint -> body.run(endpoint, worldRanks));
    }
}
