package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;
import org.posthouse.wire.ReplayLimit;

/** Communicators that {@code iDup} starts: nobody waits, and nothing works before the copy is known to be there. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CopyUnderWayTest {
    private static int sum(Comm comm, int value) {
        int[] sum = {value};
        comm.allReduce(sum, 1, MPI.INT, MPI.SUM);
        return sum[0];
    }

    @Test
    void nobodyWaitsForTheOthers() {
        Ranks.run(2, (world, rank) -> {
            Intracomm copy;
            if (rank == 0) {
                copy = world.iDup();
                world.Send(new int[] {7}, 0, 1, MPI.INT, 1, 0);
            } else {
                int[] in = new int[1];
                world.Recv(in, 0, 1, MPI.INT, 0, 0);
                assertThat(in[0]).isEqualTo(7);
                copy = world.iDup();
            }
            copy.getRequest().waitFor();
            assertThat(sum(copy, rank + 1)).isEqualTo(3);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void severalAtOnceAndABlockingOneBehindThem(int size) {
        Ranks.run(new LocalWorld(size).seed(size), size, (world, rank) -> {
            Intracomm first = world.iDup();
            Intracomm second = world.iDup();
            Intracomm third = world.dup();
            assertThat(sum(third, 1)).isEqualTo(size);
            Request.Waitall(new Request[] {second.getRequest(), first.getRequest()});
            assertThat(new int[] {first.id, second.id, third.id}).doesNotHaveDuplicates();
            // Messages of one are not those of another: each rank receives in the other order.
            Comm[] all = {first, second, third};
            Request[] sends = new Request[3];
            for (int i = 0; i < 3; i++) {
                sends[i] = all[i].iSend(new int[] {i}, 1, MPI.INT, (rank + 1) % size, 0);
            }
            for (int i = 2; i >= 0; i--) {
                int[] in = {-1};
                all[i].recv(in, 1, MPI.INT, (rank + size - 1) % size, 0);
                assertThat(in[0]).isEqualTo(i);
            }
            Request.waitAll(sends);
        });
    }

    /** Copies of two communicators, started in opposite orders, and one of them blocking. */
    @Test
    void noAgreementWaitsForAnother() {
        for (int seed = 0; seed < 20; seed++) {
            Ranks.run(new LocalWorld(2).seed(seed), 2, (world, rank) -> {
                Intracomm other = world.dup();
                Intracomm started;
                Intracomm made;
                if (rank == 0) {
                    started = world.iDup();
                    made = other.dup();
                } else {
                    made = other.dup();
                    started = world.iDup();
                }
                started.getRequest().waitFor();
                assertThat(started.id).isNotEqualTo(made.id);
                assertThat(sum(started, 1) + sum(made, 1)).isEqualTo(4);
            });
        }
    }

    /** It follows from the calls, and not from whether the two agreements are under way at one time: so it is told before a crash. */
    @Test
    void communicatorCreationWhileIDupIsPendingLimitsReplay() {
        LocalWorld local = new LocalWorld(2);
        Ranks.run(local, 2, (world, rank) -> {
            Intracomm other = world.dup();
            Request ahead = null;
            Intracomm started = null;
            if (rank == 0) {
                ahead = world.Ibarrier();
                started = world.iDup();
            }
            other.dup();
            if (rank == 0) {
                world.Send(new int[1], 0, 1, MPI.INT, 1, 0);
            } else {
                // The copy's agreement begins behind the barrier, when the other one is over everywhere.
                world.Recv(new int[1], 0, 1, MPI.INT, 0, 0);
                ahead = world.Ibarrier();
                started = world.iDup();
            }
            Request.Waitall(new Request[] {ahead, started.getRequest()});
        });
        assertThat(local.limits(0)).containsExactly(ReplayLimit.AGREEMENTS);
        assertThat(local.limits(1)).as("one behind the other").isEmpty();
    }

    @Test
    void communicatorCreationsInSequenceSetNoReplayLimit() {
        LocalWorld local = new LocalWorld(2);
        Ranks.run(local, 2, (world, rank) -> {
            Intracomm other = world.dup();
            Intracomm first = world.iDup();
            Intracomm second = world.iDup();
            world.dup();
            other.dup();
            Intercomm pair = other.createIntercomm(world.split(rank, 0), 0, 1 - rank, 0);
            pair.iDup();
            pair.merge(rank == 0);
            Intracomm third = other.iDup();
            other.Barrier();
            world.createGroup(world.Group(), 0);
            Request.Waitall(new Request[] {first.getRequest(), second.getRequest(), third.getRequest()});
        });
        assertThat(local.limits(0)).isEmpty();
        assertThat(local.limits(1)).isEmpty();
    }

    /** What both groups of an intercommunicator do together has one order with its collectives: a replay needs it. */
    @Test
    void intercommunicatorDupIsOrderedAfterStartedCollectives() {
        Ranks.run(4, (world, rank) -> {
            Intercomm pair = world.createIntercomm(world.split(rank % 2, 0), 0, 1 - rank % 2, 0);
            CountDownLatch copied = new CountDownLatch(1);
            AtomicBoolean overtaken = new AtomicBoolean();
            Op slow = new Op(
                    new UserFunction() {
                        @Override
                        public void call(Object in, Object inOut, int count, Datatype type) {
                            overtaken.compareAndSet(false, isReached(copied, 200));
                            ((int[]) inOut)[0] += ((int[]) in)[0];
                        }
                    },
                    true);
            int[] sum = new int[1];
            Request started = pair.iAllReduce(new int[] {1}, sum, 1, MPI.INT, slow);
            Intercomm copy = pair.dup();
            copied.countDown();
            started.waitFor();
            assertThat(sum[0]).isEqualTo(2);
            assertThat(overtaken).isFalse();
            Intercomm later = pair.iDup();
            pair.barrier();
            assertThat(later.getRequest().getStatus()).as("the barrier was behind it").isNotNull();
            copy.free();
        });
    }

    private static boolean isReached(CountDownLatch latch, long waitMs) {
        try {
            return latch.await(waitMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theCopyIsKnownWhenItsCompletionWasSeen() {
        Ranks.run(1, (world, rank) -> {
            Intracomm copy = world.iDup();
            while (copy.getRequest().getStatus() == null) {
                Thread.onSpinWait();
            }
            assertThat(sum(copy, 5)).isEqualTo(5);
            assertThat(copy.getRequest().getStatus()).isNotNull();
            assertThat(copy.getRequest().testStatus()).isNotNull();
            assertThat(sum(copy, 6)).isEqualTo(6);
            assertThat(copy.getRequest().isNull()).isTrue();
        });
    }

    @Test
    void everyCallOnACopyThatIsPendingIsAnError() {
        Ranks.run(2, (world, rank) -> {
            CartComm grid = world.createCart(new int[] {2}, new boolean[1], false);
            GraphComm graph = world.createGraph(new int[] {1, 2}, new int[] {1, 0}, false);
            Intercomm pair = world.createIntercomm(world.split(rank, 0), 0, 1 - rank, 0);
            Intracomm copy = world.iDup();
            Intercomm pairCopy = pair.iDup();
            callsOn(world, copy).forEach(CopyUnderWayTest::requirePending);
            callsOnKinds(grid.iDup(), graph.iDup(), pairCopy).forEach(CopyUnderWayTest::requirePending);
            requirePending("createIntercomm", () -> world.createIntercomm(copy, 0, 1 - rank, 0));
            assertThat(copy.isNull()).isFalse();
            pairCopy.getRequest().waitFor();
            int[] theirs = new int[1];
            pairCopy.allGather(new int[] {rank}, 1, MPI.INT, theirs, 1, MPI.INT);
            assertThat(theirs[0]).isEqualTo(1 - rank);
            assertThat(pairCopy.merge(rank == 0).Size()).isEqualTo(2);
            copy.getRequest().waitFor();
            assertThat(copy.Size()).isEqualTo(2);
        });
    }

    private static void requirePending(String call, ThrowingCallable body) {
        MPIException error = catchThrowableOfType(MPIException.class, body);
        assertThat(error).as(call).isNotNull().hasMessageStartingWith(call);
        assertThat(error).hasMessageContaining("wait for its getRequest() first");
        assertThat(error.getErrorClass()).isEqualTo(MPI.ERR_COMM);
    }

    private static Map<String, ThrowingCallable> callsOn(Intracomm world, Intracomm copy) {
        int[] room = new int[4];
        Map<String, ThrowingCallable> calls = new TreeMap<>();
        calls.put("Size", copy::Size);
        calls.put("Rank", copy::Rank);
        calls.put("Group", copy::Group);
        calls.put("Compare", () -> Comm.Compare(world, copy));
        calls.put("Send", () -> copy.Send(room, 0, 1, MPI.INT, 0, 0));
        calls.put("Irecv", () -> copy.Irecv(room, 0, 1, MPI.INT, 0, 0));
        calls.put("Recv_init", () -> copy.Recv_init(room, 0, 1, MPI.INT, 0, 0));
        calls.put("Probe", () -> copy.Probe(0, 0));
        calls.put("mProbe", () -> new Message().mProbe(0, 0, copy));
        calls.put("Pack", () -> copy.Pack(room, 0, 1, MPI.INT, new byte[4], 0));
        calls.put("Barrier", copy::Barrier);
        calls.put("Ibarrier", copy::Ibarrier);
        calls.put("gather", () -> copy.gather(room, 1, MPI.INT, 0));
        calls.put("allToAllw", () -> copy.allToAllw(
                room, room, room, new Datatype[] {MPI.INT, MPI.INT}, room, room, room,
                new Datatype[] {MPI.INT, MPI.INT}));
        calls.put("neighborAllGather", () -> copy.neighborAllGather(room, 1, MPI.INT, room, 1, MPI.INT));
        calls.put("Scan", () -> copy.Scan(room, 0, room, 0, 1, MPI.INT, MPI.SUM));
        calls.put("Dup", copy::Dup);
        calls.put("iDup", copy::iDup);
        calls.put("Split", () -> copy.Split(0, 0));
        calls.put("createGroup", () -> copy.createGroup(world.Group(), 0));
        calls.put("Create_cart", () -> copy.Create_cart(new int[] {1}, new boolean[1], false));
        calls.put("Free", copy::Free);
        calls.put("disconnect", copy::disconnect);
        calls.put("Attr_get", () -> copy.Attr_get(MPI.TAG_UB));
        calls.put("setName", () -> copy.setName("early"));
        calls.put("Errhandler_get", copy::Errhandler_get);
        return calls;
    }

    private static Map<String, ThrowingCallable> callsOnKinds(CartComm grid, GraphComm graph, Intercomm pair) {
        int[] room = new int[4];
        Map<String, ThrowingCallable> calls = new TreeMap<>();
        calls.put("Shift", () -> grid.Shift(0, 1));
        calls.put("Sub", () -> grid.Sub(new boolean[1]));
        calls.put("neighborAllToAll", () -> grid.neighborAllToAll(room, 1, MPI.INT, room, 1, MPI.INT));
        calls.put("getNeighbors", () -> graph.getNeighbors(0));
        calls.put("iNeighborAllToAll", () -> graph.iNeighborAllToAll(room, 1, MPI.INT, room, 1, MPI.INT));
        calls.put("Remote_size", pair::Remote_size);
        calls.put("bcast", () -> pair.bcast(room, 1, MPI.INT, MPI.PROC_NULL));
        calls.put("Merge", () -> pair.Merge(true));
        return calls;
    }

    @Test
    void aRequestBelongsToIDupAlone() {
        Ranks.run(1, (world, rank) -> {
            assertThat(world.getRequest()).isNull();
            assertThat(world.dup().getRequest()).isNull();
            assertThat(CartComm.ofNobody().getRequest()).isNull();
        });
    }

    /** The old communicator's number stays its own until all of its collectives are over. */
    @Test
    void freeingTheOldOneDoesNotDisturbItsCopies() {
        for (int seed = 0; seed < 20; seed++) {
            Ranks.run(new LocalWorld(3).seed(seed), 3, (world, rank) -> {
                Intracomm old = world.dup();
                int number = old.id;
                Intracomm copy = old.iDup();
                Intracomm second = old.iDup();
                old.Free();
                Intracomm next = world.dup();
                copy.getRequest().waitFor();
                second.getRequest().waitFor();
                assertThat(new int[] {copy.id, second.id, next.id}).doesNotHaveDuplicates();
                assertThat(new int[] {copy.id, second.id}).doesNotContain(number);
                assertThat(sum(next, 1) + sum(copy, 1) + sum(second, 1)).isEqualTo(9);
            });
        }
    }
}
