package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is registered comes back as it was saved, whatever it became meanwhile. */
final class SavedPartTest {
    /** More than one piece of each. */
    private static final int ELEMENTS = 70_001;

    private static byte[] save(SavedPart part) throws IOException {
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(image);
        part.write("it", out);
        out.writeInt(0x5afe);
        return image.toByteArray();
    }

    private static void load(SavedPart part, byte[] image) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(image));
        part.read("it", in);
        assertThat(in.readInt()).as("what comes behind it").isEqualTo(0x5afe);
    }

    static Stream<Object> arrays() {
        return Stream.of(new byte[ELEMENTS], new boolean[ELEMENTS], new char[ELEMENTS], new short[ELEMENTS], new int[ELEMENTS],
                new float[ELEMENTS], new long[ELEMENTS], new double[ELEMENTS]);
    }

    private static void fill(Object array, long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < ELEMENTS; i++) {
            switch (array.getClass().getComponentType().getName()) {
                case "boolean" -> Array.setBoolean(array, i, random.nextBoolean());
                case "char" -> Array.setChar(array, i, (char) random.nextInt());
                case "float" -> Array.setFloat(array, i, random.nextFloat());
                case "double" -> Array.setDouble(array, i, random.nextDouble());
                case "short" -> Array.setShort(array, i, (short) random.nextInt());
                case "int" -> Array.setInt(array, i, random.nextInt());
                case "long" -> Array.setLong(array, i, random.nextLong());
                default -> Array.setByte(array, i, (byte) random.nextInt());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("arrays")
    void arraysComeBackInPlace(Object array) throws IOException {
        Object expected = Array.newInstance(array.getClass().getComponentType(), ELEMENTS);
        fill(expected, 1);
        fill(array, 1);
        SavedPart part = SavedPart.ofArray(array);
        byte[] image = save(part);
        fill(array, 2);
        load(part, image);
        assertThat(array).isEqualTo(expected);
    }

    /** Of as many elements as can be, without the memory. */
    private static final class Endless extends SavedPart.InPlace {
        private long got;
        private long put;

        Endless(int elementBytes) {
            super(Integer.MAX_VALUE, elementBytes);
        }

        @Override
        void get(int from, int count, ByteBuffer to) {
            assertThat(from).isEqualTo((int) got);
            got += count;
        }

        @Override
        void put(int from, int count, ByteBuffer in) {
            assertThat(from).isEqualTo((int) put);
            put += count;
        }
    }

    /** Before, the last step of an array of nearly 2^31 elements went past the greatest int, and the array was neither saved nor restored. */
    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void anArrayMayBeAsLongAsAnyCanBe(int elementBytes) throws IOException {
        Endless array = new Endless(elementBytes);
        array.write("it", new DataOutputStream(OutputStream.nullOutputStream()));
        array.read("it", new DataInputStream(new SequenceInputStream(
                new ByteArrayInputStream(ByteBuffer.allocate(Integer.BYTES).putInt(Integer.MAX_VALUE).array()), new Zeros())));
        assertThat(array.got).isEqualTo(Integer.MAX_VALUE);
        assertThat(array.put).isEqualTo(Integer.MAX_VALUE);
    }

    private static final class Zeros extends InputStream {
        @Override
        public int read() {
            return 0;
        }

        @Override
        public int read(byte[] to, int from, int count) {
            return count;
        }
    }

    static Stream<Buffer> buffers() {
        return Stream.of(ByteBuffer.allocate(ELEMENTS), ByteBuffer.allocateDirect(ELEMENTS), CharBuffer.allocate(ELEMENTS),
                ShortBuffer.allocate(ELEMENTS), IntBuffer.allocate(ELEMENTS), FloatBuffer.allocate(ELEMENTS),
                LongBuffer.allocate(ELEMENTS), DoubleBuffer.allocate(ELEMENTS),
                ByteBuffer.allocateDirect(8 * ELEMENTS).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer());
    }

    private static void set(Buffer buffer, int seed) {
        for (int i = 0; i < ELEMENTS; i++) {
            int value = seed * (i + 1);
            if (buffer instanceof ByteBuffer b) {
                b.put(i, (byte) value);
            } else if (buffer instanceof CharBuffer b) {
                b.put(i, (char) value);
            } else if (buffer instanceof ShortBuffer b) {
                b.put(i, (short) value);
            } else if (buffer instanceof IntBuffer b) {
                b.put(i, value);
            } else if (buffer instanceof FloatBuffer b) {
                b.put(i, value);
            } else if (buffer instanceof LongBuffer b) {
                b.put(i, value);
            } else {
                ((DoubleBuffer) buffer).put(i, value);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void buffersComeBackInPlaceWithTheirPositions(Buffer buffer) throws IOException {
        set(buffer, 3);
        buffer.position(5).limit(50_000);
        SavedPart part = SavedPart.ofBuffer(buffer);
        byte[] image = save(part);
        buffer.clear();
        byte[] same = save(part);
        set(buffer, 7);
        load(part, image);
        assertThat(buffer.position()).isEqualTo(5);
        assertThat(buffer.limit()).isEqualTo(50_000);
        buffer.clear();
        assertThat(save(part)).as("its content").isEqualTo(same);
    }

    @Test
    void objectsComeBackAndNothingBehindThemIsRead() throws IOException {
        List<Object> value = new ArrayList<>(List.of("a", 7));
        List<Object> back = new ArrayList<>();
        SavedPart part = SavedPart.ofObject(() -> value, back::add);
        byte[] image = save(part);
        value.add("later");
        load(part, image);
        assertThat(back).containsExactly(List.of("a", 7));
    }

    @Test
    void saysThatAnArrayHasAnotherLength() throws IOException {
        byte[] image = save(SavedPart.ofArray(new int[3]));
        assertThatThrownBy(() -> load(SavedPart.ofArray(new int[4]), image)).hasMessageContaining("\"it\" has 4 elements, and had 3");
    }
}
