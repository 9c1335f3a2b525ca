package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The numbers of communicators that were freed, and of those that had a failure. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CommunicatorNumbersTest {
    private static boolean isFree(Intracomm world, int number) {
        return BitSet.valueOf(world.self.contexts().free()).get(number);
    }

    @Test
    void theNumberOfAFreedCommunicatorRests() {
        Ranks.run(2, (world, rank) -> {
            Set<Integer> used = new HashSet<>();
            for (int round = 0; round < Contexts.RESTING; round++) {
                Intracomm comm = world.dup();
                assertThat(used.add(comm.id)).as("number %s comes once", comm.id).isTrue();
                comm.Free();
                assertThat(isFree(world, comm.id)).isTrue();
            }
            for (int round = 0; round < 3 * Contexts.RESTING; round++) {
                Intracomm comm = world.dup();
                used.add(comm.id);
                comm.Free();
            }
            assertThat(used).hasSize(Contexts.RESTING + 1);
        });
    }

    /** Else which numbers the copy's agreement finds free, in its own thread, would be a matter of time. */
    @Test
    void noneIsGivenBackUntilACopyUnderWayWasSeen() {
        Ranks.run(2, (world, rank) -> {
            for (int round = 0; round < Contexts.RESTING; round++) {
                world.dup().Free();
            }
            Intracomm last = world.dup();
            Contexts contexts = world.self.contexts();
            if (rank == 1) {
                // Until rank 0 has seen what it has to, its agreement waits for this one.
                world.Recv(new int[1], 0, 1, MPI.INT, 0, 0);
            }
            Intracomm copy = world.iDup();
            Intracomm next = world.iDup();
            if (rank == 0) {
                int before = BitSet.valueOf(contexts.rested()).cardinality();
                last.Free();
                assertThat(BitSet.valueOf(contexts.rested()).cardinality()).as("that have rested").isEqualTo(before);
                world.Send(new int[1], 0, 1, MPI.INT, 1, 0);
            } else {
                last.Free();
            }
            copy.getRequest().Wait();
            assertThat(contexts.isFree(last.id)).as("another copy is under way").isFalse();
            next.getRequest().Wait();
            assertThat(contexts.isFree(last.id)).isTrue();
        });
    }

    @Test
    void aReceiveLeftOnAFreedCommunicatorMeetsNothing() {
        Ranks.run(2, (world, rank) -> {
            Intracomm first = world.dup();
            int[] stale = {-1};
            Request receive = first.Irecv(stale, 0, 1, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
            first.Free();
            for (int round = 0; round <= Contexts.RESTING; round++) {
                Intracomm next = world.dup();
                int[] in = new int[1];
                next.Sendrecv(new int[] {rank}, 0, 1, MPI.INT, 1 - rank, 0, in, 0, 1, MPI.INT, 1 - rank, 0);
                assertThat(in).containsExactly(1 - rank);
                next.Free();
            }
            assertThat(stale).containsExactly(-1);
            assertThat(isFree(world, first.id)).isFalse();
            receive.Cancel();
            assertThat(isFree(world, first.id)).isFalse();
            receive.Wait();
            assertThat(isFree(world, first.id)).isTrue();
        });
    }

    /** Whether its message has come is a matter of time. */
    @Test
    void freedNumberIsReusableAfterPendingOperationsWereAwaited() {
        Ranks.run(1, (world, rank) -> {
            Intracomm comm = world.dup();
            Request[] both = {
                comm.Irecv(new int[1], 0, 1, MPI.INT, 0, 0), comm.Issend(new int[1], 0, 1, MPI.INT, 0, 0)
            };
            Prequest again = comm.Recv_init(new int[1], 0, 1, MPI.INT, 0, 1);
            again.Start();
            comm.Send(new int[1], 0, 1, MPI.INT, 0, 1);
            comm.Free();
            both[0].getStatus();
            both[0].Wait();
            again.Wait();
            again.Free();
            assertThat(isFree(world, comm.id)).as("the send is under way").isFalse();
            Intracomm copy = world.iDup();
            both[1].Wait();
            assertThat(isFree(world, comm.id)).as("an agreement is").isFalse();
            copy.getRequest().Wait();
            assertThat(isFree(world, comm.id)).isTrue();
        });
    }

    @Test
    void theNumberUnderWhichARequestWasFreedUnseenIsNotUsedAgainUntilThatIsOver() {
        Ranks.run(1, (world, rank) -> {
            Intracomm comm = world.dup();
            comm.Irecv(new int[1], 0, 1, MPI.INT, 0, 0).Free();
            comm.Issend(new int[1], 0, 1, MPI.INT, 0, 1).Free();
            Prequest started = comm.Recv_init(new int[1], 0, 1, MPI.INT, 0, 2);
            started.Start();
            started.Free();
            Comm inner = comm.dup();
            assertThat(isFree(world, comm.id)).as("the program has it").isFalse();
            comm.Send(new int[1], 0, 1, MPI.INT, 0, 0);
            comm.Send(new int[1], 0, 1, MPI.INT, 0, 2);
            comm.Free();
            lookUntil(world, 1);
            assertThat(isFree(world, comm.id)).as("the send waits for its receive").isFalse();
            inner.Free();
        });
        Ranks.run(1, (world, rank) -> {
            Intracomm comm = world.dup();
            int[] room = new int[1];
            comm.Irecv(room, 0, 1, MPI.INT, 0, 0).Free();
            comm.Send(new int[] {7}, 0, 1, MPI.INT, 0, 0);
            comm.Free();
            assertThat(isFree(world, comm.id)).as("nobody has looked").isFalse();
            lookUntil(world, 0);
            assertThat(isFree(world, comm.id)).isTrue();
            assertThat(room[0]).isEqualTo(7);
        });
    }

    /** Makes communicators until so many of the freed requests are not over. */
    private static void lookUntil(Intracomm world, int left) {
        for (int i = 0; i < 1000 && world.self.freedRequests().size() > left; i++) {
            world.dup().Free();
        }
        assertThat(world.self.freedRequests().size()).isEqualTo(left);
    }

    @Test
    void theNumberOfACommunicatorWithAFailureIsNotUsedAgain() {
        Ranks.run(2, (world, rank) -> {
            Op failing = new Op(new Failing(), true);
            Intracomm comm = world.dup();
            assertThatThrownBy(() -> comm.Allreduce(new int[1], 0, new int[1], 0, 1, MPI.INT, failing))
                    .isInstanceOf(RuntimeException.class);
            comm.Free();
            assertThat(isFree(world, comm.id)).isFalse();
        });
    }

    @Test
    void soIsThatOfAFailureInTheBackground() {
        Ranks.run(2, (world, rank) -> {
            Op failing = new Op(new Failing(), true);
            Intracomm comm = world.dup();
            Request request = comm.Iallreduce(new int[1], 0, new int[1], 0, 1, MPI.INT, failing);
            comm.Free();
            assertThatThrownBy(request::Wait).isInstanceOf(RuntimeException.class);
            assertThat(isFree(world, comm.id)).isFalse();
        });
    }

    @Test
    void communicatorsAreMadeAfterAnAgreementThatFailed() {
        Ranks.run(2, (world, rank) -> {
            Intracomm comm = world.dup();
            Agreement failed = new Agreement("dup", comm, 0, true);
            int[] reductions = {0};
            assertThatThrownBy(() -> failed.reach(values -> {
                if (++reductions[0] == 2) {
                    throw new IllegalStateException("as the test wants it");
                }
            }))
                    .hasMessage("as the test wants it");
            Intracomm next = world.dup();
            int[] sum = {1};
            next.Allreduce(sum, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            assertThat(sum).containsExactly(2);
        });
    }
}
