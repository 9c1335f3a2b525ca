package mpi;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.BufferMemory;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.Unit;
import org.posthouse.mpj.operation.Sink;

/**
 * The type of the elements of a message: which kind of array they lie in, and which array elements make one. Immutable
 * but for {@link #free}.
 *
 * <p>All sizes, extents and displacements of the mpiJava calls (upper case) are in array elements of the one base type.
 * Open MPI's calls (lower case) give the displacements of {@code createHVector}, {@code createHIndexed},
 * {@code createStruct} and {@code createResized} in bytes; a struct of several base types is one of bytes, for
 * {@link java.nio.ByteBuffer}s.
 */
public class Datatype implements Freeable, Cloneable {
    /** A number for the kind of array that the elements lie in; -1 if there is none. */
    public final int baseType;

    private final String name;
    private final Base base;
    private final Layout layout;
    /** The unit of its array elements in the predefined reductions. */
    private final Unit unit;

    private final PackedElements packedElements;
    private final boolean predefined;
    private final Attributes attributes = new Attributes();
    /** The name that the program gave it; null if it gave none. */
    private String given;
    /** Whether it is a struct of bytes to Open MPI: INT2, what {@code createStruct} makes, and what is made of these. */
    private boolean openMpiStruct;

    private boolean freed;

    /** Calls of programs' operations with it that have not returned: to them it lives, freed or not. */
    private final AtomicInteger lent = new AtomicInteger();

    /** A predefined datatype of one {@code unit}. */
    Datatype(String name, Base base, Unit unit) {
        this(name, base, unit.layout(), unit, pieces(base, unit), true);
    }

    private static PackedElements pieces(Base base, Unit unit) {
        // The index of a pair in bytes is an int.
        return unit.isStruct()
                ? PackedElements.of(unit.elements() - Integer.BYTES).then(1, PackedElements.of(Integer.BYTES))
                : PackedElements.of(base == null ? 1 : Math.max(1, base.bytes()));
    }

    Datatype(String name, Base base, Layout layout, Unit unit, PackedElements packedElements, boolean predefined) {
        this.name = name;
        this.base = base;
        this.layout = layout;
        this.unit = unit;
        this.packedElements = packedElements;
        this.predefined = predefined;
        openMpiStruct = unit == Unit.PAIR;
        baseType = base == null ? -1 : base.code();
    }

    /** {@link MPI#LB} or {@link MPI#UB}: no data, and of any base type. */
    static Datatype marker(String name, Layout layout) {
        return new Datatype(name, null, layout, Unit.NONE, PackedElements.of(1), true);
    }

    /** The null datatype. */
    static Datatype ofNothing() {
        Datatype nothing = new Datatype("DATATYPE_NULL", null, Layout.dense(1), Unit.NONE, PackedElements.of(1), true);
        nothing.freed = true;
        return nothing;
    }

    // ---- making datatypes

    /** {@code count} elements one behind the other. */
    public static Datatype Contiguous(int count, Datatype oldtype) throws MPIException {
        return new DatatypeMaker("Contiguous", oldtype).contiguous(count);
    }

    /** {@code count} blocks; {@code stride} extents of the old type from the start of one to that of the next. */
    public static Datatype Vector(int count, int blocklength, int stride, Datatype oldtype) throws MPIException {
        return new DatatypeMaker("Vector", oldtype).vector(count, blocklength, stride, oldtype.layout.extent());
    }

    /** As {@link #Vector}, with the stride in array elements. */
    public static Datatype Hvector(int count, int blocklength, int stride, Datatype oldtype) throws MPIException {
        return new DatatypeMaker("Hvector", oldtype).vector(count, blocklength, stride, 1);
    }

    /** Blocks of any length; displacements in extents of the old type. */
    public static Datatype Indexed(int[] blocklengths, int[] displacements, Datatype oldtype) throws MPIException {
        return new DatatypeMaker("Indexed", oldtype).indexed(blocklengths, displacements, oldtype.layout.extent());
    }

    /** As {@link #Indexed}, with displacements in array elements. */
    public static Datatype Hindexed(int[] blocklengths, int[] displacements, Datatype oldtype) throws MPIException {
        return new DatatypeMaker("Hindexed", oldtype).indexed(blocklengths, displacements, 1);
    }

    /**
     * Blocks of any length and type; displacements in array elements.
     *
     * @param oldtypes of one base type; {@link MPI#LB} and {@link MPI#UB} mark the bounds
     */
    public static Datatype Struct(int[] blocklengths, int[] displacements, Datatype[] oldtypes) throws MPIException {
        return DatatypeMaker.struct("Struct", blocklengths, displacements, oldtypes);
    }

    /** As {@link #Contiguous}. */
    public static Datatype createContiguous(int count, Datatype oldType) throws MPIException {
        return new DatatypeMaker("createContiguous", oldType).contiguous(count);
    }

    /** As {@link #Vector}. */
    public static Datatype createVector(int count, int blockLength, int stride, Datatype oldType) throws MPIException {
        DatatypeMaker maker = new DatatypeMaker("createVector", oldType);
        return maker.vector(count, blockLength, stride, oldType.layout.extent());
    }

    /** As {@link #Vector}, with the stride in bytes. */
    public static Datatype createHVector(int count, int blockLength, int stride, Datatype oldType)
            throws MPIException {
        return new DatatypeMaker("createHVector", oldType).vectorInBytes(count, blockLength, stride);
    }

    /** As {@link #Indexed}. */
    public static Datatype createIndexed(int[] blockLengths, int[] displacements, Datatype oldType)
            throws MPIException {
        DatatypeMaker maker = new DatatypeMaker("createIndexed", oldType);
        return maker.indexed(blockLengths, displacements, oldType.layout.extent());
    }

    /** As {@link #Indexed}, with displacements in bytes. */
    public static Datatype createHIndexed(int[] blockLengths, int[] displacements, Datatype oldType)
            throws MPIException {
        return new DatatypeMaker("createHIndexed", oldType).indexedInBytes(blockLengths, displacements);
    }

    /**
     * As {@link #Struct}, with displacements in bytes, and of any base types. The extent is that of the struct in C: a
     * multiple of the widest element's bytes, unless a marker says otherwise.
     */
    public static Datatype createStruct(int[] blockLengths, int[] displacements, Datatype[] types)
            throws MPIException {
        return DatatypeMaker.structInBytes("createStruct", blockLengths, displacements, types);
    }

    /** The same data with another lower bound and extent, in bytes. */
    public static Datatype createResized(Datatype oldType, int lb, int extent) throws MPIException {
        return new DatatypeMaker("createResized", oldType).resized(lb, extent);
    }

    // ---- what a datatype is

    /** Makes the datatype ready for use. It is already; the call is there for programs that make it. */
    public void Commit() throws MPIException {
        requireLive("Commit");
    }

    /** As {@link #Commit}. */
    public void commit() throws MPIException {
        requireLive("commit");
    }

    /** Array elements of data in one element of this type. */
    public int Size() throws MPIException {
        requireLive("Size");
        return layout.size();
    }

    /** Array elements from one element of this type to the next. */
    public int Extent() throws MPIException {
        requireLive("Extent");
        return layout.extent();
    }

    /** Displacement of the lower bound, in array elements. */
    public int Lb() throws MPIException {
        requireLive("Lb");
        return layout.lower();
    }

    /** Displacement of the upper bound, in array elements. */
    public int Ub() throws MPIException {
        requireLive("Ub");
        return layout.upper();
    }

    /** As {@link #Size}; in bytes for what is a struct to Open MPI (INT2 too), as in the calls below: UNDEFINED if an int cannot tell them. */
    public int getSize() throws MPIException {
        return scaled(Size());
    }

    /** As {@link #Extent}. */
    public int getExtent() throws MPIException {
        return scaled(Extent());
    }

    /** As {@link #Lb}. */
    public int getLb() throws MPIException {
        return scaled(Lb());
    }

    /** Displacement of the lowest array element of data. */
    public int getTrueLb() throws MPIException {
        requireLive("getTrueLb");
        return scaled(layout.first(1));
    }

    /** Array elements from the lowest one of data to behind the highest. */
    public int getTrueExtent() throws MPIException {
        requireLive("getTrueExtent");
        return scaled(layout.end(1) - layout.first(1));
    }

    /** In bytes, if it is a struct to Open MPI; {@link MPI#UNDEFINED} if an int cannot tell them. */
    private int scaled(long elements) {
        long measure = openMpiStruct ? elements * bytes() : elements;
        return measure == (int) measure ? (int) measure : MPI.UNDEFINED;
    }

    /** As {@link #baseType}. */
    public int getType() throws MPIException {
        return baseType;
    }

    /** Bytes of one array element; 0 for objects. */
    public int getByteSize() throws MPIException {
        return base == null ? 0 : base.bytes();
    }

    /** The same datatype as an object of its own, with the same attributes. */
    public Datatype dup() throws MPIException {
        requireLive("dup");
        Datatype copy = new Datatype(name, base, layout, unit, packedElements, false);
        copy.openMpiStruct = openMpiStruct;
        attributes.copyTo(copy.attributes);
        return copy;
    }

    /** As {@link #dup}. */
    @Override
    @SuppressWarnings("MethodOverridesCloneWithoutSuper") // Final fields; the API has the name.
    public Datatype clone() {
        return dup();
    }

    // ---- what a program hangs on it

    /** Gives it a name. */
    public void setName(String name) throws MPIException {
        requireLive("setName");
        given = name;
    }

    /** The name that it was given, or MPI's for a predefined one ({@code MPI_INT}), or an empty one. */
    public String getName() throws MPIException {
        requireLive("getName");
        return given != null ? given : predefined ? "MPI_" + name : "";
    }

    /** A new key for attributes of datatypes; those of communicators do as well. */
    public static int createKeyval() throws MPIException {
        return Attributes.newKey();
    }

    /** Gives a key back. */
    public static void freeKeyval(int keyval) throws MPIException {
        Attributes.free(keyval);
    }

    /** Sets the attribute of a key; {@link #dup} passes it on. */
    public void setAttr(int keyval, Object value) throws MPIException {
        requireLive("setAttr");
        attributes.put("setAttr", keyval, value);
    }

    /** The attribute of a key, or null. */
    public Object getAttr(int keyval) throws MPIException {
        requireLive("getAttr");
        return attributes.get("getAttr", keyval);
    }

    /** Removes an attribute. */
    public void deleteAttr(int keyval) throws MPIException {
        requireLive("deleteAttr");
        attributes.remove("deleteAttr", keyval);
    }

    // ---- giving back

    /** Gives the datatype back; operations that are under way with it are completed. */
    @Override
    public void free() throws MPIException {
        requireLive("free");
        if (predefined) {
            throw new MPIException(MPI.ERR_TYPE, "free: " + name + " is predefined, and stays");
        }
        freed = true;
    }

    /** As {@link #free}. */
    public void Free() throws MPIException {
        free();
    }

    /** Does nothing; for programs that call it. */
    @Override
    @SuppressWarnings({"deprecation", "Finalize"}) // The API has it; a body would make the collector's work harder.
    public void finalize() throws MPIException {}

    /** Whether the datatype was given back. */
    public boolean isNull() {
        return freed;
    }

    private void requireLive(String call) {
        if (freed && lent.get() == 0) {
            throw new MPIException(MPI.ERR_TYPE, call + ": datatype " + name + " was freed");
        }
    }

    // ---- for the calls of this package

    Base base() {
        return base;
    }

    Layout layout() {
        return layout;
    }

    Unit unit() {
        return unit;
    }

    PackedElements pieces() {
        return packedElements;
    }

    /** Bytes of a base element; 1 where there is none. */
    int bytes() {
        return base == null ? 1 : Math.max(1, base.bytes());
    }

    int size() {
        return layout.size();
    }

    /** Whether messages can be made of it: not freed, and more than a marker. */
    boolean isUsable() {
        return !freed && base != null;
    }

    /** Its name, and why no messages can be made of it. */
    String whyUnusable() {
        String why = !freed ? "a marker" : base == null ? "which is none" : "which was freed";
        return name + ", " + why;
    }

    Sink sink(Object buffer, int offset, int capacity) {
        return region(buffer, offset).sink(0, capacity);
    }

    Region region(Object buffer, int offset) {
        return new Region(base, layout, store(buffer), offset);
    }

    /** The same data as those of records of so many bytes, each from its first byte on. */
    Datatype record(String recordName, int extentBytes) {
        Layout bounded = layout.bounded(extentBytes / bytes());
        Datatype record = new Datatype(recordName, base, bounded, Unit.NONE, packedElements, false);
        record.openMpiStruct = openMpiStruct;
        return record;
    }

    /** Calls a program's operation with it, for a reduction that was under way when it was freed. */
    void lend(Runnable call) {
        lent.incrementAndGet();
        try {
            call.run();
        } finally {
            lent.decrementAndGet();
        }
    }

    /** Elements as an operation takes them: of a struct of bytes in a buffer that is not in native order, a copy that is. */
    Region inNativeOrder(Region region, int count) {
        if (isInNativeOrder(region)) {
            return region;
        }
        Region copy = region.scratch(count);
        turn(region, copy, count);
        return copy;
    }

    /** Puts a result into the region that {@link #inNativeOrder} was asked for. */
    void putBack(Region result, Region region, int count) {
        if (!isInNativeOrder(region)) {
            turn(result, region, count);
        }
    }

    private boolean isInNativeOrder(Region region) {
        if (base != Base.BYTE || packedElements.widest() == 1) {
            return true;
        } else if (region.array() instanceof BufferMemory memory) {
            return memory.order() == ByteOrder.nativeOrder();
        }
        return !(region.array() instanceof ByteBuffer bytes) || bytes.order() == ByteOrder.nativeOrder();
    }

    private void turn(Region from, Region to, int count) {
        Region data = from.packed(0, count);
        packedElements.turn((byte[]) data.array());
        to.unpack(data, 0, 0, count);
    }

    /** Marks what Open MPI measures in bytes, and programs may keep in an array of bytes. */
    Datatype openMpiStruct() {
        openMpiStruct = true;
        return this;
    }

    boolean isOpenMpiStruct() {
        return openMpiStruct;
    }

    /**
     * The store of the elements: the buffer itself, except for two cases that are seen as memory. These are structs
     * that Open MPI programs keep in an array of bytes, and NIO buffers of other elements.
     */
    Object store(Object buffer) {
        if (openMpiStruct && buffer instanceof byte[] bytes && !base.holds(bytes)) {
            return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        }
        boolean memory = buffer instanceof Buffer && !(buffer instanceof ByteBuffer) && base != Base.OBJECT && !base.holds(buffer);
        return memory ? new BufferMemory((Buffer) buffer) : buffer;
    }

    @Override
    public String toString() {
        return name;
    }
}
