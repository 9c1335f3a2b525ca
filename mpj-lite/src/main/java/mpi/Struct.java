package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.mpj.data.Base;

/**
 * The layout of a record in bytes, which a program declares field by field in a subclass: its datatype, and views of
 * the records in a buffer ({@link Data}). Fields lie one right behind the other unless {@link #setOffset} says so; as in
 * C, the extent is a multiple of the widest field's bytes. Fields cannot be added after the first use. Declared by one
 * thread.
 */
public abstract class Struct {
    private record Field(int offset, int length, Datatype datatype) {}

    private final List<Field> fields = new ArrayList<>();
    /** Bytes from the start to where the next field goes. */
    private int end;
    /** Bytes of the widest field; those of arrays and records inside count as their widest. */
    private int align = 1;
    /** Null until the first use. */
    private Datatype type;

    private int extent;

    /** Without a field yet. */
    public Struct() {}

    /** With the layout of a predefined datatype. */
    Struct(Datatype type, int extent, int align) {
        this.type = type;
        this.extent = extent;
        this.align = align;
    }

    /** Makes the next field begin at {@code offset} bytes, at or behind the end of the fields so far. */
    public final Struct setOffset(int offset) {
        requireOpen();
        if (offset < end) {
            throw new IllegalArgumentException(
                    "setOffset: offset is " + offset + ", expected at least the end of the fields so far, " + end);
        }
        end = offset;
        return this;
    }

    /** Adds a byte; returns its offset in bytes. */
    public final int addByte() {
        return addByte(1);
    }

    /** Adds an array of byte; returns its offset in bytes. */
    public final int addByte(int length) {
        return add(MPI.BYTE, length);
    }

    /** Adds a char; returns its offset in bytes. */
    public final int addChar() {
        return addChar(1);
    }

    /** Adds an array of char; returns its offset in bytes. */
    public final int addChar(int length) {
        return add(MPI.CHAR, length);
    }

    /** Adds a short; returns its offset in bytes. */
    public final int addShort() {
        return addShort(1);
    }

    /** Adds an array of short; returns its offset in bytes. */
    public final int addShort(int length) {
        return add(MPI.SHORT, length);
    }

    /** Adds an int; returns its offset in bytes. */
    public final int addInt() {
        return addInt(1);
    }

    /** Adds an array of int; returns its offset in bytes. */
    public final int addInt(int length) {
        return add(MPI.INT, length);
    }

    /** Adds a long; returns its offset in bytes. */
    public final int addLong() {
        return addLong(1);
    }

    /** Adds an array of long; returns its offset in bytes. */
    public final int addLong(int length) {
        return add(MPI.LONG, length);
    }

    /** Adds a float; returns its offset in bytes. */
    public final int addFloat() {
        return addFloat(1);
    }

    /** Adds an array of float; returns its offset in bytes. */
    public final int addFloat(int length) {
        return add(MPI.FLOAT, length);
    }

    /** Adds a double; returns its offset in bytes. */
    public final int addDouble() {
        return addDouble(1);
    }

    /** Adds an array of double; returns its offset in bytes. */
    public final int addDouble(int length) {
        return add(MPI.DOUBLE, length);
    }

    /** Adds a record; returns its offset in bytes. */
    public final int addStruct(Struct struct) throws MPIException {
        return addStruct(struct, 1);
    }

    /** Adds an array of records; returns its offset in bytes. */
    public final int addStruct(Struct struct, int length) throws MPIException {
        return add(struct.getType(), struct.align, length);
    }

    /** Adds an element of a datatype; returns its offset in bytes. */
    public final int addData(Datatype datatype) throws MPIException {
        return addData(datatype, 1);
    }

    /** Adds elements of a datatype; returns their offset in bytes. */
    public final int addData(Datatype datatype, int length) throws MPIException {
        if (datatype == null || !datatype.isUsable() || datatype.base() == Base.OBJECT) {
            throw new MPIException(MPI.ERR_TYPE, "addData: the datatype is " + datatype + ", expected one of bytes");
        }
        return add(datatype, datatype.pieces().widest(), length);
    }

    private int add(Datatype type, int length) {
        return add(type, type.bytes(), length);
    }

    /** Adds {@code length} elements of a datatype, which are aligned to {@code bytes}. */
    private int add(Datatype datatype, int bytes, int length) {
        requireOpen();
        if (length < 0) {
            throw new IllegalArgumentException("length of a field is " + length + ", expected 0 or more");
        }
        int offset = end;
        long width = (long) datatype.layout().extent() * datatype.bytes();
        if ((double) length * width > Integer.MAX_VALUE - bytes - offset) {
            throw new MPIException(
                    MPI.ERR_ARG,
                    getClass().getName() + ": a field of " + length + " times " + width + " bytes at offset " + offset + " ends beyond the range of int");
        }
        end = (int) (offset + length * width);
        fields.add(new Field(offset, length, datatype.dup())); // The program may free its own.
        align = Math.max(align, bytes);
        return offset;
    }

    private void requireOpen() {
        if (type != null) {
            throw new AssertionError(getClass().getName() + " was used already, expected all fields before that");
        }
    }

    /** Bytes from one record to the next. */
    public final int getExtent() throws MPIException {
        commit();
        return extent;
    }

    /**
     * The datatype of the records, as {@link Datatype#createStruct} makes it: for byte arrays and ByteBuffers. Offsets in mpiJava's calls are in elements of the
     * fields, if these are all of one kind, and in bytes if not.
     */
    public final Datatype getType() throws MPIException {
        commit();
        return type;
    }

    private void commit() {
        if (type == null) {
            extent = (end + align - 1) / align * align;
            String name = getClass().getName();
            type = DatatypeMaker.structInBytes(
                    name,
                    fields.stream().mapToInt(Field::length).toArray(),
                    fields.stream().mapToInt(Field::offset).toArray(),
                    fields.stream().map(Field::datatype).toArray(Datatype[]::new))
                    .record(name, extent);
        }
    }

    /** A new view, which the caller places: {@code return new Data();}. */
    protected abstract Data newData();

    /** A view of the first record in a buffer, in the buffer's byte order. */
    public final <D extends Data> D getData(ByteBuffer buffer) throws MPIException {
        return getData(buffer, 0);
    }

    /** A view of the record {@code index} in a buffer, in the buffer's byte order. */
    public final <D extends Data> D getData(ByteBuffer buffer, int index) throws MPIException {
        return view(buffer, index * getExtent());
    }

    /** A view of the first record in an array, in native byte order. */
    public final <D extends Data> D getData(byte[] array) throws MPIException {
        return getData(array, 0);
    }

    /** A view of the record {@code index} in an array, in native byte order. */
    public final <D extends Data> D getData(byte[] array, int index) throws MPIException {
        return getData(ByteBuffer.wrap(array).order(ByteOrder.nativeOrder()), index);
    }

    @SuppressWarnings("unchecked") // The subclass returns its own kind of view; the caller names it.
    private <D extends Data> D view(ByteBuffer buffer, int offset) {
        Data view = newData();
        view.buffer = buffer;
        view.offset = offset;
        return (D) view;
    }

    /**
     * A view of one record in a buffer: reads and writes through. A field is named by the offset that adding it
     * returned; indexes count from 0 in a field that is an array.
     */
    public abstract class Data {
        private ByteBuffer buffer;
        private int offset;

        /** The record's bytes, for a message: the buffer itself if the record is the first in it. */
        public final ByteBuffer getBuffer() {
            return offset == 0 ? buffer : slice(offset);
        }

        private ByteBuffer slice(int from) {
            ByteBuffer all = buffer.duplicate().clear();
            return all.slice(from, all.capacity() - from).order(buffer.order());
        }

        protected final byte getByte(int field) {
            return buffer.get(offset + field);
        }

        protected final byte getByte(int field, int index) {
            return buffer.get(offset + field + index);
        }

        protected final void putByte(int field, byte v) {
            buffer.put(offset + field, v);
        }

        protected final void putByte(int field, int index, byte v) {
            buffer.put(offset + field + index, v);
        }

        protected final char getChar(int field) {
            return buffer.getChar(offset + field);
        }

        protected final char getChar(int field, int index) {
            return buffer.getChar(offset + field + index * Character.BYTES);
        }

        protected final void putChar(int field, char v) {
            buffer.putChar(offset + field, v);
        }

        protected final void putChar(int field, int index, char v) {
            buffer.putChar(offset + field + index * Character.BYTES, v);
        }

        protected final short getShort(int field) {
            return buffer.getShort(offset + field);
        }

        protected final short getShort(int field, int index) {
            return buffer.getShort(offset + field + index * Short.BYTES);
        }

        protected final void putShort(int field, short v) {
            buffer.putShort(offset + field, v);
        }

        protected final void putShort(int field, int index, short v) {
            buffer.putShort(offset + field + index * Short.BYTES, v);
        }

        protected final int getInt(int field) {
            return buffer.getInt(offset + field);
        }

        protected final int getInt(int field, int index) {
            return buffer.getInt(offset + field + index * Integer.BYTES);
        }

        protected final void putInt(int field, int v) {
            buffer.putInt(offset + field, v);
        }

        protected final void putInt(int field, int index, int v) {
            buffer.putInt(offset + field + index * Integer.BYTES, v);
        }

        protected final long getLong(int field) {
            return buffer.getLong(offset + field);
        }

        protected final long getLong(int field, int index) {
            return buffer.getLong(offset + field + index * Long.BYTES);
        }

        protected final void putLong(int field, long v) {
            buffer.putLong(offset + field, v);
        }

        protected final void putLong(int field, int index, long v) {
            buffer.putLong(offset + field + index * Long.BYTES, v);
        }

        protected final float getFloat(int field) {
            return buffer.getFloat(offset + field);
        }

        protected final float getFloat(int field, int index) {
            return buffer.getFloat(offset + field + index * Float.BYTES);
        }

        protected final void putFloat(int field, float v) {
            buffer.putFloat(offset + field, v);
        }

        protected final void putFloat(int field, int index, float v) {
            buffer.putFloat(offset + field + index * Float.BYTES, v);
        }

        protected final double getDouble(int field) {
            return buffer.getDouble(offset + field);
        }

        protected final double getDouble(int field, int index) {
            return buffer.getDouble(offset + field + index * Double.BYTES);
        }

        protected final void putDouble(int field, double v) {
            buffer.putDouble(offset + field, v);
        }

        protected final void putDouble(int field, int index, double v) {
            buffer.putDouble(offset + field + index * Double.BYTES, v);
        }

        /** A view of a record in this one. */
        protected final <S extends Struct, D extends Struct.Data> D getData(S struct, int field) {
            return getData(struct, field, 0);
        }

        /** A view of a record in an array in this one. */
        protected final <S extends Struct, D extends Struct.Data> D getData(S struct, int field, int index) {
            return ((Struct) struct).view(buffer, offset + field + index * struct.getExtent());
        }

        /** The bytes of an element of a datatype. */
        protected final ByteBuffer getBuffer(Datatype datatype, int field) throws MPIException {
            return getBuffer(datatype, field, 0);
        }

        /** The bytes of elements of a datatype, from {@code index} on. */
        protected final ByteBuffer getBuffer(Datatype datatype, int field, int index) throws MPIException {
            return slice(offset + field + index * datatype.layout().extent() * datatype.bytes());
        }
    }
}
