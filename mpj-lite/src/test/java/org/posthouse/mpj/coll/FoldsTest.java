package org.posthouse.mpj.coll;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.coll.Store.Kind;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Folds;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.LayoutBuilder;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.Unit;

/**
 * Reductions with every algorithm forced and none against a fold over the ranks, in all ways to keep data, with
 * operations that commute and one that does not; with sizes on both sides of every threshold.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FoldsTest {
    private static final int PLANS = Boolean.getBoolean("posthouse.long") ? 2 : 1;
    private static final int[] UNITS = {0, 1, 2, 85, 86, 341, 342, 1365, 1366, 2731, 5462, 11_000};

    /**
     * An int is the map x -> a x + b of 16-bit numbers, a in the upper half; the operation is composition. It shows each
     * operand that is missing, doubled or out of order.
     */
    private static int compose(int f, int g) {
        int a = (f >>> 16) * (g >>> 16);
        int b = (f >>> 16) * (g & 0xffff) + (f & 0xffff);
        return a << 16 | b & 0xffff;
    }

    /** The operation on whatever a program's function would get: arrays, and their indexes. */
    private record Folding(boolean commutes, boolean takesPacked) implements Reduction {
        int apply(int in, int inOut) {
            return commutes ? in + inOut : compose(in, inOut);
        }

        @Override
        public String toString() {
            return (commutes ? "sum" : "composition") + (takesPacked ? " of packed elements" : "");
        }

        @Override
        public void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
            if (in.array() instanceof String[]) {
                texts(in, inAt, inOut, inOutAt, count);
                return;
            }
            assertThat(in.array()).isInstanceOf(int[].class);
            assertThat(inOut.array()).isInstanceOf(int[].class);
            int[] values = (int[]) in.packed(inAt, count).array();
            Region folded = inOut.packed(inOutAt, count);
            int[] results = (int[]) folded.array();
            Arrays.setAll(results, i -> apply(values[i], results[i]));
            inOut.unpack(folded, 0, inOutAt, count);
        }

        private void texts(Region in, int inAt, Region inOut, int inOutAt, int count) {
            String[] values = (String[]) in.array();
            String[] results = (String[]) inOut.array();
            for (int i = 0; i < in.dataElements(count); i++) {
                int at = inOut.index(inOutAt) + i;
                int value = apply(Integer.parseInt(values[in.index(inAt) + i]), Integer.parseInt(results[at]));
                results[at] = Integer.toString(value);
            }
        }
    }

    /** What all ranks know of one call; the datatype is the same at all. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Plan(Folding op, Kind kind, int data, int whole, int[][] folds, long seed) {
        static Plan draw(Machine machine, Random random) {
            Kind kind = random.nextInt(6) == 0 ? Kind.TEXT_PAIRS : Kind.draw(random);
            int data = UNITS[random.nextInt(kind.isText() ? 4 : UNITS.length)] * Kind.UNIT;
            int whole = random.nextBoolean() ? Kind.UNIT : Math.max(data, Kind.UNIT);
            Plan plan = new Plan(
                    new Folding(random.nextBoolean(), random.nextBoolean()), kind, data, whole, new int[machine.size() + 1][],
                    random.nextInt(1 << 20));
            plan.foldAll();
            return plan;
        }

        int[] values(int rank) {
            // Odd factors: a product of maps never becomes 0.
            return IntStream.range(0, data).map(i -> (int) ((seed + i) * 31 + rank * 7919) * 65_537 | 65_536).toArray();
        }

        private void foldAll() {
            folds[1] = values(0);
            for (int rank = 1; rank < folds.length - 1; rank++) {
                int[] before = folds[rank];
                int[] next = values(rank);
                Arrays.setAll(next, i -> op.apply(before[i], next[i]));
                folds[rank + 1] = next;
            }
        }

        /** The fold of the ranks [0, ranks). */
        int[] fold(int ranks) {
            return folds[ranks];
        }

        Store of(int rank) {
            return Store.of(kind, whole, values(rank));
        }

        Store room() {
            return new Store(kind, data, whole);
        }
    }

    private interface Call {
        void run(Peers peers, int rank, Plan plan, Random shared) throws Exception;
    }

    private static void rounds(Machine machine, Call call) {
        Random drawing = machine.random();
        List<Plan> plans = Stream.generate(() -> Plan.draw(machine, drawing)).limit(PLANS).toList();
        machine.run((peers, rank) -> {
            Random shared = machine.random();
            for (Plan plan : plans) {
                call.run(peers, rank, plan, shared);
            }
        });
    }

    static Stream<Machine> reduce() {
        return Machine.all("reduce");
    }

    static Stream<Machine> allreduce() {
        return Machine.all("allreduce");
    }

    static Stream<Machine> reduceScatter() {
        return Machine.all("reduce-scatter");
    }

    static Stream<Machine> scan() {
        return Machine.all("scan");
    }

    @ParameterizedTest
    @MethodSource("reduce")
    void reduces(Machine machine) {
        rounds(machine, (peers, rank, plan, shared) -> {
            int root = shared.nextInt(machine.size());
            Store mine = plan.of(rank);
            Store room = rank == root ? plan.room() : null;
            Reduce.run(peers, mine.region(), room == null ? null : room.region(), mine.count(), plan.op, root);
            mine.requireData(plan + " sent by " + rank, plan.values(rank));
            if (rank == root) {
                room.requireData(plan.toString(), plan.fold(machine.size()));
                Reduce.run(peers, mine.region(), mine.region(), mine.count(), plan.op, root);
                mine.requireData(plan + " in place", plan.fold(machine.size()));
            } else {
                Reduce.run(peers, mine.region(), null, mine.count(), plan.op, root);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("allreduce")
    void reducesAtAllRanks(Machine machine) {
        rounds(machine, (peers, rank, plan, shared) -> {
            Store mine = plan.of(rank);
            Store room = plan.room();
            Allreduce.run(peers, mine.region(), room.region(), mine.count(), plan.op);
            mine.requireData(plan + " sent by " + rank, plan.values(rank));
            room.requireData(plan + " at " + rank, plan.fold(machine.size()));
            Allreduce.run(peers, mine.region(), mine.region(), mine.count(), plan.op);
            mine.requireData(plan + " in place at " + rank, plan.fold(machine.size()));
        });
    }

    @ParameterizedTest
    @MethodSource("reduceScatter")
    void reducesAndScatters(Machine machine) {
        rounds(machine, (peers, rank, plan, shared) -> {
            Store mine = plan.of(rank);
            int[] counts = new int[machine.size()];
            for (int i = 0; i < mine.count(); i++) {
                counts[shared.nextInt(machine.size())]++;
            }
            int unit = mine.count() == 0 ? 0 : plan.data / mine.count();
            int before = Arrays.stream(counts, 0, rank).sum() * unit;
            int[] expected = Arrays.copyOfRange(plan.fold(machine.size()), before, before + counts[rank] * unit);
            Store room = new Store(plan.kind, counts[rank] * unit, plan.whole);
            Blocks blocks = Blocks.adjacent(counts, machine.size());
            ReduceScatter.run(peers, mine.region(), room.region(), blocks, plan.op);
            mine.requireData(plan + " sent by " + rank, plan.values(rank));
            room.requireData(plan + " at " + rank, expected);
        });
    }

    @ParameterizedTest
    @MethodSource("scan")
    void scans(Machine machine) {
        rounds(machine, (peers, rank, plan, shared) -> {
            Store mine = plan.of(rank);
            Store room = plan.room();
            Scan.run(peers, mine.region(), room.region(), mine.count(), plan.op);
            mine.requireData(plan + " sent by " + rank, plan.values(rank));
            room.requireData(plan + " at " + rank, plan.fold(rank + 1));
            Store before = plan.room();
            int[] untouched = before.read();
            Scan.runExclusive(peers, mine.region(), before.region(), mine.count(), plan.op);
            before.requireData(plan + " before " + rank, rank == 0 ? untouched : plan.fold(rank));
            Scan.run(peers, mine.region(), mine.region(), mine.count(), plan.op);
            mine.requireData(plan + " in place at " + rank, plan.fold(rank + 1));
        });
    }

    private static final Reduction SUM = new Folding(true, true);
    private static final Reduction SUM_IN_PLACE = new Folding(true, false);

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** A column of a matrix: the data are little, their span is large. */
    @ParameterizedTest
    @CsvSource({"reduce=flat", "reduce=binomial", "reduce=chain"})
    void takesRoomForDataAndNotForTheGapsBetween(String forced) {
        int rows = 1_000;
        long spanBytes = 4L * rows * rows;
        LayoutBuilder column = new LayoutBuilder();
        for (int row = 0; row < rows; row++) {
            column.add(row * rows, 1, Layout.ONE);
        }
        Layout layout = column.build();
        new Machine(8, 1, forced, 5).run((peers, rank) -> {
            Region matrix = new Region(Base.INT, layout, new int[rows * rows], 0);
            for (Reduction op : List.of(SUM, SUM_IN_PLACE)) {
                Arrays.fill((int[]) matrix.array(), 1);
                long before = allocatedBytes();
                Reduce.run(peers, matrix, matrix, 1, op, 0);
                long took = allocatedBytes() - before;
                // One that needs the span has two rooms of that size, however many ranks there are.
                assertThat(took).isLessThan(op.takesPacked() ? spanBytes / 4 : spanBytes * 5 / 2);
                assertThat(((int[]) matrix.array())[5 * rows]).isEqualTo(rank == 0 ? 8 : 1);
                assertThat(((int[]) matrix.array())[5 * rows + 1]).isEqualTo(1);
            }
        });
    }

    @Test
    void cutsNoElementThoughItIsLargerThanASegment() {
        int unit = 30_000;
        for (String forced : new String[] {"reduce=chain,bcast=chain", "scan=chain", "allreduce=halving"}) {
            new Machine(4, 1, forced, 5).run((peers, rank) -> {
                int[] mine = new int[9 * unit];
                Arrays.fill(mine, rank + 1);
                int[] room = new int[9 * unit];
                Region send = new Region(Base.INT, Layout.dense(unit), mine, 0);
                Region receive = new Region(Base.INT, Layout.dense(unit), room, 0);
                Reduction sum = new Reduction() {
                    @Override
                    public boolean commutes() {
                        return true;
                    }

                    @Override
                    public void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
                        in.fold(inAt, Folds.SUM, Unit.ONE, inOut, inOutAt, count);
                    }
                };
                Allreduce.run(peers, send, receive, 9, sum);
                assertThat(room).containsOnly(10);
                Scan.run(peers, send, receive, 9, sum);
                assertThat(room).containsOnly((rank + 1) * (rank + 2) / 2);
            });
        }
    }
}
