package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.LocalWorld;
import org.posthouse.mpj.operation.Operation;

/** Requests: alone, in arrays, complete, null, and failed. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RequestTest {
    private static final int PEERS = 5;

    /** Rank 0 receives one int from each other rank with {@code collect}; the others send their rank. */
    private interface Collector {
        void collect(Request[] requests, int[] room);
    }

    private static void collect(Collector collector) {
        for (long seed = 0; seed < 10; seed++) {
            Ranks.run(new LocalWorld(PEERS + 1).seed(seed), PEERS + 1, (world, rank) -> {
                if (rank > 0) {
                    world.Send(new int[] {rank}, 0, 1, MPI.INT, 0, rank);
                    return;
                }
                int[] room = new int[PEERS + 1];
                Request[] requests = new Request[PEERS + 1];
                for (int peer = 1; peer <= PEERS; peer++) {
                    requests[peer] = world.Irecv(room, peer, 1, MPI.INT, peer, MPI.ANY_TAG);
                }
                collector.collect(requests, room);
                assertThat(room).containsExactly(0, 1, 2, 3, 4, 5);
                for (int peer = 1; peer <= PEERS; peer++) {
                    assertThat(requests[peer].Is_null()).isTrue();
                }
            });
        }
    }

    @Test
    void waitsForEachInTheOrderOfArrival() {
        collect((requests, room) -> {
            BitSet seen = new BitSet();
            for (int i = 0; i < PEERS; i++) {
                Status status = Request.Waitany(requests);
                assertThat(status.source).isEqualTo(status.index);
                assertThat(room[status.index]).isEqualTo(status.index);
                assertThat(seen.get(status.index)).isFalse();
                seen.set(status.index);
            }
            assertThat(Request.Waitany(requests).index).isEqualTo(MPI.UNDEFINED);
        });
    }

    @Test
    void waitsForSome() {
        collect((requests, room) -> {
            int left = PEERS;
            while (left > 0) {
                Status[] statuses = Request.Waitsome(requests);
                assertThat(statuses).isNotEmpty();
                for (Status status : statuses) {
                    assertThat(room[status.index]).isEqualTo(status.source).isEqualTo(status.tag);
                }
                left -= statuses.length;
            }
            assertThat(left).isZero();
            assertThat(Request.Waitsome(requests)).isEmpty();
        });
    }

    @Test
    void waitsForAll() {
        collect((requests, room) -> {
            Status[] statuses = Request.Waitall(requests);
            assertThat(statuses).hasSize(PEERS + 1);
            for (int peer = 1; peer <= PEERS; peer++) {
                assertThat(statuses[peer].source).isEqualTo(peer);
            }
        });
    }

    @Test
    void testsUntilAllAreComplete() {
        collect((requests, room) -> {
            Status[] statuses = Request.Testall(requests);
            while (statuses == null) {
                Thread.onSpinWait();
                statuses = Request.Testall(requests);
            }
            assertThat(statuses[3].source).isEqualTo(3);
        });
    }

    @Test
    void testsForAnyAndForSome() {
        collect((requests, room) -> {
            int left = PEERS;
            while (left > 3) {
                Status status = Request.Testany(requests);
                if (status != null) {
                    assertThat(room[status.index]).isEqualTo(status.source);
                    left--;
                }
            }
            while (left > 0) {
                for (Status status : Request.Testsome(requests)) {
                    assertThat(room[status.index]).isEqualTo(status.source);
                    left--;
                }
            }
            assertThat(Request.Testany(requests).index).isEqualTo(MPI.UNDEFINED);
            assertThat(Request.Testsome(requests)).isEmpty();
        });
    }

    @Test
    void testsOneUntilItIsComplete() {
        Ranks.run(2, (world, rank) -> {
            int[] room = new int[1];
            if (rank == 0) {
                Request request = world.Irecv(room, 0, 1, MPI.INT, 1, 0);
                assertThat(request.Test()).isNull();
                assertThat(request.Is_null()).isFalse();
                world.Barrier();
                Status status = request.Test();
                while (status == null) {
                    Thread.onSpinWait();
                    status = request.Test();
                }
                assertThat(status.source).isEqualTo(1);
                assertThat(request.Is_null()).isTrue();
                assertThat(request.Test()).isNotNull();
                assertThat(request.Wait().source).isEqualTo(MPI.ANY_SOURCE);
            } else {
                world.Barrier();
                world.Send(room, 0, 1, MPI.INT, 0, 0);
            }
        });
    }

    @Test
    void aNullRequestIsCompleteAtOnce() {
        assertThat(MPI.REQUEST_NULL.Is_null()).isTrue();
        assertThat(MPI.REQUEST_NULL.Wait().index).isEqualTo(MPI.UNDEFINED);
        assertThat(MPI.REQUEST_NULL.Test()).isNotNull();
        Request[] none = {null, MPI.REQUEST_NULL};
        assertThat(Request.Waitall(none)).hasSize(2);
        assertThat(Request.Testall(none)).hasSize(2);
        assertThat(Request.Waitany(none).index).isEqualTo(MPI.UNDEFINED);
        assertThat(Request.Waitall(new Request[0])).isEmpty();
    }

    @Test
    void aRequestToNobodyIsFoundByWaitany() {
        Ranks.run(1, (world, rank) -> {
            Request[] requests = {
                null,
                world.Irecv(new int[1], 0, 1, MPI.INT, 0, 0),
                world.Irecv(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, 0)
            };
            Status status = Request.Waitany(requests);
            assertThat(status.index).isEqualTo(2);
            assertThat(status.source).isEqualTo(MPI.PROC_NULL);
            world.Send(new int[1], 0, 1, MPI.INT, 0, 0);
            assertThat(Request.Waitany(requests).index).isEqualTo(1);
        });
    }

    @Test
    void largeSendsAreCompleteWhenMatched() {
        Ranks.run(new LocalWorld(2).eagerBytesMax(-1), 2, (world, rank) -> {
            int[] values = new int[50_000];
            if (rank == 0) {
                Request request = world.Isend(values, 0, values.length, MPI.INT, 1, 0);
                assertThat(request.Test()).isNull();
                world.Barrier();
                request.Wait();
                assertThat(request.Is_null()).isTrue();
            } else {
                world.Barrier();
                world.Recv(values, 0, values.length, MPI.INT, 0, 0);
            }
        });
    }

    @Test
    void waitallReportsAnErrorAfterAllAreComplete() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                world.Send(new int[3], 0, 3, MPI.INT, 1, 0);
                world.Send(new int[] {7}, 0, 1, MPI.INT, 1, 1);
                return;
            }
            int[] room = new int[3];
            Request[] requests = {
                world.Irecv(room, 0, 2, MPI.INT, 0, 0), world.Irecv(room, 2, 1, MPI.INT, 0, 1),
            };
            assertThatThrownBy(() -> Request.Waitall(requests))
                    .isInstanceOf(MPIException.class)
                    .hasMessageContaining("Irecv at rank 1 of 2 in COMM_WORLD: from rank 0 with tag 0")
                    .hasMessageContaining("3 INT elements, expected at most 2");
            assertThat(room).containsExactly(0, 0, 7);
            assertThat(requests[0].Is_null()).isTrue();
        });
    }

    @Test
    void refusesNoArrayOfRequests() {
        assertThatThrownBy(() -> Request.Waitany(null))
                .isInstanceOfSatisfying(
                        MPIException.class,
                        e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_REQUEST));
    }

    private interface Asking {
        void ask(Request[] requests) throws MPIException;
    }

    /** Of a message from anybody nobody could say any more who had sent it. */
    @Test
    void whenOneFailsTheOthersCanStillBeAsked() {
        Asking[] calls = {Request::Waitall, Request::Waitsome, Request::Testall, Request::Testsome};
        for (Asking call : calls) {
            Ranks.run(2, (world, rank) -> {
                if (rank == 0) {
                    world.Send(new int[4], 0, 4, MPI.INT, 1, 1);
                    world.Send(new int[4], 0, 4, MPI.INT, 1, 2);
                    world.Barrier();
                    return;
                }
                Prequest again = world.Recv_init(new int[4], 0, 4, MPI.INT, MPI.PROC_NULL, 0);
                again.Start();
                Request[] requests = {
                    null,
                    world.Irecv(new int[1], 0, 1, MPI.INT, 0, 1),
                    world.Irecv(new int[4], 0, 4, MPI.INT, MPI.ANY_SOURCE, 2),
                    again,
                    MPI.REQUEST_NULL
                };
                world.Barrier();
                assertThatThrownBy(() -> call.ask(requests))
                        .isInstanceOfSatisfying(
                                MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_TRUNCATE));
                assertThat(requests[1].Is_null()).as("the one that failed").isTrue();
                assertThat(world.self.underWay().isNothing()).as("what can be saved").isTrue();
                assertThat(requests[2].Is_null()).isFalse();
                Status status = requests[2].Test();
                assertThat(status.source).isZero();
                assertThat(status.count).isEqualTo(4);
                assertThat(requests[2].Is_null()).isTrue();
                again.Start();
                assertThat(again.Wait().source).isEqualTo(MPI.PROC_NULL);
                assertThat(again.Wait().source).as("inactive").isEqualTo(MPI.ANY_SOURCE);
            });
        }
    }

    /** What a program's own operation throws is no MPIException. */
    @Test
    void whenAnOperationThrowsTheOthersCanStillBeAskedToo() {
        Ranks.run(2, (world, rank) -> {
            Request[] requests = {
                world.Irecv(new int[1], 0, 1, MPI.INT, MPI.ANY_SOURCE, 1),
                world.Iallreduce(new int[1], 0, new int[1], 0, 1, MPI.INT, new Op(new Failing(), true))
            };
            world.Send(new int[1], 0, 1, MPI.INT, 1 - rank, 1);
            assertThatThrownBy(() -> Request.Waitall(requests)).isInstanceOf(RuntimeException.class);
            assertThat(requests[1].Is_null()).isTrue();
            assertThat(requests[0].Wait().source).isEqualTo(1 - rank);
        });
    }

    /** MPI-1.1, 2.4.1 and 5.4.3: what is given back lives as long as something refers to it. */
    @Test
    void aPersistentOneOutlivesItsDatatype() {
        Ranks.run(2, (world, rank) -> {
            Datatype type = Datatype.Vector(2, 1, 2, MPI.INT);
            int[] values = rank == 0 ? new int[] {1, 2, 3} : new int[3];
            Prequest request =
                    rank == 0 ? world.Send_init(values, 0, 1, type, 1, 0) : world.Recv_init(values, 0, 1, type, 0, 0);
            type.Free();
            for (int i = 0; i < 2; i++) {
                request.Start();
                request.Wait();
            }
            assertThat(values).containsExactly(1, 2 * (1 - rank), 3);
        });
    }

    @Test
    void aPersistentOneOutlivesItsCommunicatorAndKeepsItsNumber() {
        Ranks.run(2, (world, rank) -> {
            Intracomm comm = world.Dup();
            int[] value = {7 * (1 - rank)};
            Prequest request =
                    rank == 0 ? comm.Send_init(value, 0, 1, MPI.INT, 1, 0) : comm.Recv_init(value, 0, 1, MPI.INT, 0, 0);
            comm.Free();
            assertThatThrownBy(() -> comm.Send_init(value, 0, 1, MPI.INT, 1, 0)).hasMessageContaining("was freed");
            for (int i = 0; i < 2; i++) {
                request.Start();
                request.Wait();
            }
            assertThat(value).containsExactly(7);
            assertThat(world.self.contexts().isFree(comm.id)).isFalse();
            request.Free();
            request.Free();
            assertThat(world.self.contexts().isFree(comm.id)).isTrue();
        });
    }

    @Test
    void whoeverIsLastGivesTheNumberBack() {
        Ranks.run(1, (world, rank) -> {
            Intracomm comm = world.Dup();
            Prequest first = comm.Send_init(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, 0);
            Prequest second = comm.Recv_init(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, 0);
            first.Free();
            first.Free();
            comm.Free();
            assertThat(world.self.contexts().isFree(comm.id)).isFalse();
            second.Free();
            assertThat(world.self.contexts().isFree(comm.id)).isTrue();
        });
    }

    /** To look for frames takes a system call. */
    @Test
    void testsOfSeveralLookForFramesOnce() {
        List<Object> looks = new ArrayList<>();
        Intracomm world = Ranks.world(Ends.that((call, arguments) -> switch (call) {
            case "rank", "siteOf" -> 0;
            case "isClosed" -> false;
            case "size" -> 1;
            case "failures" -> Optional.empty();
            case "receive" -> new Operation();
            case "test" -> !looks.add(arguments[1]);
            default -> throw new AssertionError(call);
        }), 1);
        Request[] requests = {null, world.Irecv(new int[1], 0, 1, MPI.INT, 0, 0), world.Irecv(new int[1], 0, 1, MPI.INT, 0, 0)};
        assertThat(Request.Testany(requests)).isNull();
        assertThat(Request.Testsome(requests)).isEmpty();
        assertThat(Request.Testall(requests)).isNull();
        assertThat(looks).containsExactly(true, false, true, false, true);
    }
}
