package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.posthouse.mpj.data.ProgramObjectInput;

/** MPI.OBJECT: what may be sent, and whose classes come out. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ObjectsTest {
    /** A class of the program. */
    public static final class Parcel implements Serializable {
        private static final long serialVersionUID = 1L;
        final int weight;

        public Parcel(int weight) {
            this.weight = weight;
        }
    }

    @Test
    void carriesMatricesRowByRow() {
        Ranks.run(3, (world, rank) -> {
            double[][] matrix = new double[4][];
            if (rank == 0) {
                for (int row = 0; row < 4; row++) {
                    matrix[row] = new double[] {row, row * 10};
                }
            }
            world.Bcast(matrix, 1, 2, MPI.OBJECT, 0);
            assertThat(matrix[1]).containsExactly(1, 10);
            assertThat(matrix[2]).containsExactly(2, 20);
            assertThat(matrix[3] == null).isEqualTo(rank != 0);
        });
    }

    @Test
    void objectMessagePreservesNullsAndSharedReferences() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                List<String> shared = new ArrayList<>(List.of("x"));
                world.Send(new Object[] {null, shared, shared}, 0, 3, MPI.OBJECT, 1, 0);
            } else {
                Object[] room = {"old", "old", "old"};
                world.Recv(room, 0, 3, MPI.OBJECT, 0, 0);
                assertThat(room[0]).isNull();
                assertThat(room[1]).isEqualTo(List.of("x")).isSameAs(room[2]);
            }
        });
    }

    @Test
    void aRankGetsCopiesOfItsOwnObjectsToo() {
        Ranks.run(2, (world, rank) -> {
            Parcel[] mine = {new Parcel(rank)};
            Parcel[] all = new Parcel[2];
            world.Allgather(mine, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT);
            assertThat(all[rank].weight).isEqualTo(rank);
            assertThat(all[rank]).isNotSameAs(mine[0]);
        });
    }

    @Test
    void aResultIsNoObjectOfTheProgramsOwn() {
        Op heaviest = new Op(
                new UserFunction() {
                    @Override
                    public void call(Object in, Object inOut, int count, Datatype type) {
                        Parcel[] lower = (Parcel[]) in;
                        Parcel[] sum = (Parcel[]) inOut;
                        Arrays.setAll(sum, at -> lower[at] == null || sum[at].weight > lower[at].weight ? sum[at] : lower[at]);
                    }
                },
                true);
        Ranks.run(3, (world, rank) -> {
            Parcel[] mine = {new Parcel(3 - rank), null};
            Parcel[] sum = {null, new Parcel(0)};
            world.Reduce(mine, 0, sum, 0, 1, MPI.OBJECT, heaviest, 0);
            assertThat(sum[0]).isNotSameAs(mine[0]);
            world.Allreduce(mine, 0, sum, 0, 1, MPI.OBJECT, heaviest);
            assertThat(sum[0].weight).isEqualTo(3);
            assertThat(sum[0]).isNotSameAs(mine[0]);
            Parcel before = mine[0];
            world.Reduce(mine, 0, mine, 0, 1, MPI.OBJECT, heaviest, 0);
            assertThat(mine[0]).as("in its own place").isSameAs(before);
        });
    }

    /** Loads the program's classes a second time, as a launcher that runs ranks as threads would. */
    private static final class Second extends ClassLoader {
        Second() {
            super(ObjectsTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Parcel.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void findsClassesThroughTheContextClassLoader() {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                world.Send(new Object[] {new Parcel(3), int.class}, 0, 2, MPI.OBJECT, 1, 0);
                return;
            }
            Second loader = new Second();
            Thread.currentThread().setContextClassLoader(loader);
            Object[] room = new Object[2];
            world.Recv(room, 0, 2, MPI.OBJECT, 0, 0);
            assertThat(room[0].getClass().getName()).isEqualTo(Parcel.class.getName());
            assertThat(room[0].getClass().getClassLoader()).isSameAs(loader);
            assertThat(room[1]).isEqualTo(int.class);
        });
    }

    /** In a thread that a framework made, or of the common pool, whose context loader knows the platform's classes only. */
    @Test
    void resolvesClassesWithTheLoaderOfInitsCaller() {
        Second program = new Second();
        ProgramObjectInput.initCalledBy(program, null);
        try {
            assertThat(receivedIn(ClassLoader.getPlatformClassLoader(), new Object[1]).getClass().getClassLoader()).isSameAs(program);
            assertThat(receivedIn(null, new Object[1]).getClass().getClassLoader()).isSameAs(program);
            ProgramObjectInput.initCalledBy(null, program);
            assertThat(receivedIn(null, new Object[1]).getClass().getClassLoader()).isSameAs(program);
            Second context = new Second();
            assertThat(receivedIn(context, new Object[1]).getClass().getClassLoader()).as("the thread's own comes first").isSameAs(context);
        } finally {
            ProgramObjectInput.initCalledBy(null, null);
        }
    }

    @Test
    void findsClassesThroughThatOfTheReceivingArray() throws Exception {
        Second program = new Second();
        Object[] room = (Object[]) Array.newInstance(program.loadClass(Parcel.class.getName()), 1);
        assertThat(receivedIn(null, room).getClass().getClassLoader()).isSameAs(program);
    }

    /** A parcel that is received in a thread with this context class loader. */
    private static Object receivedIn(ClassLoader context, Object[] room) {
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                world.Send(new Object[] {new Parcel(3)}, 0, 1, MPI.OBJECT, 1, 0);
                return;
            }
            Thread.currentThread().setContextClassLoader(context);
            world.Recv(room, 0, 1, MPI.OBJECT, 0, 0);
        });
        return room[0];
    }

    /** As one is that takes more memory than there is. */
    private static final class Endless implements Serializable {
        private static final long serialVersionUID = 1L;

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.write(new byte[5000]);
            throw new OutOfMemoryError("Java heap space");
        }
    }

    @Test
    void anObjectThatTheHeapHasNoRoomForIsAnErrorOfTheCall() {
        Ranks.run(2, (world, rank) -> {
            for (Errhandler handler : new Errhandler[] {MPI.ERRORS_ARE_FATAL, MPI.ERRORS_RETURN}) {
                world.Errhandler_set(handler);
                Object[] endless = {"", new Endless()};
                requireTooLong("Send", () -> world.Send(endless, 0, 2, MPI.OBJECT, 1 - rank, 0));
                requireTooLong("Isend", () -> world.Isend(endless, 0, 2, MPI.OBJECT, 1 - rank, 0));
                requireTooLong("Pack", () -> world.Pack(endless, 0, 2, MPI.OBJECT, new byte[10000], 0));
                requireTooLong("Gather", () -> world.Gather(endless, 0, 2, MPI.OBJECT, new Object[4], 0, 2, MPI.OBJECT, 0));
            }
        });
    }

    private static void requireTooLong(String call, ThrowingCallable sending) {
        assertThatThrownBy(sending)
                .isInstanceOfSatisfying(MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_COUNT))
                .hasMessageStartingWith(call + " at rank ")
                .hasMessageContaining("of class mpi.ObjectsTest$Endless cannot be serialized: the message has ")
                .hasMessageContaining(" bytes so far, and the heap of " + Runtime.getRuntime().maxMemory() + " bytes has no room for more");
    }

    private static final int BROKEN = 2;

    /** Asserts when it is written. */
    private static final class Refusing implements Serializable {
        private static final long serialVersionUID = 1L;

        private void writeObject(ObjectOutputStream out) {
            throw new AssertionError("not this one");
        }
    }

    /** The lowest rank's values. */
    private static final Op FIRST = new Op(
            new User_function() {
                @Override
                public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
                    System.arraycopy(in, inAt, inOut, inOutAt, count);
                }
            },
            false);

    private interface Collect {
        void run(Intracomm world, Object[] mine, Object[] all);
    }

    /** Four objects of four ranks; the broken rank is the one that has to write. */
    private enum Moving {
        BCAST((world, mine, all) -> world.Bcast(mine, 0, 1, MPI.OBJECT, BROKEN)),
        GATHER((world, mine, all) -> world.Gather(mine, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT, 0)),
        SCATTER((world, mine, all) -> world.Scatter(mine, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT, BROKEN)),
        ALLGATHER((world, mine, all) -> world.Allgather(mine, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT)),
        ALLTOALL((world, mine, all) -> world.Alltoall(mine, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT)),
        REDUCE((world, mine, all) -> world.Reduce(mine, 0, all, 0, 4, MPI.OBJECT, FIRST, 3)),
        ALLREDUCE((world, mine, all) -> world.Allreduce(mine, 0, all, 0, 4, MPI.OBJECT, FIRST)),
        SCAN((world, mine, all) -> world.Scan(mine, 0, all, 0, 4, MPI.OBJECT, FIRST)),
        EXSCAN((world, mine, all) -> world.Exscan(mine, 0, all, 0, 4, MPI.OBJECT, FIRST)),
        IALLGATHER((world, mine, all) -> world.Iallgather(mine, 0, 1, MPI.OBJECT, all, 0, 1, MPI.OBJECT).Wait());

        final Collect call;

        Moving(Collect call) {
            this.call = call;
        }
    }

    private static void requireOthersGoOn(Intracomm world, int rank) {
        int[] from = {-1};
        world.Sendrecv(new int[] {rank}, 0, 1, MPI.INT, (rank + 1) % 4, 0, from, 0, 1, MPI.INT, (rank + 3) % 4, 0);
        world.Allreduce(from, 0, from, 0, 1, MPI.INT, MPI.SUM);
        assertThat(from).as("nothing of it is left").containsExactly(6);
    }

    /** Whoever catches it goes on, and so do all others. */
    @ParameterizedTest
    @EnumSource(Moving.class)
    void collectiveEndsAtAllRanksWhenOneCannotSerialize(Moving moving) {
        Ranks.run(4, (world, rank) -> {
            for (Object bad : new Object[] {new Object(), new Refusing()}) {
                Object[] mine = rank == BROKEN ? new Object[] {bad, bad, bad, bad} : new Object[] {"a", "b", "c", "d"};
                Throwable thrown = catchThrowable(() -> moving.call.run(world, mine, new Object[4]));
                if (rank != BROKEN) {
                    assertThat(thrown == null ? "" : thrown.getMessage()).matches("|.*the sender's own part in this call failed.*");
                } else if (bad instanceof Refusing) {
                    assertThat(thrown).isInstanceOf(AssertionError.class).hasMessage("not this one");
                } else {
                    assertThat(thrown)
                            .isInstanceOf(MPIException.class)
                            .hasMessageContaining(" at rank 2 of 4 in COMM_WORLD: the send buffer's element 0 of class java.lang.Object cannot be");
                }
                requireOthersGoOn(world, rank);
            }
        });
    }

    @Test
    void aResultThatOneRanksArrayCannotHoldEndsTheReductionAtAll() {
        Ranks.run(4, (world, rank) -> {
            Object[] result = rank == 0 ? new Integer[1] : new Object[1];
            Throwable thrown = catchThrowable(
                    () -> world.Allreduce(new Object[] {"" + rank}, 0, result, 0, 1, MPI.OBJECT, FIRST));
            assertThat(thrown).isInstanceOf(rank == 0 ? ArrayStoreException.class : MPIException.class);
            requireOthersGoOn(world, rank);
        });
    }

    /** Puts lists together, in the one of the higher ranks; keeps that of the lower ones where the higher have none. */
    private static final User_function MERGE = new User_function() {
        @Override
        @SuppressWarnings("unchecked")
        public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
            List<Integer> lower = (List<Integer>) ((Object[]) in)[inAt];
            List<Integer> higher = (List<Integer>) ((Object[]) inOut)[inOutAt];
            if (higher == null) {
                ((Object[]) inOut)[inOutAt] = lower;
            } else if (lower != null) {
                higher.addAll(0, lower);
            }
        }
    };

    @Test
    void reductionMayRetainObjectsAndMutateThemLater() {
        Ranks.run(8, (world, rank) -> {
            Object[] mine = {rank == 3 || rank == 4 ? null : new ArrayList<>(List.of(rank))};
            Object[] before = {null};
            world.Exscan(mine, 0, before, 0, 1, MPI.OBJECT, new Op(MERGE, false));
            List<Integer> expected = new ArrayList<>(List.of(0, 1, 2, 5, 6));
            expected.removeIf(lower -> lower >= rank);
            assertThat(before[0]).isEqualTo(rank == 0 ? null : expected);
        });
    }
}
