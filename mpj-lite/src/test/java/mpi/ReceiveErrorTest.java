package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.SendMode;

/** Messages that do not fit their receive: an error there, and the next message is received as usual. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ReceiveErrorTest {
    private static void refuse(
            Object sent, int count, Datatype sentAs, Object room, int capacity, Datatype wanted, int errorClass,
            String message) {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                world.Send(sent, 0, count, sentAs, 1, 5);
                world.Send(new int[] {99}, 0, 1, MPI.INT, 1, 5);
                return;
            }
            Object before = Samples.copy(room);
            assertThatThrownBy(() -> world.Recv(room, 0, capacity, wanted, 0, 5))
                    .isInstanceOfSatisfying(
                            MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(errorClass))
                    .hasMessageContaining("Recv at rank 1 of 2 in COMM_WORLD: from rank 0 with tag 5, ")
                    .hasMessageContaining(message);
            Samples.requireSame("receive buffer", room, before);
            int[] next = new int[1];
            world.Recv(next, 0, 1, MPI.INT, 0, 5);
            assertThat(next[0]).isEqualTo(99);
        });
    }

    @Test
    void refusesAMessageLongerThanTheReceive() {
        refuse(
                new int[] {1, 2, 3}, 3, MPI.INT, new int[3], 2, MPI.INT, MPI.ERR_TRUNCATE,
                "message of 3 INT elements, expected at most 2");
        refuse(
                new int[200_000], 200_000, MPI.INT, new int[3], 2, MPI.INT, MPI.ERR_TRUNCATE,
                "message of 200000 INT elements, expected at most 2");
        refuse(
                new Object[3], 3, MPI.OBJECT, new Object[3], 2, MPI.OBJECT, MPI.ERR_TRUNCATE,
                "message of 3 OBJECT elements, expected at most 2");
        refuse(
                new int[6], 3, MPI.INT2, new int[6], 2, MPI.INT2, MPI.ERR_TRUNCATE,
                "message of 6 INT elements, expected at most 4");
    }

    @Test
    void refusesMessageThatFitsCountButNotTheArray() {
        refuse(
                new int[] {1, 2, 3}, 3, MPI.INT, new int[2], 100, MPI.INT, MPI.ERR_TRUNCATE,
                "message of 3 INT elements, which goes on to index 2 of the receive buffer, expected within its length 2");
        refuse(
                new int[200_000], 200_000, MPI.INT, new int[100_000], Integer.MAX_VALUE, MPI.INT, MPI.ERR_TRUNCATE,
                "message of 200000 INT elements, which goes on to index 100000 of the receive buffer, expected within its length 100000");
        refuse(
                new Object[3], 3, MPI.OBJECT, new Object[2], 100, MPI.OBJECT, MPI.ERR_TRUNCATE,
                "message of 3 OBJECT elements, which goes on to index 2 of the receive buffer, expected within its length 2");
        Datatype column = Datatype.Vector(3, 1, 4, MPI.INT);
        refuse(
                new int[] {1, 2, 3}, 3, MPI.INT, new int[8], 5, column, MPI.ERR_TRUNCATE,
                "message of 3 INT elements, which goes on to index 8 of the receive buffer, expected within its length 8");
        refuse(
                new int[] {1, 2}, 2, MPI.INT, new int[1], 1, Datatype.Contiguous(Integer.MAX_VALUE, MPI.INT), MPI.ERR_TRUNCATE,
                "message of 2 INT elements, which goes on to index 1 of the receive buffer, expected within its length 1");
    }

    @Test
    void refusesAMessageOfAnotherDatatype() {
        refuse(
                new int[] {1, 2}, 2, MPI.INT, new long[2], 2, MPI.LONG, MPI.ERR_TYPE,
                "message of 2 INT elements, expected LONG");
        refuse(
                new float[] {1}, 1, MPI.FLOAT, new Object[2], 2, MPI.OBJECT, MPI.ERR_TYPE,
                "message of 1 FLOAT elements, expected OBJECT");
    }

    @Test
    void refusesObjectsThatTheArrayCannotHold() {
        refuse(
                new Object[] {"text", 5}, 2, MPI.OBJECT, new String[] {"old", null}, 2, MPI.OBJECT,
                MPI.ERR_TYPE, "object 1 is a java.lang.Integer, expected java.lang.String");
    }

    /** Can be written but not read. */
    private static final class Unreadable implements Serializable {
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) {
            throw new IllegalStateException("not today");
        }
    }

    @Test
    void refusesObjectsThatCannotBeReadBack() {
        refuse(
                new Object[] {new Unreadable()}, 1, MPI.OBJECT, new Object[] {"old"}, 1, MPI.OBJECT,
                MPI.ERR_OTHER,
                "object 0 of 1 cannot be read back: java.lang.IllegalStateException: not today");
    }

    @Test
    void pairsAreTwoElementsOfTheirBase() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                world.Send(new int[] {1, 2, 3, 4}, 0, 2, MPI.INT2, 1, 0);
                world.Send(new int[] {1, 2, 3}, 0, 3, MPI.INT, 1, 0);
            } else {
                int[] room = new int[4];
                assertThat(world.Recv(room, 0, 4, MPI.INT, 0, 0).Get_count(MPI.INT2)).isEqualTo(2);
                assertThat(room).containsExactly(1, 2, 3, 4);
                Status odd = world.Recv(room, 0, 2, MPI.INT2, 0, 0);
                assertThat(odd.Get_count(MPI.INT2)).isEqualTo(MPI.UNDEFINED);
                assertThat(odd.Get_elements(MPI.INT2)).isEqualTo(3);
            }
        });
    }

    /** More than any heap has room for. */
    private static final Content HUGE = new Content() {
        @Override
        public long bytes() {
            return 1L << 40;
        }

        @Override
        public int elements() {
            return 1 << 30;
        }

        @Override
        public int datatype() {
            return Base.PACKED.code();
        }

        @Override
        public void write(long from, ByteBuffer out) {
            throw new AssertionError("written, though nobody has room for it");
        }
    };

    @Test
    void matchedProbeRefusesMessageTooLargeForMemory() {
        Ranks.run(new LocalWorld(2).eagerBytesMax(1000), 2, (world, rank) -> {
            if (rank == 0) {
                for (int i = 0; i < 2; i++) {
                    world.endpoint.await(world.endpoint.send(world.context(), 1, 5, HUGE, SendMode.STANDARD));
                }
                world.Send(new int[] {99}, 0, 1, MPI.INT, 1, 5);
                return;
            }
            Message message = new Message();
            requireNoRoom("mProbe", () -> message.mProbe(0, 5, world));
            requireNoRoom("imProbe", () -> {
                while (message.imProbe(0, 5, world) == null) {
                    Thread.onSpinWait();
                }
            });
            assertThat(message.isNull()).isTrue();
            int[] next = new int[1];
            message.mProbe(0, 5, world);
            message.mRecv(next, 1, MPI.INT);
            assertThat(next[0]).isEqualTo(99);
        });
    }

    private static void requireNoRoom(String call, ThrowingCallable probe) {
        assertThatThrownBy(probe)
                .isInstanceOfSatisfying(
                        MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_NO_MEM))
                .hasMessageContaining(call + " at rank 1 of 2 in COMM_WORLD: from rank 0 with tag 5, ")
                .hasMessageContaining("message of 1099511627776 bytes is lost");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1000})
    void aCollectiveReportsTheErrorToo(long eagerBytesMax) {
        Ranks.run(new LocalWorld(2).eagerBytesMax(eagerBytesMax), 2, (world, rank) -> {
            if (rank == 0) {
                world.Bcast(new int[5], 0, 5, MPI.INT, 0);
                world.Gather(new int[1], 0, 1, MPI.INT, new int[2], 0, 1, MPI.INT, 0);
                assertThatThrownBy(() -> world.Gather(new int[2], 0, 2, MPI.INT, new int[2], 0, 1, MPI.INT, 0))
                        .hasMessageContaining("Gather at rank 0 of 2 in COMM_WORLD: message of 2 INT");
                assertThatThrownBy(() -> world.Gather(new int[2], 0, 2, MPI.INT, new long[4], 0, 2, MPI.LONG, 0))
                        .hasMessageContaining("message of 2 INT elements, expected LONG");
                return;
            }
            assertThatThrownBy(() -> world.Bcast(new int[3], 0, 3, MPI.INT, 0))
                    .isInstanceOfSatisfying(
                            MPIException.class,
                            e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_TRUNCATE))
                    .hasMessageContaining("Bcast at rank 1 of 2 in COMM_WORLD: message of 5 INT elements");
            for (int gather = 0; gather < 3; gather++) {
                world.Gather(new int[1], 0, 1, MPI.INT, null, 0, 0, null, 0);
            }
        });
    }

    @Test
    void aCollectiveThatGetsLessThanItNeedsFails() {
        Ranks.run(2, (world, rank) -> {
            int[] sum = {-1};
            if (rank == 0) {
                assertThatThrownBy(() -> world.Allreduce(new int[] {5}, 0, sum, 0, 1, MPI.INT, MPI.SUM))
                        .isInstanceOfSatisfying(
                                MPIException.class,
                                e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_COUNT))
                        .hasMessageContaining("message of 0 INT elements, expected 1");
            } else {
                assertThatThrownBy(world::Barrier).hasMessageContaining("expected an empty one");
            }
        });
    }

    @Test
    void leftoversOfAFailedCollectiveDoNotReachTheNext() {
        Ranks.run(2, (world, rank) -> {
            int[] mine = {rank + 1};
            if (rank == 0) {
                // Fails on its own block, before it takes the other rank's.
                assertThatThrownBy(() -> world.Gather(mine, 0, 1, MPI.INT, new int[2], 0, 0, MPI.INT, 0))
                        .hasMessageContaining("expected at most 0");
            } else {
                world.Gather(mine, 0, 1, MPI.INT, null, 0, 0, MPI.INT, 0);
            }
            int[] sum = new int[1];
            mine[0] += 10;
            world.Allreduce(mine, 0, sum, 0, 1, MPI.INT, MPI.SUM);
            assertThat(sum[0]).isEqualTo(23);
        });
    }
}
