package org.posthouse.mpj.coll;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.posthouse.mpj.data.Region;

/**
 * Chooses the algorithm of each collective from facts that every rank knows alike ({@link Call}). The environment may
 * force an algorithm, for measurements. A forced algorithm that cannot run a call leaves that call to the choice.
 * docs/collectives.md has the same as a table. Immutable.
 */
public final class Algorithms {
    /** Forced algorithms: {@code bcast=binomial,allreduce=doubling}. The same at every rank of a job. */
    public static final String VARIABLE = "POSTHOUSE_COLLECTIVES";

    /**
     * Largest message, in bytes, and number of ranks for direct transfer from or to the root: one step, as many
     * messages.
     */
    static final int FLAT_BYTES_MAX = 4 * 1024;

    static final int FLAT_RANKS_MAX = 16;

    /** Largest Allreduce over several sites with small messages, whose cost on a link is its latency. */
    static final int SITES_BYTES_MAX = 16 * 1024;

    /** Smallest Allreduce in which halving, with all ranks at work, costs less than one chain up and one down. */
    static final int HALVING_BYTES_MIN = 256 * 1024;

    /** Smallest data for which n-1 steps of a ring cost less than the second passage of all blocks through one rank. */
    static final int RING_BYTES_MIN = 256 * 1024;

    /** Largest block of an Alltoall, and fewest ranks, for which combined blocks save more than they cost. */
    static final int TOGETHER_BYTES_MAX = 1024;

    static final int TOGETHER_RANKS_MIN = 32;

    /** Smallest data for which n(n-1) direct messages cost less than all data passing through one rank. */
    static final int DIRECT_BYTES_MIN = 128 * 1024;

    private static final Map<String, Class<? extends Algorithm>> OPERATIONS = operations();

    private final Map<Class<?>, Algorithm> forced;

    private Algorithms(Map<Class<?>, Algorithm> forced) {
        this.forced = forced;
    }

    private static Map<String, Class<? extends Algorithm>> operations() {
        Map<String, Class<? extends Algorithm>> operations = new LinkedHashMap<>();
        for (Class<? extends Algorithm> operation : List.of(
                ForBarrier.class, ForBcast.class, ForGather.class, ForScatter.class, ForAllgather.class,
                ForAlltoall.class, ForReduce.class, ForAllreduce.class, ForReduceScatter.class, ForScan.class)) {
            operations.put(nameOf(operation), operation);
        }
        return operations;
    }

    /**
     * @throws IllegalArgumentException if the variable is not understood; the text has its value and the known values
     */
    public static Algorithms fromEnvironment() {
        return parse(System.getenv(VARIABLE));
    }

    /** As {@link #fromEnvironment}, of the variable's value or null. */
    public static Algorithms parse(String text) {
        Map<Class<?>, Algorithm> forced = new LinkedHashMap<>();
        for (String part : text == null || text.isBlank() ? new String[0] : text.split(",", -1)) {
            String[] pair = part.trim().split("=", -1);
            Class<? extends Algorithm> operation = pair.length == 2 ? OPERATIONS.get(pair[0].trim()) : null;
            if (operation == null || forced.put(operation, find(operation, pair[1].trim(), text)) != null) {
                throw unknown("\"" + part.trim() + "\"", text);
            }
        }
        return new Algorithms(forced);
    }

    private static Algorithm find(Class<? extends Algorithm> operation, String name, String text) {
        for (Algorithm algorithm : operation.getEnumConstants()) {
            if (nameOf(algorithm).equals(name)) {
                return algorithm;
            }
        }
        throw unknown("algorithm \"" + name + "\" of " + nameOf(operation), text);
    }

    private static IllegalArgumentException unknown(String what, String text) {
        List<String> known = new ArrayList<>();
        OPERATIONS.forEach((name, operation) -> known.add(name + "=" + String.join("|", names(operation))));
        return new IllegalArgumentException(VARIABLE + " is \"" + text + "\": " + what
                + " is not known, expected each of these at most once: " + String.join(", ", known));
    }

    /** Every operation's algorithms by name. */
    static Map<String, List<String>> known() {
        Map<String, List<String>> known = new LinkedHashMap<>();
        OPERATIONS.forEach((name, operation) -> known.put(name, names(operation)));
        return known;
    }

    private static List<String> names(Class<? extends Algorithm> operation) {
        return Arrays.stream(operation.getEnumConstants()).map(Algorithms::nameOf).toList();
    }

    private static String nameOf(Algorithm algorithm) {
        return algorithm.toString().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String nameOf(Class<?> operation) {
        String name = operation.getSimpleName().substring("For".length());
        return name.replaceAll("(?<=.)([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private <A extends Algorithm> A pick(Class<A> operation, Call call, A chosen) {
        Algorithm wanted = forced.get(operation);
        return wanted != null && wanted.canRun(call) ? operation.cast(wanted) : chosen;
    }

    ForBarrier barrier(Call call) {
        return pick(ForBarrier.class, call, ForBarrier.choice(call));
    }

    ForBcast bcast(Call call) {
        return pick(ForBcast.class, call, ForBcast.choice(call));
    }

    ForAllgather allgather(Call call) {
        return pick(ForAllgather.class, call, ForAllgather.choice(call));
    }

    ForAlltoall alltoall(Call call) {
        return pick(ForAlltoall.class, call, ForAlltoall.choice(call));
    }

    ForReduce reduce(Call call) {
        return pick(ForReduce.class, call, ForReduce.choice(call));
    }

    ForAllreduce allreduce(Call call) {
        return pick(ForAllreduce.class, call, ForAllreduce.choice(call));
    }

    ForReduceScatter reduceScatter(Call call) {
        return pick(ForReduceScatter.class, call, ForReduceScatter.choice(call));
    }

    ForScan scan(Call call) {
        return pick(ForScan.class, call, ForScan.choice(call));
    }

    /**
     * The facts that a choice depends on.
     *
     * @param bytes those of the operation's row in the document, or {@link Region#BYTES_UNKNOWN} for objects
     * @param commutes of a reduction
     */
    record Call(int ranks, int sites, long bytes, boolean commutes) {
        boolean bytesKnown() {
            return bytes != Region.BYTES_UNKNOWN;
        }

        private boolean upTo(int bytesMax) {
            return bytesKnown() && bytes <= bytesMax;
        }

        private boolean isFlat() {
            return upTo(FLAT_BYTES_MAX) && ranks <= FLAT_RANKS_MAX;
        }

        private boolean chainWorks() {
            return ranks > 1 && bytes > 0;
        }

        private boolean chainPays() {
            return Chain.pays(ranks, bytes);
        }
    }

    /** One way to run an operation. */
    interface Algorithm {
        default boolean canRun(Call call) {
            return true;
        }
    }

    enum ForBarrier implements Algorithm {
        TREE,
        DISSEMINATION;

        static ForBarrier choice(Call call) {
            return call.ranks == 2 ? DISSEMINATION : TREE;
        }
    }

    enum ForBcast implements Algorithm {
        FLAT,
        BINOMIAL,
        CHAIN {
            @Override
            public boolean canRun(Call call) {
                return call.chainWorks();
            }
        };

        static ForBcast choice(Call call) {
            return call.chainPays() ? CHAIN : call.isFlat() ? FLAT : BINOMIAL;
        }
    }

    enum ForGather implements Algorithm {
        FLAT
    }

    enum ForScatter implements Algorithm {
        FLAT
    }

    enum ForAllgather implements Algorithm {
        GATHER_BCAST,
        BRUCK {
            @Override
            public boolean canRun(Call call) {
                return call.bytesKnown();
            }
        },
        RING {
            @Override
            public boolean canRun(Call call) {
                return call.bytesKnown();
            }
        };

        static ForAllgather choice(Call call) {
            return call.ranks > 2 && call.bytes >= RING_BYTES_MIN ? RING : GATHER_BCAST;
        }
    }

    enum ForAlltoall implements Algorithm {
        ROTATION,
        BRUCK {
            @Override
            public boolean canRun(Call call) {
                return call.bytesKnown();
            }
        },
        SITES {
            @Override
            public boolean canRun(Call call) {
                return call.bytesKnown() && call.sites > 1;
            }
        };

        static ForAlltoall choice(Call call) {
            if (call.ranks < TOGETHER_RANKS_MIN || !call.upTo(TOGETHER_BYTES_MAX)) {
                return ROTATION;
            }
            return call.sites > 1 ? SITES : BRUCK;
        }
    }

    enum ForReduce implements Algorithm {
        FLAT,
        BINOMIAL,
        CHAIN {
            @Override
            public boolean canRun(Call call) {
                return call.chainWorks();
            }
        };

        static ForReduce choice(Call call) {
            return call.chainPays() ? CHAIN : call.isFlat() ? FLAT : BINOMIAL;
        }
    }

    enum ForAllreduce implements Algorithm {
        DOUBLING,
        HALVING,
        SITES {
            @Override
            public boolean canRun(Call call) {
                return call.commutes && call.sites > 1;
            }
        },
        REDUCE_BCAST;

        static ForAllreduce choice(Call call) {
            if (call.sites > 1) {
                return SITES.canRun(call) && call.upTo(SITES_BYTES_MAX) ? SITES : REDUCE_BCAST;
            }
            if (call.bytes >= HALVING_BYTES_MIN && Integer.bitCount(call.ranks) == 1) {
                return HALVING;
            }
            return call.ranks == 2 && call.bytesKnown() ? DOUBLING : REDUCE_BCAST;
        }
    }

    enum ForReduceScatter implements Algorithm {
        REDUCE_SCATTER,
        ROTATION {
            @Override
            public boolean canRun(Call call) {
                return call.commutes;
            }
        };

        static ForReduceScatter choice(Call call) {
            boolean direct = call.commutes && call.sites == 1 && call.bytes >= DIRECT_BYTES_MIN;
            return direct ? ROTATION : REDUCE_SCATTER;
        }
    }

    enum ForScan implements Algorithm {
        DOUBLING,
        CHAIN {
            @Override
            public boolean canRun(Call call) {
                return call.chainWorks();
            }
        };

        static ForScan choice(Call call) {
            return call.chainPays() ? CHAIN : DOUBLING;
        }
    }
}
