package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.LocalWorld;

/** Wrong arguments are refused at the caller, by name, and nothing is sent. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ArgumentCheckTest {
    private static final int[] FOUR = new int[4];
    private static final int[] ONES = {1, 1};
    private static final int[] FROM_ZERO = {0, 1};

    interface Call {
        void on(Intracomm world);
    }

    private static Arguments of(int errorClass, String message, Call call) {
        return Arguments.of(errorClass, message, call);
    }

    static Stream<Arguments> wrongCalls() {
        return Stream.of(
                of(MPI.ERR_RANK, "destination is 2, expected 0 to 1", w -> w.Send(FOUR, 0, 1, MPI.INT, 2, 0)),
                of(MPI.ERR_RANK, "destination is -2", w -> w.Isend(FOUR, 0, 1, MPI.INT, MPI.ANY_SOURCE, 0)),
                of(MPI.ERR_RANK, "source is 2", w -> w.Recv(FOUR, 0, 1, MPI.INT, 2, 0)),
                of(MPI.ERR_RANK, "source is -1", w -> w.Irecv(FOUR, 0, 1, MPI.INT, -1, 0)),
                of(MPI.ERR_RANK, "source is 7", w -> w.Probe(7, 0)),
                of(MPI.ERR_TAG, "tag is -4, expected 0 or more, or ANY_TAG", w -> w.iProbe(0, -4)),
                of(MPI.ERR_TAG, "tag is -2, expected 0 or more", w -> w.send(FOUR, 1, MPI.INT, 0, MPI.ANY_TAG)),
                of(MPI.ERR_TAG, "tag is -2147483648, expected another: this one is reserved",
                        w -> w.Recv(FOUR, 0, 1, MPI.INT, 0, Integer.MIN_VALUE)),
                of(MPI.ERR_COUNT, "count of the send buffer is -1", w -> w.Send(FOUR, 0, -1, MPI.INT, 0, 0)),
                of(MPI.ERR_TYPE, "datatype of the send buffer is null", w -> w.Send(FOUR, 0, 1, null, 0, 0)),
                of(MPI.ERR_TYPE, "datatype of the send buffer is DATATYPE_NULL, which is none", w -> w.Send(FOUR, 0, 1, MPI.NULL, 0, 0)),
                of(MPI.ERR_TYPE, "datatype of the receive buffer is UB, a marker", w -> w.Recv(FOUR, 0, 1, MPI.UB, 0, 0)),
                of(MPI.ERR_TYPE, "Contiguous: an old datatype is DATATYPE_NULL, which is none", w -> Datatype.Contiguous(1, MPI.NULL)),
                of(MPI.ERR_TYPE, "Get_count: the datatype is LB, a marker", w -> new Status().Get_count(MPI.LB)),
                of(MPI.ERR_TYPE, "class int[], expected long[] for LONG",
                        w -> w.Send(FOUR, 0, 1, MPI.LONG, 0, 0)),
                of(MPI.ERR_TYPE, "class java.lang.String, expected java.lang.Object[]",
                        w -> w.Send("text", 0, 1, MPI.OBJECT, 0, 0)),
                of(MPI.ERR_BUFFER, "send buffer is null", w -> w.Send(null, 0, 1, MPI.INT, 0, 0)),
                of(MPI.ERR_BUFFER, "from 2 to 5 (3 elements of INT), expected within its length 4",
                        w -> w.Send(FOUR, 2, 3, MPI.INT, 0, 0)),
                of(MPI.ERR_BUFFER, "from -1 to 0", w -> w.Recv(FOUR, -1, 1, MPI.INT, 0, 0)),
                of(MPI.ERR_BUFFER, "from 1 to 5 (2 elements of INT2)",
                        w -> w.Send(FOUR, 1, 2, MPI.INT2, 0, 0)),
                of(MPI.ERR_BUFFER, "expected within its length 4",
                        w -> w.Send(FOUR, 0, Integer.MAX_VALUE, MPI.INT2, 0, 0)),
                of(MPI.ERR_TYPE, "Sendrecv at rank 0 of 2 in COMM_WORLD: the receive buffer is of class",
                        w -> w.Sendrecv(FOUR, 0, 1, MPI.INT, 0, 0, FOUR, 0, 1, MPI.BYTE, 0, 0)),
                of(MPI.ERR_BUFFER, "Sendrecv_replace",
                        w -> w.Sendrecv_replace(FOUR, 4, 1, MPI.INT, 0, 0, 0, 0)),
                of(MPI.ERR_ROOT, "root is 2, expected 0 to 1", w -> w.Bcast(FOUR, 0, 1, MPI.INT, 2)),
                of(MPI.ERR_ROOT, "root is -1", w -> w.Reduce(FOUR, 0, FOUR, 0, 1, MPI.INT, MPI.SUM, -1)),
                of(MPI.ERR_ROOT, "root is -3",
                        w -> w.Gather(FOUR, 0, 1, MPI.INT, FOUR, 0, 1, MPI.INT, MPI.PROC_NULL)),
                of(MPI.ERR_ROOT, "root is 9", w -> w.Scatter(FOUR, 0, 1, MPI.INT, FOUR, 0, 1, MPI.INT, 9)),
                of(MPI.ERR_BUFFER, "send buffer is used from 0 to 6",
                        w -> w.Scatter(FOUR, 0, 3, MPI.INT, FOUR, 0, 3, MPI.INT, 0)),
                of(MPI.ERR_BUFFER, "used from 1 to 5",
                        w -> w.Allgather(FOUR, 0, 2, MPI.INT, FOUR, 1, 2, MPI.INT)),
                of(MPI.ERR_BUFFER, "send buffer is used from 0 to 6",
                        w -> w.Alltoall(FOUR, 0, 3, MPI.INT, FOUR, 0, 3, MPI.INT)),
                of(MPI.ERR_ARG, "counts of the receive buffer are null, expected 2",
                        w -> w.Gatherv(FOUR, 0, 1, MPI.INT, FOUR, 0, null, FROM_ZERO, MPI.INT, 0)),
                of(MPI.ERR_ARG, "displacements of the send buffer are 1 values, expected 2",
                        w -> w.Scatterv(FOUR, 0, ONES, new int[1], MPI.INT, FOUR, 0, 1, MPI.INT, 0)),
                of(MPI.ERR_COUNT, "count 1 of the receive buffer is -1",
                        w -> w.Allgatherv(FOUR, 0, 1, MPI.INT, FOUR, 0, new int[] {1, -1}, FROM_ZERO, MPI.INT)),
                of(MPI.ERR_BUFFER, "receive buffer is used from -5 to -4",
                        w -> w.Alltoallv(
                                FOUR, 0, ONES, FROM_ZERO, MPI.INT, FOUR, 0, ONES, new int[] {0, -5}, MPI.INT)),
                of(MPI.ERR_BUFFER, "used from -1 to 0",
                        w -> w.Alltoallv(
                                FOUR, 0, ONES, new int[] {-1, 0}, MPI.INT, FOUR, 0, ONES, FROM_ZERO, MPI.INT)),
                of(MPI.ERR_OP, "the operation is null",
                        w -> w.Allreduce(FOUR, 0, FOUR, 0, 1, MPI.INT, null)),
                of(MPI.ERR_OP, "operation LAND has no meaning for datatype DOUBLE",
                        w -> w.Reduce(new double[1], 0, new double[1], 0, 1, MPI.DOUBLE, MPI.LAND, 0)),
                of(MPI.ERR_OP, "operation SUM has no meaning for datatype INT2",
                        w -> w.Scan(FOUR, 0, FOUR, 0, 1, MPI.INT2, MPI.SUM)),
                of(MPI.ERR_OP, "operation MAXLOC has no meaning for datatype INT",
                        w -> w.Allreduce(FOUR, 0, FOUR, 0, 1, MPI.INT, MPI.MAXLOC)),
                of(MPI.ERR_OP, "operation SUM has no meaning for datatype OBJECT",
                        w -> w.Allreduce(new Object[1], 0, new Object[1], 0, 1, MPI.OBJECT, MPI.SUM)),
                of(MPI.ERR_OP, "operation BXOR has no meaning for datatype DOUBLE",
                        w -> w.Allreduce(new double[1], 0, new double[1], 0, 1, MPI.DOUBLE, MPI.BXOR)),
                of(MPI.ERR_BUFFER, "Reduce_scatter at rank 0 of 2 in COMM_WORLD: the send buffer is used",
                        w -> w.Reduce_scatter(FOUR, 0, FOUR, 0, new int[] {2, 3}, MPI.INT, MPI.SUM)),
                of(MPI.ERR_ARG, "counts of the send buffer are 1 values",
                        w -> w.Reduce_scatter(FOUR, 0, FOUR, 0, new int[1], MPI.INT, MPI.SUM)),
                of(MPI.ERR_BUFFER, "the receive buffer is used from 0 to 4294967294 (4294967294 elements of INT), expected within its length 4",
                        w -> w.allGather(FOUR, Integer.MAX_VALUE, MPI.INT)),
                of(MPI.ERR_BUFFER, "the receive buffer is used from 3221225472 to 3221225474 (1 elements of INT2), expected within its length 4",
                        w -> w.gatherv(FOUR, ONES, new int[] {0x60000000, 0x60000000}, MPI.INT2, 0)),
                of(MPI.ERR_TYPE, "element 1 of class java.lang.Object cannot be serialized",
                        w -> w.Send(new Object[] {"fine", new Object()}, 0, 2, MPI.OBJECT, 1, 0)),
                of(MPI.ERR_ARG, "the function is null", w -> new Op((User_function) null, true)),
                of(MPI.ERR_TYPE, "Get_count", w -> new Status().Get_count(null)));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("wrongCalls")
    void refusesWrongArgumentsBeforeAnythingIsSent(int errorClass, String message, Call call) {
        LocalWorld machine = new LocalWorld(2);
        Ranks.run(machine, 2, (world, rank) -> {
            if (rank == 0) {
                assertThatThrownBy(() -> call.on(world))
                        .isInstanceOfSatisfying(MPIException.class, e -> assertThat(e.getErrorClass())
                                .isEqualTo(errorClass))
                        .hasMessageContaining(message);
            }
        });
        assertThat(machine.messages()).isZero();
    }

    @Test
    void lengthsOfZeroNeedNoArray() {
        Ranks.run(3, (world, rank) -> {
            int next = (rank + 1) % 3;
            int before = (rank + 2) % 3;
            Status status = world.Sendrecv(null, 0, 0, MPI.INT, next, 0, null, 0, 0, MPI.INT, before, 0);
            assertThat(status.source).isEqualTo(before);
            assertThat(status.Get_count(MPI.INT)).isZero();
            world.Send(null, 0, 0, MPI.OBJECT, next, 1);
            world.Recv(new String[0], 0, 0, MPI.OBJECT, before, 1);
            world.Bcast(null, 0, 0, MPI.DOUBLE, 1);
            world.Allreduce(null, 0, null, 0, 0, MPI.LONG, MPI.SUM);
            world.Scan(null, 0, null, 0, 0, MPI.LONG, MPI.SUM);
            world.Reduce_scatter(null, 0, null, 0, new int[3], MPI.LONG, MPI.SUM);
            world.Allgather(null, 0, 0, MPI.OBJECT, null, 0, 0, MPI.OBJECT);
            world.Alltoall(null, 0, 0, MPI.CHAR, null, 0, 0, MPI.CHAR);
        });
    }

    @Test
    void irrelevantArgumentsAreNotLookedAt() {
        Ranks.run(2, (world, rank) -> {
            int[] one = {rank};
            if (rank == 1) {
                world.Gather(one, 0, 1, MPI.INT, "junk", -7, -1, null, 0);
                world.Gatherv(one, 0, 1, MPI.INT, null, 0, null, null, null, 0);
                world.Scatter(new double[0], 9, -1, null, one, 0, 1, MPI.INT, 0);
                world.Scatterv(null, 0, null, null, null, one, 0, 1, MPI.INT, 0);
                world.Reduce(one, 0, new long[0], 0, 1, MPI.INT, MPI.SUM, 0);
                assertThat(one[0]).isEqualTo(6);
            } else {
                world.Gather(one, 0, 1, MPI.INT, FOUR.clone(), 0, 1, MPI.INT, 0);
                world.Gatherv(one, 0, 1, MPI.INT, FOUR.clone(), 0, ONES, FROM_ZERO, MPI.INT, 0);
                world.Scatter(FOUR.clone(), 0, 1, MPI.INT, one, 0, 1, MPI.INT, 0);
                world.Scatterv(new int[] {5, 6}, 0, ONES, FROM_ZERO, MPI.INT, one, 0, 1, MPI.INT, 0);
                world.Reduce(one, 0, one, 0, 1, MPI.INT, MPI.SUM, 0);
                assertThat(one[0]).isEqualTo(11);
            }
        });
    }

    @Test
    void sendAndReceiveBufferMayBeOneArray() {
        Ranks.run(4, (world, rank) -> {
            int[] row = {rank, -1, -1, -1};
            world.Gather(row, 0, 1, MPI.INT, row, 0, 1, MPI.INT, 2);
            assertThat(row).containsExactly(rank == 2 ? new int[] {0, 1, 2, 3} : new int[] {rank, -1, -1, -1});
            int[] deal = {10, 11, 12, 13};
            world.Scatter(deal, 0, 1, MPI.INT, deal, 0, 1, MPI.INT, 1);
            assertThat(deal[0]).isEqualTo(10 + rank);
            int[] all = {-1, -1, -1, -1};
            all[rank] = rank;
            world.Allgather(all, rank, 1, MPI.INT, all, 0, 1, MPI.INT);
            assertThat(all).containsExactly(0, 1, 2, 3);
            int[] turned = {rank * 10, rank * 10 + 1, rank * 10 + 2, rank * 10 + 3};
            world.Alltoall(turned, 0, 1, MPI.INT, turned, 0, 1, MPI.INT);
            assertThat(turned).containsExactly(rank, 10 + rank, 20 + rank, 30 + rank);
        });
    }

    @Test
    void elementsWithoutDataNeedNoBuffer() {
        Datatype nothing = Datatype.Contiguous(0, MPI.INT);
        Op op = new Op(
                new UserFunction() {
                    @Override
                    public void call(Object in, Object inOut, int count, Datatype type) {
                        throw new AssertionError("there is nothing to combine");
                    }
                },
                true);
        Ranks.run(2, (world, rank) -> {
            world.Sendrecv(null, 0, 3, nothing, 1 - rank, 0, null, 0, 3, nothing, 1 - rank, 0);
            world.Bcast(null, 0, 5, nothing, 1);
            world.Allgather(null, 0, 4, nothing, null, 0, 4, nothing);
            world.Alltoallv(null, 0, ONES, FROM_ZERO, nothing, null, 0, ONES, FROM_ZERO, nothing);
            world.Allreduce(null, 0, null, 0, 7, nothing, MPI.SUM);
            world.Scan(null, 0, null, 0, 7, nothing, op);
            world.Reduce_scatter(null, 0, null, 0, ONES, nothing, op);
        });
    }

    /** Else the names, and each error's line, grow with every step of a program that makes each communicator of the one before. */
    @Test
    void aNameTellsTheLastCallsThatMadeIt() {
        Ranks.run(1, (world, rank) -> {
            Intracomm comm = world;
            for (int step = 0; step < 5; step++) {
                comm = comm.Split(0, 0);
            }
            wrong(comm, " in Split of Split of Split of Split of ...: ");
            wrong(comm.Create_cart(new int[] {1}, new boolean[1], false), " in Create_cart of Split of Split of Split of ...: ");
            world.setName("the farm of the west");
            wrong(world.Split(0, 0), " in Split of the farm of the west: ");
        });
    }

    @Test
    void errorNamesMethodInTheProgramsSpelling() {
        Comm none = new Intracomm(null, Group.EMPTY, Communicator.NO_ID, "COMM_NULL");
        Map<String, Call> calls = Map.of(
                "Size", w -> none.Size(), "getSize", w -> none.getSize(), "Rank", w -> none.Rank(), "getRank", w -> none.getRank(),
                "Group", w -> none.Group(), "getGroup", w -> none.getGroup(), "Test_inter", w -> none.Test_inter(), "isInter", w -> none.isInter());
        calls.forEach((name, call) -> assertThatThrownBy(() -> call.on(null)).hasMessageStartingWith(name + " at rank"));
    }

    private static void wrong(Intracomm comm, String where) {
        assertThatThrownBy(() -> comm.Send(FOUR, 0, 1, MPI.INT, 1, 0)).hasMessageContaining(where);
    }
}
