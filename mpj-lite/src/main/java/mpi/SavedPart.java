package mpi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectOutputStream;
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
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.posthouse.mpj.data.ProgramObjectInput;

/** One registered part of a program's state: how it is written into an image, and read from one. Confined to its program's thread. */
abstract class SavedPart {
    private static final int STEP_BYTES = 64 * 1024;

    abstract void write(String name, DataOutputStream out) throws IOException;

    abstract void read(String name, DataInputStream in) throws IOException;

    static SavedPart of(Checkpoint.Save save, Checkpoint.Load load) {
        return new SavedPart() {
            @Override
            void write(String name, DataOutputStream out) throws IOException {
                save.save(out);
            }

            @Override
            void read(String name, DataInputStream in) throws IOException {
                load.load(in);
            }
        };
    }

    static SavedPart ofObject(Supplier<?> value, Consumer<Object> restore) {
        return new SavedPart() {
            @Override
            void write(String name, DataOutputStream out) throws IOException {
                writeObject(value.get(), out);
            }

            @Override
            void read(String name, DataInputStream in) throws IOException {
                restore.accept(readObject(name, in));
            }
        };
    }

    /**
     * An object that the program may replace.
     *
     * @param initial the one that was registered: an array is written and read in place as long as it is the value
     */
    static SavedPart ofValue(Object initial, Supplier<?> value, Consumer<Object> restore) {
        SavedPart another = ofObject(value, restore);
        if (initial == null || !initial.getClass().isArray()) {
            return another;
        }
        SavedPart inPlace = initial instanceof Object[] array ? ofElements(array) : ofArray(initial);
        return new SavedPart() {
            @Override
            void write(String name, DataOutputStream out) throws IOException {
                boolean same = value.get() == initial;
                out.writeBoolean(same);
                (same ? inPlace : another).write(name, out);
            }

            @Override
            void read(String name, DataInputStream in) throws IOException {
                if (in.readBoolean()) {
                    inPlace.read(name, in);
                    restore.accept(initial);
                } else {
                    another.read(name, in);
                }
            }
        };
    }

    /** @param array of objects, of arrays for one, which are others when it was read */
    private static SavedPart ofElements(Object[] array) {
        return new SavedPart() {
            @Override
            void write(String name, DataOutputStream out) throws IOException {
                writeObject(array, out);
            }

            @Override
            void read(String name, DataInputStream in) throws IOException {
                Object[] saved = (Object[]) readObject(name, in);
                requireLength(name, array.length, saved.length);
                System.arraycopy(saved, 0, array, 0, array.length);
            }
        };
    }

    private static void requireLength(String name, int elements, int saved) throws InvalidObjectException {
        if (saved != elements) {
            throw new InvalidObjectException("\"" + name + "\" has " + elements + " elements, and had " + saved);
        }
    }

    private static void writeObject(Object object, DataOutputStream out) throws IOException {
        ObjectOutputStream objects = new ObjectOutputStream(out);
        objects.writeObject(object);
        objects.flush();
    }

    private static Object readObject(String name, DataInputStream in) throws IOException {
        try {
            return new ProgramObjectInput(in, Thread.currentThread().getContextClassLoader(), null).readObject();
        } catch (ClassNotFoundException e) {
            throw new InvalidObjectException("\"" + name + "\" needs class " + e.getMessage() + ", which is not there");
        }
    }

    /** @param array of a primitive type */
    static SavedPart ofArray(Object array) {
        return new InPlace(Array.getLength(array), elementBytes(array)) {
            @Override
            void get(int from, int count, ByteBuffer to) {
                copy(array, from, count, to, true);
            }

            @Override
            void put(int from, int count, ByteBuffer in) {
                copy(array, from, count, in, false);
            }
        };
    }

    private static int elementBytes(Object array) {
        return switch (array.getClass().getComponentType().getName()) {
            case "boolean", "byte" -> Byte.BYTES;
            case "char", "short" -> Short.BYTES;
            case "int", "float" -> Integer.BYTES;
            default -> Long.BYTES;
        };
    }

    /** @param out whether the elements go out of the array, or into it */
    private static void copy(Object array, int from, int count, ByteBuffer bytes, boolean out) {
        if (array instanceof byte[] a) {
            if (out) {
                bytes.put(a, from, count);
            } else {
                bytes.get(a, from, count);
            }
        } else if (array instanceof boolean[] a) {
            for (int i = from; i < from + count; i++) {
                if (out) {
                    bytes.put((byte) (a[i] ? 1 : 0));
                } else {
                    a[i] = bytes.get() != 0;
                }
            }
        } else if (array instanceof char[] a) {
            copy(bytes.asCharBuffer(), CharBuffer.wrap(a, from, count), out);
        } else if (array instanceof short[] a) {
            copy(bytes.asShortBuffer(), ShortBuffer.wrap(a, from, count), out);
        } else if (array instanceof int[] a) {
            copy(bytes.asIntBuffer(), IntBuffer.wrap(a, from, count), out);
        } else if (array instanceof float[] a) {
            copy(bytes.asFloatBuffer(), FloatBuffer.wrap(a, from, count), out);
        } else if (array instanceof long[] a) {
            copy(bytes.asLongBuffer(), LongBuffer.wrap(a, from, count), out);
        } else {
            copy(bytes.asDoubleBuffer(), DoubleBuffer.wrap((double[]) array, from, count), out);
        }
    }

    /** A buffer's memory from 0 to its capacity. */
    static SavedPart ofBuffer(Buffer buffer) {
        SavedPart content = buffer instanceof ByteBuffer bytes
                ? ofBytes(bytes)
                : new InPlace(buffer.capacity(), Long.BYTES) {
                    @Override
                    void get(int from, int count, ByteBuffer to) {
                        copy(view(to, buffer), part(buffer, from, count), true);
                    }

                    @Override
                    void put(int from, int count, ByteBuffer in) {
                        copy(view(in, buffer), part(buffer, from, count), false);
                    }
                };
        return of(
                out -> {
                    out.writeInt(buffer.position());
                    out.writeInt(buffer.limit());
                    content.write("", out);
                },
                in -> {
                    int position = in.readInt();
                    int limit = in.readInt();
                    content.read("", in);
                    buffer.limit(limit).position(position);
                });
    }

    private static SavedPart ofBytes(ByteBuffer buffer) {
        return new InPlace(buffer.capacity(), Byte.BYTES) {
            @Override
            void get(int from, int count, ByteBuffer to) {
                to.put((ByteBuffer) part(buffer, from, count));
            }

            @Override
            void put(int from, int count, ByteBuffer in) {
                ((ByteBuffer) part(buffer, from, count)).put(in);
            }
        };
    }

    private static Buffer part(Buffer buffer, int from, int count) {
        return buffer.duplicate().clear().position(from).limit(from + count);
    }

    private static Buffer view(ByteBuffer bytes, Buffer like) {
        if (like instanceof CharBuffer) {
            return bytes.asCharBuffer();
        } else if (like instanceof ShortBuffer) {
            return bytes.asShortBuffer();
        } else if (like instanceof IntBuffer) {
            return bytes.asIntBuffer();
        } else if (like instanceof FloatBuffer) {
            return bytes.asFloatBuffer();
        }
        return like instanceof LongBuffer ? bytes.asLongBuffer() : bytes.asDoubleBuffer();
    }

    /** Copies elements between two buffers of one type: out of {@code elements} into {@code bytes}, or back. */
    private static void copy(Buffer bytes, Buffer elements, boolean out) {
        Buffer from = out ? elements : bytes;
        Buffer to = out ? bytes : elements;
        from.limit(from.position() + Math.min(from.remaining(), elements.remaining()));
        if (to instanceof CharBuffer b) {
            b.put((CharBuffer) from);
        } else if (to instanceof ShortBuffer b) {
            b.put((ShortBuffer) from);
        } else if (to instanceof IntBuffer b) {
            b.put((IntBuffer) from);
        } else if (to instanceof FloatBuffer b) {
            b.put((FloatBuffer) from);
        } else if (to instanceof LongBuffer b) {
            b.put((LongBuffer) from);
        } else {
            ((DoubleBuffer) to).put((DoubleBuffer) from);
        }
    }

    /** Elements that are written and read where they are, little-endian, a piece at a time. */
    abstract static class InPlace extends SavedPart {
        private final int elements;
        private final int elementBytes;

        InPlace(int elements, int elementBytes) {
            this.elements = elements;
            this.elementBytes = elementBytes;
        }

        abstract void get(int from, int count, ByteBuffer to);

        abstract void put(int from, int count, ByteBuffer in);

        @Override
        final void write(String name, DataOutputStream out) throws IOException {
            out.writeInt(elements);
            byte[] piece = new byte[STEP_BYTES];
            for (int at = 0, count; at < elements; at += count) {
                count = Math.min(STEP_BYTES / elementBytes, elements - at);
                get(at, count, ByteBuffer.wrap(piece).order(ByteOrder.LITTLE_ENDIAN));
                out.write(piece, 0, count * elementBytes);
            }
        }

        @Override
        final void read(String name, DataInputStream in) throws IOException {
            requireLength(name, elements, in.readInt());
            byte[] piece = new byte[STEP_BYTES];
            for (int at = 0, count; at < elements; at += count) {
                count = Math.min(STEP_BYTES / elementBytes, elements - at);
                in.readFully(piece, 0, count * elementBytes);
                put(at, count, ByteBuffer.wrap(piece, 0, count * elementBytes).order(ByteOrder.LITTLE_ENDIAN));
            }
        }
    }
}
