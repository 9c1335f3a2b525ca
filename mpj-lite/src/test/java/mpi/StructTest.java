package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records, pairs and complex numbers as views of buffers, written as programs for Open MPI write them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class StructTest {
    private static final class Vec2 extends Struct {
        private final int x = addFloat();
        private final int y = addFloat();

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            float x() {
                return getFloat(x);
            }

            float y() {
                return getFloat(y);
            }

            void set(float newX, float newY) {
                putFloat(x, newX);
                putFloat(y, newY);
            }
        }
    }

    /** One field of each kind, arrays too, and a record and a datatype inside. */
    private static final class Everything extends Struct {
        private final int b = addByte();
        private final int bs = addByte(3);
        private final int c = addChar();
        private final int cs = addChar(2);
        private final int s = addShort();
        private final int ss = addShort(2);
        private final int i = addInt();
        private final int is = addInt(2);
        private final int l = addLong();
        private final int ls = addLong(2);
        private final int f = addFloat();
        private final int fs = addFloat(2);
        private final int d = addDouble();
        private final int ds = addDouble(2);
        private final Vec2 vec = new Vec2();
        private final int v = addStruct(vec);
        private final int vs = addStruct(vec, 2);
        private final int t = addData(MPI.INT2);
        private final int ts = addData(MPI.SHORT, 3);

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {
            void fill(int seed) {
                putByte(b, (byte) seed);
                putByte(bs, 2, (byte) (seed + 1));
                putChar(c, (char) (seed + 2));
                putChar(cs, 1, (char) (seed + 3));
                putShort(s, (short) (seed + 4));
                putShort(ss, 1, (short) (seed + 5));
                putInt(i, seed + 6);
                putInt(is, 1, seed + 7);
                putLong(l, seed + 8);
                putLong(ls, 1, seed + 9);
                putFloat(f, seed + 10);
                putFloat(fs, 1, seed + 11);
                putDouble(d, seed + 12);
                putDouble(ds, 1, seed + 13);
                Vec2.Data one = getData(vec, v);
                one.set(seed + 14, seed + 15);
                Vec2.Data second = getData(vec, vs, 1);
                second.set(seed + 16, seed + 17);
                getBuffer(MPI.INT2, t).putInt(4, seed + 18);
                getBuffer(MPI.SHORT, ts, 2).putShort(0, (short) (seed + 19));
            }

            void require(int seed) {
                Vec2.Data one = getData(vec, v);
                Vec2.Data second = getData(vec, vs, 1);
                double[] actual = {
                    getByte(b), getByte(bs, 2), getChar(c), getChar(cs, 1), getShort(s), getShort(ss, 1), getInt(i),
                    getInt(is, 1), getLong(l), getLong(ls, 1), getFloat(f), getFloat(fs, 1), getDouble(d),
                    getDouble(ds, 1), one.x(), one.y(), second.x(), second.y(), getBuffer(MPI.INT2, t).getInt(4),
                    getBuffer(MPI.SHORT, ts, 2).getShort(0)
                };
                for (int each = 0; each < actual.length; each++) {
                    assertThat(actual[each]).isEqualTo(seed + each);
                }
            }
        }
    }

    @Test
    void placesFieldsOneBehindTheOther() {
        Everything struct = new Everything();
        int[] offsets = {
            struct.b, struct.bs, struct.c, struct.cs, struct.s, struct.ss, struct.i, struct.is, struct.l, struct.ls,
            struct.f, struct.fs, struct.d, struct.ds, struct.v, struct.vs, struct.t, struct.ts
        };
        assertThat(offsets)
                .containsExactly(0, 1, 4, 6, 10, 12, 16, 20, 28, 36, 52, 56, 64, 72, 88, 96, 112, 120);
        // 126 bytes of data; a multiple of the longs' 8.
        assertThat(struct.getExtent()).isEqualTo(128);
        assertThat(struct.getType().Size()).isEqualTo(126);
        assertThat(struct.getType().Extent()).isEqualTo(128);
    }

    @Test
    void structRecordsRoundTripAtEveryIndex() {
        Everything struct = new Everything();
        ByteBuffer buffer = ByteBuffer.allocateDirect(3 * struct.getExtent()).order(ByteOrder.nativeOrder());
        for (int each = 0; each < 3; each++) {
            Everything.Data data = struct.getData(buffer, each);
            data.fill(20 * each);
        }
        for (int each = 0; each < 3; each++) {
            Everything.Data data = struct.getData(buffer, each);
            data.require(20 * each);
        }
        assertThat(buffer.position()).isZero();
        Everything.Data second = struct.getData(buffer, 1);
        Everything.Data again = struct.getData(second.getBuffer());
        again.require(20);
        Everything.Data first = struct.getData(buffer);
        assertThat(first.getBuffer()).isSameAs(buffer);
    }

    @Test
    void travelsInAByteArray() {
        Everything struct = new Everything();
        Ranks.run(2, (world, rank) -> {
            byte[] records = new byte[2 * struct.getExtent()];
            if (rank == 0) {
                Everything.Data first = struct.getData(records);
                first.fill(40);
                Everything.Data second = struct.getData(records, 1);
                second.fill(60);
                world.Send(records, 0, 2, struct.getType(), 1, 0);
            } else {
                Status status = world.Recv(records, 0, 2, struct.getType(), 0, 0);
                assertThat(status.Get_count(struct.getType())).isEqualTo(2);
                Everything.Data second = struct.getData(records, 1);
                second.require(60);
            }
        });
    }

    @Test
    void setsOffsetsForward() {
        Vec2 struct = new Vec2();
        struct.setOffset(12).setOffset(13);
        assertThat(struct.addByte()).isEqualTo(13);
        assertThatThrownBy(() -> struct.setOffset(13))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("setOffset: offset is 13, expected at least the end of the fields so far, 14");
        assertThatThrownBy(() -> struct.addInt(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(struct.getExtent()).isEqualTo(16);
        assertThat(struct.getType().Size()).isEqualTo(9);
        assertThatThrownBy(struct::addInt).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> struct.setOffset(99)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> new Vec2().addData(MPI.OBJECT)).hasMessageContaining("expected one of bytes");
    }

    /** A record with a pair of ints inside, whose datatype is not one of bytes. */
    private static final class Holder extends Struct {
        private final int at = addByte();
        private final int pair = addStruct(MPI.int2, 2);

        @Override
        protected Data newData() {
            return new Data();
        }

        final class Data extends Struct.Data {}
    }

    @Test
    void holdsPairsOfInts() {
        Holder holder = new Holder();
        assertThat(holder.at).isZero();
        assertThat(holder.pair).isEqualTo(1);
        assertThat(holder.getExtent()).isEqualTo(20);
        assertThat(holder.getType().Size()).isEqualTo(17);
    }

    /** Its bounds are its data's, and the padding; only markers would hold for the struct around it (MPI-1.1, 3.12.3). */
    @Test
    void aRecordOrPairInAStructIsPartOfItsExtent() {
        requireBounds(24, MPI.DOUBLE_INT, 16, MPI.DOUBLE, 1);
        requireBounds(24, MPI.LONG, 8, MPI.LONG_INT, 1);
        requireBounds(24, MPI.INT, 8, MPI.SHORT_INT, 2);
        requireBounds(16, MPI.INT, 8, MPI.FLOAT_INT, 1);
        requireBounds(16, new Vec2().getType(), 8, MPI.DOUBLE, 1);
        requireBounds(32, MPI.DOUBLE, 16, new Mixed().getType(), 1);
        ByteBuffer records = ByteBuffer.allocateDirect(48).order(ByteOrder.nativeOrder());
        records.putDouble(16, 1).putDouble(24, 2).putInt(32, 3).putDouble(40, 4);
        Datatype pairAndDouble =
                Datatype.createStruct(new int[] {1, 1}, new int[] {0, 16}, new Datatype[] {MPI.DOUBLE_INT, MPI.DOUBLE});
        Ranks.run(1, (world, rank) -> {
            byte[] packed = new byte[40];
            assertThat(world.Pack(records, 0, 2, pairAndDouble, packed, 0)).isEqualTo(40);
            ByteBuffer data = ByteBuffer.wrap(packed).order(ByteOrder.nativeOrder());
            assertThat(data.getDouble(20)).isEqualTo(2);
            assertThat(data.getInt(28)).isEqualTo(3);
            assertThat(data.getDouble(32)).isEqualTo(4);
        });
    }

    /** Two doubles, one of them a datatype of the program's own. */
    private static final class Doubles extends Struct {
        private final int first = addDouble();

        Doubles() {
            Datatype one = Datatype.Contiguous(1, MPI.DOUBLE);
            addData(one);
            one.free();
        }

        @Override
        protected Data newData() {
            return new Data();
        }

        private final class Data extends Struct.Data {
            double sum() {
                return getDouble(first) + getDouble(first, 1);
            }
        }
    }

    /** Of a record of one kind of element, too, which it is made of otherwise. */
    @Test
    void aRecordMayLieAnywhereAmongBytes() {
        Ranks.run(1, (world, rank) -> {
            Datatype type = new Vec2().getType();
            assertThat(Datatype.createResized(type, 0, 9).getExtent()).isEqualTo(9);
            assertThat(Datatype.createHVector(2, 1, 9, type).getExtent()).isEqualTo(17);
            Datatype behindHeads = Datatype.createHIndexed(new int[] {1, 1}, new int[] {1, 10}, type);
            assertThat(behindHeads.getExtent()).isEqualTo(17);
            behindHeads.commit();
            byte[] all = new byte[18];
            for (int i = 0; i < all.length; i++) {
                all[i] = (byte) i;
            }
            byte[] got = new byte[18];
            Request request = world.iRecv(ByteBuffer.wrap(got), 1, behindHeads, 0, 0);
            world.send(all, 1, behindHeads, 0, 0);
            request.waitFor();
            assertThat(got).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 10, 11, 12, 13, 14, 15, 16, 17);
        });
    }

    /** Messages match by the elements that they have (MPI-1.1, 3.3.1), however these lie. */
    @Test
    void aRecordOfOneKindOfElementMatchesMessagesOfThese() {
        Ranks.run(2, (world, rank) -> {
            Vec2 vec = new Vec2();
            ByteBuffer record = ByteBuffer.allocate(2 * vec.getExtent());
            byte[] array = new byte[vec.getExtent()];
            float[] floats = {7, 8, 9, 10};
            Doubles doubles = new Doubles();
            byte[] all = new byte[2 * doubles.getExtent()];
            world.gather(new double[] {rank, 10}, 2, MPI.DOUBLE, all, 1, doubles.getType(), 0);
            if (rank == 0) {
                assertThat(doubles.<Doubles.Data>getData(all, 1).sum()).isEqualTo(11);
                world.send(floats, 4, MPI.FLOAT, 1, 0);
                world.send(floats, 2, MPI.FLOAT, 1, 0);
                world.recv(floats, 4, MPI.FLOAT, 1, 0);
                assertThat(floats).containsExactly(7, 8, 9, 11);
            } else {
                Status status = world.recv(record, 2, vec.getType(), 0, 0);
                assertThat(status.getCount(vec.getType())).isEqualTo(2);
                assertThat(status.getElements(vec.getType())).isEqualTo(4);
                Vec2.Data second = vec.getData(record, 1);
                assertThat(second.y()).isEqualTo(10);
                second.set(9, 11);
                world.recv(array, 1, vec.getType(), 0, 0);
                assertThat(vec.<Vec2.Data>getData(array).y()).isEqualTo(8);
                world.send(record, 2, vec.getType(), 0, 0);
            }
        });
    }

    private static void requireBounds(int extent, Datatype one, int second, Datatype other, int others) {
        Datatype struct = Datatype.createStruct(
                new int[] {1, others}, new int[] {0, second}, new Datatype[] {one, other});
        assertThat(struct.getLb()).isZero();
        assertThat(struct.getExtent()).as("%s, %s", one, other).isEqualTo(extent);
    }

    @Test
    void viewsPairs() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        Int2.Data ints = MPI.int2.getData(buffer, 1);
        ints.putValue(1);
        ints.putIndex(2);
        assertThat(buffer.getInt(8)).isEqualTo(ints.getValue()).isEqualTo(1);
        assertThat(buffer.getInt(12)).isEqualTo(ints.getIndex()).isEqualTo(2);
        ShortInt.Data shorts = MPI.shortInt.getData(buffer, 1);
        shorts.putValue((short) 3);
        shorts.putIndex(4);
        assertThat(buffer.getShort(8)).isEqualTo(shorts.getValue()).isEqualTo((short) 3);
        assertThat(buffer.getInt(12)).isEqualTo(shorts.getIndex()).isEqualTo(4);
        FloatInt.Data floats = MPI.floatInt.getData(buffer, 1);
        floats.putValue(5);
        floats.putIndex(6);
        assertThat(buffer.getFloat(8)).isEqualTo(floats.getValue()).isEqualTo(5);
        assertThat(buffer.getInt(12)).isEqualTo(floats.getIndex()).isEqualTo(6);
        LongInt.Data longs = MPI.longInt.getData(buffer, 1);
        longs.putValue(7);
        longs.putIndex(8);
        assertThat(buffer.getLong(16)).isEqualTo(longs.getValue()).isEqualTo(7);
        assertThat(buffer.getInt(24)).isEqualTo(longs.getIndex()).isEqualTo(8);
        DoubleInt.Data doubles = MPI.doubleInt.getData(buffer, 1);
        doubles.putValue(9);
        doubles.putIndex(10);
        assertThat(buffer.getDouble(16)).isEqualTo(doubles.getValue()).isEqualTo(9);
        assertThat(buffer.getInt(24)).isEqualTo(doubles.getIndex()).isEqualTo(10);
    }

    @Test
    void pairStructsHaveMatchingDatatypeAndExtent() {
        Struct[] structs = {MPI.int2, MPI.shortInt, MPI.longInt, MPI.floatInt, MPI.doubleInt};
        Datatype[] types = {MPI.INT2, MPI.SHORT_INT, MPI.LONG_INT, MPI.FLOAT_INT, MPI.DOUBLE_INT};
        for (int each = 0; each < structs.length; each++) {
            assertThat(structs[each].getType()).isSameAs(types[each]);
            assertThat(structs[each].getExtent()).isEqualTo(types[each].Extent() * types[each].bytes());
        }
    }

    @Test
    void locatesWithAPairsView() {
        Ranks.run(4, (world, rank) -> {
            byte[] mine = new byte[MPI.doubleInt.getExtent()];
            DoubleInt.Data pair = MPI.doubleInt.getData(mine);
            pair.putValue(rank == 2 ? 0.5 : 0.25);
            pair.putIndex(rank);
            byte[] all = new byte[MPI.doubleInt.getExtent()];
            world.Allreduce(mine, 0, all, 0, 1, MPI.DOUBLE_INT, MPI.MAXLOC);
            DoubleInt.Data greatest = MPI.doubleInt.getData(all);
            assertThat(greatest.getValue()).isEqualTo(0.5);
            assertThat(greatest.getIndex()).isEqualTo(2);
        });
    }

    /** Fields of two widths, and a gap between them. */
    private static final class Mixed extends Struct {
        private final int number = addInt();
        private final int value = setOffset(8).addDouble();

        @Override
        protected Data newData() {
            return new Data();
        }

        private final class Data extends Struct.Data {
            void set(int newNumber, double newValue) {
                putInt(number, newNumber);
                putDouble(value, newValue);
            }

            int number() {
                return getInt(number);
            }

            double value() {
                return getDouble(value);
            }
        }
    }

    private static final Mixed MIXED = new Mixed();

    private static void add(Mixed.Data to, Mixed.Data more) {
        to.set(to.number() + more.number(), to.value() + more.value());
    }

    private static final UserFunction ADD_IN_ARRAYS = new UserFunction() {
        @Override
        public void call(Object in, Object inOut, int count, Datatype type) {
            for (int i = 0; i < count; i++) {
                add(MIXED.getData((byte[]) inOut, i), MIXED.getData((byte[]) in, i));
            }
        }
    };

    private static final UserFunction ADD_IN_BUFFERS = new UserFunction() {
        @Override
        public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
            for (int i = 0; i < count; i++) {
                add(MIXED.getData(inOut, i), MIXED.getData(in, i));
            }
        }
    };

    /** Eight records, multiples of a seed; the byte order and the kind of buffer are the rank's. */
    private static ByteBuffer records(int rank, int seed) {
        int bytes = 8 * MIXED.getExtent();
        ByteBuffer room = rank < 2 ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
        room.order(rank % 2 == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 8; i++) {
            MIXED.<Mixed.Data>getData(room, i).set(70_000 * seed * (i + 1), seed * (i + 1) / 4.0);
        }
        return room;
    }

    private static void require(ByteBuffer room, int first, int second) {
        int at = 0;
        for (int expected : new int[] {first, second}) {
            Mixed.Data record = MIXED.getData(room, at++);
            assertThat(record.number()).isEqualTo(70_000 * expected);
            assertThat(record.value()).isEqualTo(expected / 4.0);
        }
    }

    @Test
    void reducesRecordsInBuffersOfAnyByteOrder() {
        Ranks.run(4, (world, rank) -> {
            Datatype type = MIXED.getType();
            Intracomm half = world.Split(rank % 2, rank);
            Intercomm halves = world.Create_intercomm(half, 0, 1 - rank % 2, 0);
            for (UserFunction function : List.of(ADD_IN_ARRAYS, ADD_IN_BUFFERS)) {
                Op op = new Op(function, false);
                ByteBuffer mine = records(rank, rank + 1);
                ByteBuffer result = records(3 - rank, 0);
                world.allReduce(mine, result, 2, type, op);
                require(result, 10, 20);
                world.reduce(mine, result, 2, type, op, 1);
                require(result, 10, 20);
                world.scan(mine, result, 2, type, op);
                int upToHere = (rank + 1) * (rank + 2) / 2;
                require(result, upToHere, 2 * upToHere);
                world.exScan(mine, result, 2, type, op);
                int before = rank == 0 ? upToHere : upToHere - rank - 1;
                require(result, before, 2 * before);
                world.reduceScatterBlock(mine, result, 2, type, op);
                require(result, 10 * (2 * rank + 1), 10 * (2 * rank + 2));
                halves.allReduce(mine, result, 2, type, op);
                int others = rank % 2 == 0 ? 6 : 4;
                require(result, others, 2 * others);
                Comm.reduceLocal(mine, result, 2, type, op);
                require(result, others + rank + 1, 2 * (others + rank + 1));
                require(mine, rank + 1, 2 * (rank + 1));
                world.allReduce(mine, 2, type, op);
                require(mine, 10, 20);
            }
        });
    }

    @Test
    void locatesInABufferOfAnyByteOrder() {
        Ranks.run(3, (world, rank) -> {
            ByteOrder order = rank == 0 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
            ByteBuffer mine = ByteBuffer.allocate(16).order(order);
            ByteBuffer greatest = ByteBuffer.allocateDirect(16).order(order);
            DoubleInt.Data pair = MPI.doubleInt.getData(mine);
            pair.putValue(new double[] {1.5, -7, 3.25}[rank]);
            pair.putIndex(rank);
            world.allReduce(mine, greatest, 1, MPI.DOUBLE_INT, MPI.MAXLOC);
            DoubleInt.Data found = MPI.doubleInt.getData(greatest);
            assertThat(found.getValue()).isEqualTo(3.25);
            assertThat(found.getIndex()).isEqualTo(2);
        });
    }

    @Test
    void viewsComplexNumbers() {
        double[] doubles = new double[4];
        DoubleComplex second = DoubleComplex.get(doubles, 1);
        second.putReal(1);
        second.putImag(2);
        assertThat(doubles).containsExactly(0, 0, 1, 2);
        assertThat(second.getBuffer().get(1)).isEqualTo(second.getImag()).isEqualTo(2);
        assertThat(DoubleComplex.get(DoubleBuffer.wrap(doubles), 1).getReal()).isEqualTo(1);
        ByteBuffer bytes = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder());
        DoubleComplex.get(bytes, 1).putImag(3);
        DoubleComplex.get(bytes).putReal(4);
        assertThat(bytes.getDouble(24)).isEqualTo(3);
        assertThat(bytes.getDouble(0)).isEqualTo(4);
        DoubleBuffer whole = DoubleBuffer.wrap(doubles);
        assertThat(DoubleComplex.get(whole).getBuffer()).isSameAs(whole);
        assertThat(DoubleComplex.get(doubles).getImag()).isZero();

        float[] floats = new float[4];
        FloatComplex.get(floats, 1).putReal(5);
        FloatComplex.get(floats).putImag(6);
        assertThat(floats).containsExactly(0, 6, 5, 0);
        assertThat(FloatComplex.get(FloatBuffer.wrap(floats), 1).getReal()).isEqualTo(5);
        assertThat(FloatComplex.get(FloatBuffer.wrap(floats)).getImag()).isEqualTo(6);
        assertThat(FloatComplex.get(floats, 1).getBuffer().get(0)).isEqualTo(5);
        FloatComplex.get(bytes, 1).putReal(7);
        assertThat(bytes.getFloat(8)).isEqualTo(FloatComplex.get(bytes, 1).getReal()).isEqualTo(7);
    }
}
