package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a program makes and frees in a loop for a week leaves nothing behind: no number is taken, and no object held, whatever state it is freed in. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class LongRunTest {
    private static final int TAG = 4;
    private static final int LARGE = 100_000;

    /** Beyond the numbers that rest. */
    private static final int TIMES = 3 * Contexts.RESTING;

    /** One turn of a program's loop on a communicator of its own, which it frees then. */
    private enum Turn {
        NOTHING(comm -> {}),
        COLLECTIVES(comm -> comm.Allreduce(new int[1], 0, new int[1], 0, 1, MPI.INT, MPI.SUM)),
        NON_BLOCKING_COLLECTIVES(comm -> {
            Request first = comm.Ibarrier();
            comm.Iallreduce(new int[1], 0, new int[1], 0, 1, MPI.INT, MPI.SUM).Wait();
            first.Wait();
        }),
        NON_BLOCKING_COLLECTIVES_SEEN_BY_A_LATER_ONE(comm -> {
            comm.Ibarrier();
            comm.Barrier();
        }),
        RECEIVES_WAITED_FOR(comm -> {
            Request receive = comm.Irecv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            comm.Send(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            receive.Wait();
        }),
        RECEIVES_FREED_ACTIVE(comm -> {
            comm.Irecv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG).Free();
            comm.Send(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
        }),
        RECEIVES_FREED_COMPLETE(comm -> {
            Request receive = comm.Irecv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            comm.Send(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            comm.Recv(new int[0], 0, 0, MPI.INT, MPI.PROC_NULL, TAG);
            receive.Free();
        }),
        RECEIVES_ASKED_FOR_AND_FREED(comm -> {
            Request receive = comm.Irecv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            comm.Send(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            while (receive.getStatus() == null) {
                Thread.onSpinWait();
            }
            receive.Free();
        }),
        RECEIVES_CANCELLED(comm -> {
            Request receive = comm.Irecv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            receive.Cancel();
            receive.Wait();
        }),
        RECEIVES_CANCELLED_AND_FREED(comm -> {
            Request receive = comm.Irecv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            receive.Cancel();
            receive.Free();
        }),
        RECEIVES_THAT_FAIL(comm -> {
            Request receive = comm.Irecv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            comm.Send(new int[2], 0, 2, MPI.INT, comm.Rank(), TAG);
            assertThatThrownBy(receive::Wait).isInstanceOf(MPIException.class);
        }),
        RECEIVES_THAT_FAIL_AND_ARE_FREED(comm -> {
            Request receive = comm.Irecv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            comm.Send(new int[2], 0, 2, MPI.INT, comm.Rank(), TAG);
            receive.Free();
        }),
        SENDS_FREED_ACTIVE(comm -> {
            comm.Issend(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG).Free();
            comm.Isend(new int[LARGE], 0, LARGE, MPI.INT, comm.Rank(), TAG).Free();
            comm.Recv(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            comm.Recv(new int[LARGE], 0, LARGE, MPI.INT, comm.Rank(), TAG);
        }),
        SENDS_CANCELLED_AND_FREED(comm -> {
            Request send = comm.Issend(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            send.Cancel();
            send.Free();
        }),
        SENDS_TO_NOBODY(comm -> comm.Issend(new int[1], 0, 1, MPI.INT, MPI.PROC_NULL, TAG).Free()),
        PERSISTENT_INACTIVE(comm -> {
            comm.Recv_init(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG).Free();
            comm.Ssend_init(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG).Free();
        }),
        PERSISTENT_USED(comm -> {
            Prequest receive = comm.Recv_init(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            Prequest send = comm.Send_init(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            for (int i = 0; i < 3; i++) {
                Prequest.Startall(new Prequest[] {receive, send});
                Request.Waitall(new Request[] {receive, send});
            }
            receive.Free();
            send.Free();
        }),
        PERSISTENT_ACTIVE(comm -> {
            Prequest receive = comm.Recv_init(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            Prequest send = comm.Ssend_init(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            Prequest.Startall(new Prequest[] {receive, send});
            receive.Free();
            send.Free();
        }),
        PERSISTENT_CANCELLED(comm -> {
            Prequest receive = comm.Recv_init(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            receive.Start();
            receive.Cancel();
            receive.Free();
        }),
        PERSISTENT_FREED_BEHIND_ITS_COMMUNICATOR(comm -> {
            Prequest receive = comm.dup().Recv_init(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            Comm inner = (Comm) receive.comm();
            inner.Free();
            receive.Free();
        }),
        MATCHED_PROBES(comm -> {
            comm.Send(new int[1], 0, 1, MPI.INT, comm.Rank(), TAG);
            Message message = new Message();
            message.mProbe(comm.Rank(), TAG, comm);
            message.mRecv(new int[1], 1, MPI.INT);
        }),
        COPIES(comm -> {
            Intracomm copy = comm.iDup();
            copy.getRequest().Wait();
            copy.free();
            comm.dupWithInfo(MPI.INFO_NULL).free();
            ((Comm) comm.clone()).Free();
        }),
        PARTS(comm -> {
            Intracomm part = comm.Split(comm.Rank(), 0);
            part.disconnect();
            assertThat(comm.Split(MPI.UNDEFINED, 0)).isNull();
            Group group = comm.Group();
            comm.Create(group).Free();
            comm.createGroup(group, 3).free();
            group.free();
        }),
        TOPOLOGIES(comm -> {
            Cartcomm grid = comm.Create_cart(new int[] {comm.Size()}, new boolean[1], false);
            grid.Sub(new boolean[] {true}).Free();
            grid.Free();
            comm.createGraph(new int[] {0, 0}, new int[0], false).free();
        }),
        INTERCOMMUNICATORS(comm -> {
            Intracomm self = comm.Split(comm.Rank(), 0);
            if (comm.Size() == 2) {
                Intercomm pair = comm.createIntercomm(self, 0, 1 - comm.Rank(), 0);
                pair.merge(comm.Rank() == 0).Free();
                pair.dup().Free();
                pair.Free();
            }
            self.Free();
        }),
        ATTRIBUTES(comm -> {
            int key = Comm.createKeyval();
            comm.setAttr(key, new byte[1000]);
            comm.dup().Free();
            Comm.freeKeyval(key);
        });

        final Consumer<Intracomm> loop;

        Turn(Consumer<Intracomm> loop) {
            this.loop = loop;
        }
    }

    private static int taken(Intracomm world) {
        // Numbers of what was freed and is over now come back with the next communicator.
        int[] left = {1};
        for (int i = 0; i < TIMES && left[0] > 0; i++) {
            world.dup().Free();
            world.Allreduce(new int[] {world.self.freedRequests().size()}, 0, left, 0, 1, MPI.INT, MPI.MAX);
        }
        return Contexts.COUNT - BitSet.valueOf(world.self.contexts().free()).cardinality();
    }

    @ParameterizedTest
    @EnumSource(Turn.class)
    void leavesNoNumberTaken(Turn turn) {
        for (int size : Boolean.getBoolean("posthouse.long") ? new int[] {1, 2} : new int[] {2}) {
            if (turn == Turn.TOPOLOGIES && size == 1) {
                continue;
            }
            Ranks.run(size, (world, rank) -> {
                int before = taken(world);
                for (int i = 0; i < TIMES; i++) {
                    Intracomm comm = world.dup();
                    turn.loop.accept(comm);
                    comm.Free();
                }
                world.Barrier();
                assertThat(world.self.freedRequests().size()).as("what was freed and nobody has looked at").isLessThan(20);
                assertThat(taken(world)).isEqualTo(before);
            });
        }
    }

    @Test
    void moreCommunicatorsThanThereAreNumbersOneAfterAnother() {
        Ranks.run(1, (world, rank) -> {
            List<WeakReference<Intracomm>> made = new ArrayList<>();
            for (int i = 0; i < 3 * Contexts.COUNT; i++) {
                Intracomm comm = world.dup();
                comm.Irecv(new int[1], 0, 1, MPI.INT, 0, TAG).Free();
                comm.Send(new int[1], 0, 1, MPI.INT, 0, TAG);
                comm.Free();
                if (i % 1000 == 0) {
                    made.add(new WeakReference<>(comm));
                }
            }
            for (int i = 0; i < 100 && made.stream().anyMatch(each -> each.get() != null); i++) {
                world.dup().Free();
                System.gc();
            }
            assertThat(made).as("communicators that something holds").allMatch(each -> each.get() == null);
        });
    }

    @Test
    void freeingAKeyvalReleasesItsAttributeValues() throws Exception {
        Ranks.run(1, (world, rank) -> {
            Datatype type = Datatype.Contiguous(2, MPI.INT);
            int highest = 0;
            List<WeakReference<Object>> hung = new ArrayList<>();
            for (int i = 0; i < 10 * Attributes.RESTING; i++) {
                int key = Comm.createKeyval();
                highest = Math.max(highest, key);
                Object value = new Object();
                world.setAttr(key, value);
                type.setAttr(key, value);
                assertThat(world.getAttr(key)).isSameAs(value);
                Comm.freeKeyval(key);
                assertThatThrownBy(() -> world.getAttr(key)).hasMessageContaining("is none that createKeyval has made");
                hung.add(new WeakReference<>(value));
            }
            assertThat(highest).as("numbers are used again").isLessThan(5 * Attributes.RESTING);
            for (int i = 0; i < 100 && hung.stream().anyMatch(each -> each.get() != null); i++) {
                System.gc();
                world.setAttr(Comm.createKeyval(), "and the next call drops what is left");
                type.setAttr(Datatype.createKeyval(), "here too");
            }
            assertThat(hung).as("values that something holds").allMatch(each -> each.get() == null);
        });
    }

    @Test
    void buffersOperationsGroupsAndDatatypes() {
        Ranks.run(1, (world, rank) -> {
            SendBuffer buffer = world.self.sendBuffer();
            List<WeakReference<Object>> made = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                byte[] room = new byte[1000];
                buffer.attach("attachBuffer", room, room.length);
                world.Bsend(new int[1], 0, 1, MPI.INT, 0, TAG);
                world.Recv(new int[1], 0, 1, MPI.INT, 0, TAG);
                buffer.detach("detachBuffer");
                buffer.replace(room, room.length);
                buffer.replace(new byte[1000], 1000);
                buffer.detach("detachBuffer");
                Datatype vector = Datatype.Vector(3, 1, 2, MPI.INT);
                vector.Commit();
                Op op = new Op(new Failing(), true);
                Group group = world.Group();
                if (i % 1000 == 0) {
                    List.of(room, vector, op, group).forEach(each -> made.add(new WeakReference<>(each)));
                }
                vector.free();
                op.free();
                group.free();
            }
            for (int i = 0; i < 100 && made.stream().anyMatch(each -> each.get() != null); i++) {
                System.gc();
            }
            assertThat(made).as("objects that something holds").allMatch(each -> each.get() == null);
        });
    }
}
