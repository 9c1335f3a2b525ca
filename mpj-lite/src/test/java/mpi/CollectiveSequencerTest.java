package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/** Collectives that are started: their order, their errors, and the thread that they run in. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CollectiveSequencerTest {
    private static int total(int size) {
        return size * (size + 1) / 2;
    }

    /** A sum that notes when it is used. */
    private static Op noting(List<String> order, String name) {
        return new Op(
                new User_function() {
                    @Override
                    public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
                        order.add(name);
                        for (int i = 0; i < count; i++) {
                            ((int[]) inOut)[inOutAt + i] += ((int[]) in)[inAt + i];
                        }
                    }
                },
                true);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void aBlockingOneComesBehindAllThatWereStarted(int size) {
        Ranks.run(new LocalWorld(size).seed(size), size, (world, rank) -> {
            List<String> order = Collections.synchronizedList(new ArrayList<>());
            Request[] requests = new Request[20];
            int[][] sums = new int[requests.length][1];
            for (int i = 0; i < requests.length; i++) {
                Op op = noting(order, "" + i);
                requests[i] = world.Iallreduce(new int[] {rank + 1}, 0, sums[i], 0, 1, MPI.INT, op);
            }
            int[] last = new int[1];
            world.Allreduce(new int[] {rank + 1}, 0, last, 0, 1, MPI.INT, noting(order, "" + requests.length));
            assertThat(last[0]).isEqualTo(total(size));
            assertThat(order).isSortedAccordingTo((a, b) -> Integer.parseInt(a) - Integer.parseInt(b));
            // All that were started are over, though nobody has asked for them.
            for (int i = 0; i < requests.length; i++) {
                assertThat(requests[i].test()).isTrue();
                assertThat(sums[i][0]).isEqualTo(total(size));
            }
        });
    }

    @Test
    void aFailureIsTheRequestsAndNobodyElses() {
        Ranks.run(3, (world, rank) -> {
            int[] room = new int[2];
            // Rank 2 has less room than the root sends.
            Request before = world.Ibarrier();
            Request bad = world.Ibcast(rank == 2 ? room : new int[4], 0, rank == 2 ? 2 : 4, MPI.INT, 0);
            int[] sum = new int[1];
            Request behind = world.Iallreduce(new int[] {rank + 1}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            world.Barrier();
            before.Wait();
            if (rank == 2) {
                assertThatThrownBy(bad::Wait)
                        .isInstanceOfSatisfying(
                                MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_TRUNCATE))
                        .hasMessageStartingWith("Ibcast at rank 2 of 3");
                assertThat(bad.Is_null()).isTrue();
            } else {
                bad.Wait();
            }
            behind.Wait();
            assertThat(sum[0]).isEqualTo(6);
        });
    }

    /** The host is short of threads: the call throws, nothing was begun, and it may be called again. */
    @Test
    void oneWhoseThreadCannotStartIsNotUnderWay() {
        Ranks.run(2, (world, rank) -> {
            InheritableThreadLocal<String> noThread = new InheritableThreadLocal<>() {
                @Override
                protected String childValue(String parent) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
            };
            world.Barrier();
            if (rank == 1) {
                noThread.set("");
                assertThatThrownBy(world::Ibarrier).isInstanceOf(OutOfMemoryError.class);
                noThread.remove();
                assertThat(world.self.underWay().started()).as("what Finalize waits for").isEmpty();
                assertThat(world.self.underWay().isNothing()).isTrue();
            }
            Request again = world.Ibarrier();
            int[] sum = new int[1];
            world.Allreduce(new int[] {rank + 1}, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            again.Wait();
            assertThat(sum[0]).isEqualTo(3);
        });
    }

    @Test
    void waitRethrowsExceptionOfUserDefinedReduction() {
        for (Throwable thrown : new Throwable[] {new IllegalStateException("mine"), new StackOverflowError("mine")}) {
            Ranks.run(2, (world, rank) -> {
                User_function broken = new User_function() {
                    @Override
                    public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
                        if (thrown instanceof Error error) {
                            throw error;
                        }
                        throw (IllegalStateException) thrown;
                    }
                };
                int[] one = {1};
                Request request = world.dup().Iallreduce(one, 0, new int[1], 0, 1, MPI.INT, new Op(broken, true));
                assertThatThrownBy(request::Wait).isSameAs(thrown);
                world.Barrier();
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void communicatorsDoNotWaitForEachOther(int size) {
        for (int seed = 0; seed < 5; seed++) {
            Ranks.run(new LocalWorld(size).seed(seed), size, (world, rank) -> {
                Intracomm[] comms = {world.dup(), world.dup()};
                int[][][] sums = new int[2][30][1];
                List<Request> requests = new ArrayList<>();
                for (int each : rank % 2 == 0 ? new int[] {0, 1} : new int[] {1, 0}) {
                    for (int i = 0; i < 30; i++) {
                        int[] own = {(each + 1) * (i + 1)};
                        requests.add(comms[each].Iallreduce(own, 0, sums[each][i], 0, 1, MPI.INT, MPI.SUM));
                    }
                }
                comms[0].Barrier();
                comms[1].Barrier();
                Collections.reverse(requests);
                Request.Waitall(requests.toArray(Request[]::new));
                for (int i = 0; i < 30; i++) {
                    assertThat(sums[0][i][0]).isEqualTo(size * (i + 1));
                    assertThat(sums[1][i][0]).isEqualTo(2 * size * (i + 1));
                }
            });
        }
    }

    private static List<Thread> threadsOf(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("posthouse-collectives-" + name))
                .toList();
    }

    @Test
    void theThreadGoesWhenThereIsNothingToDo() {
        String name = "idle-" + System.nanoTime();
        Ranks.run(1, (world, rank) -> {
            world.setName(name);
            world.Ibarrier().Wait();
            world.Ibarrier().Wait();
            List<Thread> threads = threadsOf(name);
            assertThat(threads).hasSize(1);
            assertThat(threads.get(0).isDaemon()).isTrue();
            threads.get(0).join(TimeUnit.SECONDS.toMillis(20));
            assertThat(threads.get(0).isAlive()).isFalse();
            world.Ibarrier().Wait();
            assertThat(threadsOf(name)).hasSize(1);
        });
    }

    @Test
    void blockingOnesNeedNoThread() {
        String name = "blocking-" + System.nanoTime();
        Ranks.run(2, (world, rank) -> {
            world.setName(name);
            IntStream.range(0, 10).forEach(i -> world.Barrier());
            assertThat(threadsOf(name)).isEmpty();
        });
    }
}
