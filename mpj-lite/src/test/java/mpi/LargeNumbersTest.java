package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.operation.Envelope;

/** Counts, sizes and displacements near the end of int and beyond it, none of which needs the memory that it counts. */
class LargeNumbersTest {
    private static final int MANY = 20_000_000;

    /** Of a message of so many longs: as bytes, they are eight times as many. */
    private static Status received(int longs) {
        return Status.of(0, new Envelope(0, 0, 8L * longs, longs, Base.LONG.code()));
    }

    @Test
    void statusCountIsUndefinedWhenItOverflowsInt() {
        Status status = received(270_000_000);
        assertThat(status.Get_count(MPI.LONG)).isEqualTo(270_000_000);
        assertThat(status.count).isEqualTo(270_000_000);
        assertThat(status.Get_count(MPI.INT)).isEqualTo(540_000_000);
        assertThat(status.Get_count(MPI.BYTE)).isEqualTo(MPI.UNDEFINED);
        assertThat(status.getCount(MPI.BYTE)).isEqualTo(MPI.UNDEFINED);
        assertThat(status.Get_elements(MPI.BYTE)).isEqualTo(MPI.UNDEFINED);
        assertThat(status.getElements(MPI.PACKED)).isEqualTo(MPI.UNDEFINED);
        assertThat(status.getElementsX(MPI.BYTE).getCount()).isEqualTo(2_160_000_000L);
        assertThat(status.Get_count(Datatype.Contiguous(8, MPI.BYTE))).isEqualTo(270_000_000);
        assertThat(received(268_435_455).Get_count(MPI.BYTE)).as("the last that an int can tell").isEqualTo(2_147_483_640);
        assertThat(received(268_435_456).Get_count(MPI.BYTE)).isEqualTo(MPI.UNDEFINED);
    }

    @Test
    void byteSizesAreUndefinedWhenTheyOverflowInt() {
        Datatype pairs = Datatype.createContiguous(300_000_000, MPI.INT2);
        assertThat(pairs.Size()).isEqualTo(600_000_000);
        assertThat(pairs.getSize()).isEqualTo(MPI.UNDEFINED);
        assertThat(pairs.getExtent()).isEqualTo(MPI.UNDEFINED);
        assertThat(pairs.getTrueExtent()).isEqualTo(MPI.UNDEFINED);
        Datatype far = Datatype.Hindexed(new int[] {1}, new int[] {600_000_000}, MPI.INT2);
        assertThat(far.Lb()).isEqualTo(600_000_000);
        assertThat(far.getLb()).isEqualTo(MPI.UNDEFINED);
        assertThat(far.getTrueLb()).isEqualTo(MPI.UNDEFINED);
        assertThat(far.getSize()).isEqualTo(8);
    }

    private static long allocated(Runnable what) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        what.run();
        long before = threads.getCurrentThreadAllocatedBytes();
        what.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void aRegularDatatypeOfAnyLengthTakesHardlyAnyMemory() {
        Datatype record = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.DOUBLE, MPI.INT});
        Runnable[] making = {
            () -> Datatype.Vector(MANY, 1, 2, MPI.DOUBLE),
            () -> Datatype.Hvector(MANY, 3, 7, MPI.INT),
            () -> Datatype.createHVector(MANY, 1, 24, MPI.DOUBLE),
            () -> Datatype.Contiguous(MANY, Datatype.Vector(3, 1, 4, MPI.BYTE)),
            () -> Datatype.Hvector(20, 1, 50_000_000, Datatype.Vector(MANY, 1, 2, MPI.BYTE)),
            () -> Datatype.Struct(new int[] {MANY, MANY}, new int[] {0, 1_000_000_000}, new Datatype[] {MPI.SHORT2, Datatype.Vector(2, 1, 3, MPI.SHORT)}),
            () -> Datatype.createStruct(new int[] {MANY, 1}, new int[] {0, 16 * MANY}, new Datatype[] {record, MPI.BYTE}),
            () -> Datatype.createResized(Datatype.createContiguous(MANY, record), 0, 2_000_000_000).dup(),
        };
        for (int i = 0; i < making.length; i++) {
            assertThat(allocated(making[i])).as("bytes allocated for datatype " + i).isLessThan(50_000);
        }
    }

    @Test
    void elementsOfRecordsAreCountedWithoutAListOfThem() {
        Datatype record = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.DOUBLE, MPI.INT});
        Datatype many = Datatype.createStruct(new int[] {MANY, 1}, new int[] {0, 16 * MANY}, new Datatype[] {record, MPI.BYTE});
        Status status = new Status();
        for (int elements : new int[] {0, 1, 2, 3, 2 * MANY, 2 * MANY + 1}) {
            status.setElements(many, elements);
            assertThat(status.getElements(many)).isEqualTo(elements);
        }
        assertThat(Status.of(0, new Envelope(0, 0, 13, 13, Base.BYTE.code())).getElements(many)).as("a part of an int").isEqualTo(MPI.UNDEFINED);
        assertThat(Status.of(0, new Envelope(0, 0, 20, 20, Base.BYTE.code())).getElements(many)).isEqualTo(3);
    }

    @Test
    void aDatatypeBeyondIntIsRefused() {
        Datatype twice = Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.DOUBLE, MPI.INT});
        ThrowingCallable[] making = {
            () -> Datatype.Contiguous(1 << 30, MPI.INT2),
            () -> Datatype.Vector(3, 1, 1 << 30, MPI.INT),
            () -> Datatype.Hindexed(new int[] {1, 1}, new int[] {-1 << 30, 3 << 29}, MPI.BYTE),
            () -> Datatype.createStruct(new int[] {1 << 28}, new int[] {0}, new Datatype[] {twice}),
            () -> Datatype.createStruct(new int[] {1, 1}, new int[] {0, 1}, new Datatype[] {Datatype.Contiguous(1 << 29, MPI.DOUBLE), MPI.BYTE}),
            () -> Datatype.createResized(MPI.BYTE, Integer.MAX_VALUE, 1),
            () -> new Struct() {
                final int first = addDouble(100_000_000);
                final int second = addDouble(200_000_000);

                @Override
                protected Data newData() {
                    throw new AssertionError();
                }
            },
        };
        for (ThrowingCallable each : making) {
            assertThatThrownBy(each).isInstanceOf(MPIException.class).hasMessageContaining("beyond the range of int");
        }
    }

    @Test
    void aMessageOfAVeryLongVectorIsTheFewElementsThatAreThere() {
        Datatype vector = Datatype.Vector(MANY, 1, 2, MPI.BYTE);
        byte[] bytes = new byte[2 * MANY];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        Ranks.run(2, (world, rank) -> {
            if (rank == 0) {
                world.Send(bytes, 0, 1, vector, 1, 0);
                return;
            }
            byte[] packed = new byte[MANY];
            Status status = world.Recv(packed, 0, MANY, MPI.BYTE, 0, 0);
            assertThat(status.Get_count(vector)).isEqualTo(1);
            for (int i = 0; i < MANY; i += 999_983) {
                assertThat(packed[i]).isEqualTo((byte) (2 * i));
            }
        });
    }
}
