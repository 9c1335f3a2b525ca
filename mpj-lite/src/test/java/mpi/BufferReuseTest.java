package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/**
 * When a collective returns, the program may overwrite its buffers, though the data of none of its sends was copied: no
 * message leaves before it is matched here.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BufferReuseTest {
    private static final int RANKS = 5;
    /** Sum of (rank + 1) over the ranks. */
    private static final int SUM = 15;

    private interface Call {
        void on(Intracomm world, int rank);
    }

    private static int[] filled(int count, int value) {
        int[] values = new int[count];
        Arrays.fill(values, value);
        return values;
    }

    private static void requireAll(int[] values, int from, int to, int expected) {
        for (int i = from; i < to; i++) {
            if (values[i] != expected) {
                throw new AssertionError("element " + i + " is " + values[i] + ", expected " + expected);
            }
        }
        Arrays.fill(values, from, to, -1);
    }

    private static void run(Call call) {
        for (long seed = 0; seed < 5; seed++) {
            LocalWorld machine = new LocalWorld(RANKS).seed(seed).eagerBytesMax(-1);
            Ranks.run(machine, RANKS, call::on);
            assertThat(machine.messages()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 300_000})
    void ofBcast(int count) {
        run((world, rank) -> {
            int[] values = filled(count, rank == 1 ? 7 : 0);
            world.Bcast(values, 0, count, MPI.INT, 1);
            requireAll(values, 0, count, 7);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 300_000})
    void ofReductions(int count) {
        run((world, rank) -> {
            int[] values = filled(count, rank + 1);
            int[] room = new int[count];
            world.Reduce(values, 0, room, 0, count, MPI.INT, MPI.SUM, 2);
            Arrays.fill(values, rank + 1 - 100);
            requireAll(room, 0, count, rank == 2 ? SUM : 0);
            values = filled(count, rank + 1);
            world.Allreduce(values, 0, room, 0, count, MPI.INT, MPI.SUM);
            Arrays.fill(values, -100);
            requireAll(room, 0, count, SUM);
            values = filled(count, rank + 1);
            world.Scan(values, 0, room, 0, count, MPI.INT, MPI.SUM);
            Arrays.fill(values, -100);
            requireAll(room, 0, count, (rank + 1) * (rank + 2) / 2);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 60_000})
    void ofReduceScatter(int count) {
        run((world, rank) -> {
            int[] values = filled(count * RANKS, rank + 1);
            int[] room = new int[count];
            world.Reduce_scatter(values, 0, room, 0, filled(RANKS, count), MPI.INT, MPI.SUM);
            Arrays.fill(values, -100);
            requireAll(room, 0, count, SUM);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 60_000})
    void ofGatherAndScatter(int count) {
        run((world, rank) -> {
            int[] values = filled(count, rank);
            int[] room = new int[count * RANKS];
            world.Gather(values, 0, count, MPI.INT, room, 0, count, MPI.INT, 3);
            Arrays.fill(values, -100);
            for (int from = 0; from < RANKS && rank == 3; from++) {
                requireAll(room, from * count, (from + 1) * count, from);
            }
            Arrays.fill(room, 9);
            world.Scatter(room, 0, count, MPI.INT, values, 0, count, MPI.INT, 3);
            Arrays.fill(room, -100);
            requireAll(values, 0, count, 9);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 60_000})
    void ofAllgatherAndAlltoall(int count) {
        run((world, rank) -> {
            int[] values = filled(count, rank);
            int[] room = new int[count * RANKS];
            world.Allgather(values, 0, count, MPI.INT, room, 0, count, MPI.INT);
            Arrays.fill(values, -100);
            for (int from = 0; from < RANKS; from++) {
                requireAll(room, from * count, (from + 1) * count, from);
            }
            int[] all = filled(count * RANKS, rank);
            world.Alltoall(all, 0, count, MPI.INT, room, 0, count, MPI.INT);
            Arrays.fill(all, -100);
            for (int from = 0; from < RANKS; from++) {
                requireAll(room, from * count, (from + 1) * count, from);
            }
        });
    }
}
