package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was left under way at Finalize: every call that asks for it says so, and names itself. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FinalizeTest {
    private static void requireRefused(String call, ThrowingCallable body) {
        requireRefused(call, "Finalize came before it was done, expected that after all threads' calls", body);
    }

    private static void requireLate(String call, ThrowingCallable body) {
        requireRefused(call, "called after Finalize", body);
    }

    private static void requireRefused(String call, String why, ThrowingCallable body) {
        MPIException error = catchThrowableOfType(MPIException.class, body);
        assertThat(error).as(call).isNotNull().hasMessageStartingWith(call + " at rank ");
        assertThat(error).hasMessageEndingWith(why);
        assertThat(error.getErrorClass()).as(call).isEqualTo(MPI.ERR_OTHER);
    }

    private static Map<String, ThrowingCallable> callsOn(Request pending) {
        Request[] both = {MPI.REQUEST_NULL, pending};
        Map<String, ThrowingCallable> calls = new TreeMap<>();
        calls.put("Wait", pending::Wait);
        calls.put("waitFor", pending::waitFor);
        calls.put("waitStatus", pending::waitStatus);
        calls.put("Test", pending::Test);
        calls.put("test", pending::test);
        calls.put("testStatus", pending::testStatus);
        calls.put("getStatus", pending::getStatus);
        calls.put("Cancel", pending::Cancel);
        calls.put("cancel", pending::cancel);
        calls.put("Waitall", () -> Request.Waitall(both));
        calls.put("Waitany", () -> Request.Waitany(both));
        calls.put("Waitsome", () -> Request.Waitsome(both));
        calls.put("Testall", () -> Request.Testall(both));
        calls.put("Testany", () -> Request.Testany(both));
        calls.put("Testsome", () -> Request.Testsome(both));
        calls.put("waitAll", () -> Request.waitAll(both));
        calls.put("waitAllStatus", () -> Request.waitAllStatus(both));
        calls.put("waitAny", () -> Request.waitAny(both));
        calls.put("waitAnyStatus", () -> Request.waitAnyStatus(both));
        calls.put("waitSome", () -> Request.waitSome(both));
        calls.put("waitSomeStatus", () -> Request.waitSomeStatus(both));
        calls.put("testAll", () -> Request.testAll(both));
        calls.put("testAllStatus", () -> Request.testAllStatus(both));
        calls.put("testAny", () -> Request.testAny(both));
        calls.put("testAnyStatus", () -> Request.testAnyStatus(both));
        calls.put("testSome", () -> Request.testSome(both));
        calls.put("testSomeStatus", () -> Request.testSomeStatus(both));
        return calls;
    }

    @Test
    void aReceiveUnderWayCanNotBeAskedFor() {
        Ranks.run(1, (world, rank) -> {
            Request pending = world.Irecv(new int[1], 0, 1, MPI.INT, 0, 1);
            Prequest persistent = world.Recv_init(new int[1], 0, 1, MPI.INT, 0, 2);
            Prequest idle = world.Send_init(new int[1], 0, 1, MPI.INT, 0, 3);
            persistent.Start();
            world.endpoint.close();
            callsOn(pending).forEach(FinalizeTest::requireRefused);
            callsOn(persistent).forEach(FinalizeTest::requireRefused);
            requireLate("Start", idle::Start);
            requireLate("start", idle::start);
            requireLate("Startall", () -> Prequest.Startall(new Prequest[] {idle}));
            requireLate("startAll", () -> Prequest.startAll(new Prequest[] {idle}));
            requireLate("Recv", () -> world.Recv(new int[1], 0, 1, MPI.INT, 0, 4));
            assertThat(pending.Is_null()).isFalse();
            pending.Free();
            assertThat(pending.Is_null()).isTrue();
        });
    }

    @Test
    void completedRequestsCanBeAwaitedAfterClose() {
        Ranks.run(1, (world, rank) -> {
            int[] in = new int[1];
            Request receive = world.Irecv(in, 0, 1, MPI.INT, 0, 1);
            Request send = world.Isend(new int[] {5}, 0, 1, MPI.INT, 0, 1);
            while (receive.getStatus() == null) {
                Thread.onSpinWait();
            }
            world.endpoint.close();
            Request.Waitall(new Request[] {receive, send});
            assertThat(in[0]).isEqualTo(5);
        });
    }

    @Test
    void aCollectiveUnderWayEndsWithAnErrorOfItsOwn() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                Request barrier = world.Ibarrier();
                Request next = world.Iallreduce(new int[1], 0, new int[1], 0, 1, MPI.INT, MPI.SUM);
                world.endpoint.close();
                assertThatThrownBy(barrier::Wait)
                        .isInstanceOfSatisfying(
                                MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_OTHER))
                        .hasMessageContaining("Finalize came before it was done");
                assertThatThrownBy(next::Wait).isInstanceOf(MPIException.class);
            }
        });
    }

    /** Such a program is in error, but a replay must not depend on how far the collective's thread is: before, that spoke behind the goodbye. */
    @Test
    void finalizeWaitsForStartedCollectives() {
        Ranks.run(2, (world, rank) -> {
            Intracomm freed = world.dup();
            int[] sums = new int[2];
            if (rank == 1) {
                // Rank 0 is in Finalize, or on its way there.
                world.Recv(new int[1], 0, 1, MPI.INT, 0, 0);
            }
            Request first = world.Iallreduce(new int[] {rank + 1}, 0, sums, 0, 1, MPI.INT, MPI.SUM);
            freed.Iallreduce(new int[] {rank + 2}, 0, sums, 1, 1, MPI.INT, MPI.SUM);
            freed.Free();
            if (rank == 0) {
                world.Send(new int[1], 0, 1, MPI.INT, 1, 0);
            }
            MPI.leave(world.self);
            assertThat(sums).containsExactly(3, 5);
            first.Wait();
        });
    }

    /** Each call that blocks, in a thread of its own, while the main one finalizes. */
    @Test
    void finalizeFailsBlockedCallsOfOtherThreads() {
        Ranks.run(1, (world, rank) -> {
            Map<String, ThrowingCallable> calls = callsThatBlock(world);
            Map<String, Throwable> thrown = new TreeMap<>();
            Thread[] threads = calls.entrySet().stream()
                    .map(call -> new Thread(() -> {
                        Throwable end = catchThrowableOfType(Throwable.class, call.getValue());
                        synchronized (thrown) {
                            thrown.put(call.getKey(), end);
                        }
                    }))
                    .toArray(Thread[]::new);
            for (Thread thread : threads) {
                thread.start();
            }
            for (Thread thread : threads) {
                while (thread.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
            world.endpoint.close();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(thrown.keySet()).isEqualTo(calls.keySet());
            thrown.forEach((call, end) -> requireRefused(call, () -> {
                throw end;
            }));
        });
    }

    private static Map<String, ThrowingCallable> callsThatBlock(Intracomm world) {
        Request request = world.Irecv(new int[1], 0, 1, MPI.INT, 0, 1);
        Map<String, ThrowingCallable> calls = new TreeMap<>();
        calls.put("Recv", () -> world.Recv(new int[1], 0, 1, MPI.INT, 0, 2));
        calls.put("Probe", () -> world.Probe(0, 3));
        calls.put("mProbe", () -> new Message().mProbe(0, 4, world));
        calls.put("Wait", request::Wait);
        calls.put("Waitany", () -> Request.Waitany(new Request[] {request}));
        calls.put("Sendrecv", () -> world.Sendrecv(new int[1], 0, 1, MPI.INT, 0, 5, new int[1], 0, 1, MPI.INT, 0, 6));
        return calls;
    }
}
