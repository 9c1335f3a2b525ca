package mpi;

import static mpi.Samples.empty;
import static mpi.Samples.random;
import static mpi.Samples.requireSame;
import static mpi.Samples.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/** Sends, receives and probes between ranks of one process. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PointToPointTest {
    static Stream<Datatype> types() {
        return Stream.concat(Samples.BASIC.stream(), Samples.PAIRS.stream());
    }

    @ParameterizedTest
    @MethodSource("types")
    void carriesEveryDatatypeFromOffsetToOffset(Datatype type) {
        for (int count : new int[] {0, 1, 100, type.equals(MPI.OBJECT) ? 5_000 : 300_000}) {
            int elements = count * type.size();
            Object sent = random(type, elements + 3, count);
            Ranks.run(2, (world, rank) -> {
                if (rank == 0) {
                    world.Send(sent, 3, count, type, 1, 7);
                } else {
                    Object room = empty(type, elements + 10);
                    Status status = world.Recv(room, 2, count + 2, type, 0, 7);
                    requireSame(type + " of " + count, slice(room, 2, elements), slice(sent, 3, elements));
                    Object rest = empty(type, 8);
                    System.arraycopy(room, elements + 2, rest, 0, 8);
                    requireSame("behind", rest, empty(type, 8));
                    assertThat(status.Get_count(type)).isEqualTo(count);
                    assertThat(status.Get_elements(type)).isEqualTo(elements);
                    assertThat(status.count).isEqualTo(elements);
                    assertThat(status.source).isZero();
                    assertThat(status.tag).isEqualTo(7);
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1000, 256 * 1024})
    void messagesOfOneSenderDoNotOvertake(long eagerBytesMax) {
        for (long seed = 0; seed < 10; seed++) {
            LocalWorld machine = new LocalWorld(4).seed(seed).eagerBytesMax(eagerBytesMax);
            Ranks.run(machine, 4, (world, rank) -> {
                if (rank > 0) {
                    for (int i = 0; i < 30; i++) {
                        world.Send(new int[] {i}, 0, 1, MPI.INT, 0, i % 3);
                    }
                    return;
                }
                int[] next = new int[4];
                int[] room = new int[1];
                for (int i = 0; i < 90; i++) {
                    Status status = world.Recv(room, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
                    assertThat(room[0]).isEqualTo(next[status.source]++);
                    assertThat(status.tag).isEqualTo(room[0] % 3);
                }
            });
        }
    }

    /** Each rank sends, and only then receives. */
    private static void requireThatAllWait(LocalWorld machine, BiConsumer<Intracomm, Integer> send) {
        assertThatThrownBy(() -> Ranks.run(machine, 2, (world, rank) -> {
            send.accept(world, 1 - rank);
            world.Recv(new int[100], 0, 100, MPI.INT, 1 - rank, 7);
        }))
                .hasMessageContaining("deadlock");
    }

    @Test
    void aSendIsOverWhenItMayBe() {
        int[] values = new int[100];
        requireThatAllWait(new LocalWorld(2), (world, other) -> world.Ssend(values, 0, 100, MPI.INT, other, 7));
        requireThatAllWait(new LocalWorld(2), (world, other) -> world.sSend(values, 100, MPI.INT, other, 7));
        requireThatAllWait(
                new LocalWorld(2).eagerBytesMax(399), (world, other) -> world.Send(values, 0, 100, MPI.INT, other, 7));
        requireThatAllWait(new LocalWorld(2).eagerBytesMax(399), (world, other) -> world.Sendrecv(
                values, 0, 100, MPI.INT, other, 7, values, 0, 0, MPI.INT, MPI.PROC_NULL, 7));
    }

    @Test
    void receiveSelectsByTagRegardlessOfArrivalOrder() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                for (int tag = 0; tag < 5; tag++) {
                    world.Send(new long[] {tag}, 0, 1, MPI.LONG, 1, tag);
                }
            } else {
                long[] room = new long[1];
                for (int tag = 4; tag >= 0; tag--) {
                    world.Recv(room, 0, 1, MPI.LONG, MPI.ANY_SOURCE, tag);
                    assertThat(room[0]).isEqualTo(tag);
                }
            }
        });
    }

    @Test
    void translatesBetweenRanksOfTheCommunicatorAndTheWorld() {
        int[] worldRanks = {3, 0, 2};
        LocalWorld machine = new LocalWorld(4);
        machine.run(endpoint -> {
            Group group = new Group(worldRanks.clone(), 4, endpoint.rank());
            if (endpoint.rank() == 1) {
                assertThat(group.Rank()).isEqualTo(MPI.UNDEFINED);
                return;
            }
            Intracomm comm = new Intracomm(new OwnProcess(endpoint), group, 2, "three");
            assertThat(worldRanks[comm.Rank()]).isEqualTo(endpoint.rank());
            assertThat(comm.Size()).isEqualTo(3);
            int[] room = new int[3];
            int before = (comm.Rank() + 2) % 3;
            Status status = comm.Sendrecv(
                    new int[] {comm.Rank()}, 0, 1, MPI.INT, (comm.Rank() + 1) % 3, 0, room, 0, 1, MPI.INT, before, 0);
            assertThat(status.source).isEqualTo(before);
            assertThat(room[0]).isEqualTo(before);
            comm.Send(new int[] {5}, 0, 1, MPI.INT, (comm.Rank() + 1) % 3, 1);
            assertThat(comm.Probe(MPI.ANY_SOURCE, 1).source).isEqualTo(before);
            assertThat(comm.Recv(room, 0, 1, MPI.INT, before, 1).source).isEqualTo(before);
            comm.Allgather(new int[] {10 * comm.Rank()}, 0, 1, MPI.INT, room, 0, 1, MPI.INT);
            assertThat(room).containsExactly(0, 10, 20);
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 256 * 1024})
    void exchangesAroundARingWithoutDeadlock(long eagerBytesMax) {
        Ranks.run(new LocalWorld(5).eagerBytesMax(eagerBytesMax), 5, (world, rank) -> {
            int after = (rank + 1) % 5;
            int before = (rank + 4) % 5;
            double[] mine = new double[100_000];
            Arrays.fill(mine, rank);
            double[] room = new double[100_000];
            Status status = world.Sendrecv(
                    mine, 0, mine.length, MPI.DOUBLE, after, 1, room, 0, room.length, MPI.DOUBLE, before, 1);
            assertThat(status.source).isEqualTo(before);
            assertThat(room[0] + room[99_999]).isEqualTo(2.0 * before);
            world.Sendrecv_replace(mine, 0, mine.length, MPI.DOUBLE, after, 2, before, 2);
            assertThat(mine).isEqualTo(room);
            Object[] texts = {"from " + rank, null};
            world.Sendrecv_replace(texts, 0, 2, MPI.OBJECT, after, 3, MPI.ANY_SOURCE, 3);
            assertThat(texts).containsExactly("from " + before, null);
        });
    }

    @Test
    void sendsToItself() {
        Ranks.run(1, (world, rank) -> {
            int[] room = new int[2];
            Request request = world.Irecv(room, 0, 2, MPI.INT, 0, 0);
            world.Send(new int[] {8, 9}, 0, 2, MPI.INT, 0, 0);
            assertThat(request.Wait().Get_count(MPI.INT)).isEqualTo(2);
            assertThat(room).containsExactly(8, 9);
        });
    }

    @Test
    void nobodyIsTheEndOfTheGrid() {
        Ranks.run(2, (world, rank) -> {
            int[] room = {5};
            world.Send(room, 0, 1, MPI.INT, MPI.PROC_NULL, 0);
            assertThat(world.Isend(room, 0, 1, MPI.INT, MPI.PROC_NULL, 0).Wait()).isNotNull();
            for (Status status : List.of(
                    world.Recv(room, 0, 1, MPI.INT, MPI.PROC_NULL, 3),
                    world.Irecv(room, 0, 1, MPI.INT, MPI.PROC_NULL, 3).Wait(),
                    world.Probe(MPI.PROC_NULL, 3),
                    world.Iprobe(MPI.PROC_NULL, 3),
                    world.Sendrecv(
                            room, 0, 1, MPI.INT, MPI.PROC_NULL, 0, room, 0, 1, MPI.INT, MPI.PROC_NULL, 0))) {
                assertThat(status.source).isEqualTo(MPI.PROC_NULL);
                assertThat(status.tag).isEqualTo(MPI.ANY_TAG);
                assertThat(status.Get_count(MPI.INT)).isZero();
            }
            assertThat(room).containsExactly(5);
            // One end of a shift along a line: rank 0 only sends, rank 1 only receives.
            int dest = rank == 0 ? 1 : MPI.PROC_NULL;
            int source = rank == 1 ? 0 : MPI.PROC_NULL;
            int[] value = {rank};
            world.Sendrecv_replace(value, 0, 1, MPI.INT, dest, 0, source, 0);
            assertThat(value[0]).isZero();
        });
    }

    @Test
    void probesWithoutTaking() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                world.Barrier();
                world.Send(new Object[] {"a", "b", "c"}, 0, 3, MPI.OBJECT, 1, 9);
                return;
            }
            assertThat(world.Iprobe(0, 9)).isNull();
            world.Barrier();
            Status status = world.Probe(MPI.ANY_SOURCE, MPI.ANY_TAG);
            assertThat(status.source).isZero();
            assertThat(status.tag).isEqualTo(9);
            assertThat(status.Get_count(MPI.OBJECT)).isEqualTo(3);
            assertThat(world.Iprobe(0, 9).count).isEqualTo(3);
            assertThat(world.Iprobe(0, 8)).isNull();
            String[] room = new String[3];
            world.Recv(room, 0, 3, MPI.OBJECT, 0, 9);
            assertThat(room).containsExactly("a", "b", "c");
            assertThat(world.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG)).isNull();
        });
    }

    @Test
    void collectivesNeverMatchPointToPoint() {
        Ranks.run(3, (world, rank) -> {
            int[] room = new int[1];
            Request any = world.Irecv(room, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
            int[] sum = new int[1];
            world.Allreduce(new int[] {1}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            assertThat(sum[0]).isEqualTo(3);
            assertThat(any.Test()).isNull();
            world.Barrier();
            world.Send(new int[] {42}, 0, 1, MPI.INT, (rank + 1) % 3, 11);
            assertThat(any.Wait().tag).isEqualTo(11);
        });
    }

    @Test
    void severalThreadsOfARankSendAndReceiveAtOnce() {
        Ranks.run(2, (world, rank) -> {
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            for (int tag = 0; tag < 4; tag++) {
                int own = tag;
                Thread thread = new Thread(() -> pingPong(world, rank, own));
                thread.setUncaughtExceptionHandler((failed, why) -> failures.add(why));
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
        });
    }

    private static void pingPong(Intracomm world, int rank, int tag) {
        int[] ball = {0};
        for (int i = 0; i < 50; i++) {
            if (rank == 0) {
                ball[0] = i * 10 + tag;
                world.Send(ball, 0, 1, MPI.INT, 1, tag);
                world.Recv(ball, 0, 1, MPI.INT, 1, tag);
            } else {
                world.Recv(ball, 0, 1, MPI.INT, 0, tag);
                world.Send(ball, 0, 1, MPI.INT, 0, tag);
            }
            assertThat(ball[0]).isEqualTo(i * 10 + tag);
        }
    }

    @Test
    void abortEndsTheJobWithItsStatus() {
        LocalWorld machine = new LocalWorld(3);
        Ranks.run(machine, 3, (world, rank) -> {
            if (rank == 1) {
                world.Abort(17);
            }
            world.Recv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 0);
        });
        assertThat(machine.abortStatus()).isEqualTo(17);
    }
}
