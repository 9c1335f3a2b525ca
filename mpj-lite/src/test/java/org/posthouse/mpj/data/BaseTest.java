package org.posthouse.mpj.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.wire.Wire;

/** The bytes of every datatype on the wire: golden, so that no version changes them unseen. */
class BaseTest {
    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    static Stream<Arguments> goldenBytes() {
        return Stream.of(
                Arguments.of(Base.BYTE, 1, new byte[] {1, -2}, bytes(0x01, 0xfe)),
                Arguments.of(Base.CHAR, 2, new char[] {'A', '\u0416'}, bytes(0x41, 0, 0x16, 0x04)),
                Arguments.of(Base.SHORT, 3, new short[] {0x0102, -2}, bytes(0x02, 0x01, 0xfe, 0xff)),
                Arguments.of(Base.BOOLEAN, 4, new boolean[] {true, false}, bytes(1, 0)),
                Arguments.of(Base.INT, 5, new int[] {0x01020304}, bytes(4, 3, 2, 1)),
                Arguments.of(Base.LONG, 6, new long[] {0x0102030405060708L}, bytes(8, 7, 6, 5, 4, 3, 2, 1)),
                Arguments.of(Base.FLOAT, 7, new float[] {1.0f}, bytes(0, 0, 0x80, 0x3f)),
                Arguments.of(Base.DOUBLE, 8, new double[] {-2.0}, bytes(0, 0, 0, 0, 0, 0, 0, 0xc0)),
                Arguments.of(Base.PACKED, 10, new byte[] {1, -2}, bytes(0x01, 0xfe)));
    }

    @ParameterizedTest
    @MethodSource("goldenBytes")
    void writesAndReadsLittleEndian(Base base, int code, Object array, byte[] expected) throws ReceiveException {
        int count = base.length(array);
        Content content = Plain.content(base, array, 0, count);
        assertThat(content.bytes()).isEqualTo(expected.length);
        assertThat(content.elements()).isEqualTo(count);
        assertThat(content.datatype()).isEqualTo(base.code()).isEqualTo(code);
        ByteBuffer wire = ByteBuffer.allocate(expected.length).order(ByteOrder.LITTLE_ENDIAN);
        content.write(0, wire);
        assertThat(wire.array()).isEqualTo(expected);

        Object room = Array.newInstance(array.getClass().getComponentType(), count);
        Sink sink = Plain.sink(base, room, 0, count);
        sink.begin(new Envelope(0, 0, expected.length, count, code));
        sink.read(0, wire.flip());
        sink.end();
        assertThat(Arrays.deepEquals(new Object[] {room}, new Object[] {array})).isTrue();
        assertThat(wire.hasRemaining()).isFalse();
    }

    @Test
    void theCodeOfObjectsIsNine() {
        assertThat(Base.OBJECT.code()).isEqualTo(9);
        assertThat(Base.values()).hasSize(10);
    }

    @ParameterizedTest
    @EnumSource
    void writesAnyPieceOfALongMessageAlone(Base base) {
        if (base == Base.OBJECT) {
            return;
        }
        int piece = Wire.PAYLOAD_BYTES_MAX / base.bytes();
        Object array = Array.newInstance(base.arrayClass().getComponentType(), 2 * piece + 10);
        Object mark = Array.get(base.arrayClass().cast(filled(base)), 0);
        Array.set(array, 3 + piece, mark);
        Content content = Plain.content(base, array, 3, 2 * piece + 5);
        ByteBuffer second = ByteBuffer.allocate(Wire.PAYLOAD_BYTES_MAX).order(ByteOrder.LITTLE_ENDIAN);
        content.write(Wire.PAYLOAD_BYTES_MAX, second);
        ByteBuffer one = ByteBuffer.allocate(base.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        Plain.content(base, filled(base), 0, 1).write(0, one);
        assertThat(Arrays.copyOf(second.array(), base.bytes())).isEqualTo(one.array());
        ByteBuffer last = ByteBuffer.allocate(5 * base.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        content.write(2L * Wire.PAYLOAD_BYTES_MAX, last);
        assertThat(last.hasRemaining()).isFalse();
    }

    private static Object filled(Base base) {
        Content one = Plain.content(base, Array.newInstance(base.arrayClass().getComponentType(), 1), 0, 1);
        Object array = Array.newInstance(base.arrayClass().getComponentType(), 1);
        byte[] bytes = new byte[base.bytes()];
        Arrays.fill(bytes, (byte) 1);
        Sink sink = Plain.sink(base, array, 0, 1);
        sink.read(0, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        assertThat(one.elements()).isEqualTo(1);
        return array;
    }

    @Test
    void refusesAMessageWhoseBytesAreNotItsElements() {
        Sink sink = Plain.sink(Base.INT, new int[8], 0, 8);
        assertThatThrownBy(() -> sink.begin(new Envelope(0, 0, 12, 4, Base.INT.code())))
                .isInstanceOf(ReceiveException.class)
                .hasMessageContaining("message of 12 bytes, expected 4 for each of its 4 INT elements");
    }

    @Test
    void errorNamesUnknownDatatypeCode() {
        Sink sink = Plain.sink(Base.INT, new int[8], 0, 8);
        assertThatThrownBy(() -> sink.begin(new Envelope(0, 0, 4, 1, 77)))
                .isInstanceOf(ReceiveException.class)
                .hasMessageContaining("1 datatype 77 elements, expected INT");
    }

    @Test
    void objectsThatCannotBeReadLeaveTheArrayAsItWas() throws ReceiveException {
        Object[] room = {"old"};
        Sink sink = Plain.sink(Base.OBJECT, room, 0, 1);
        sink.begin(new Envelope(0, 0, 3, 1, Base.OBJECT.code()));
        sink.read(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThatThrownBy(sink::end)
                .isInstanceOfSatisfying(
                        ReceiveException.class,
                        e -> assertThat(e.kind()).isEqualTo(ReceiveException.Kind.OBJECT))
                .hasMessageContaining("object 0 of 1 cannot be read back");
        assertThat(room).containsExactly("old");
    }
}
