package mpi;

import java.nio.ByteBuffer;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.coll.Algorithms;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Folds;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.ProgramObjectInput;
import org.posthouse.mpj.data.Unit;
import org.posthouse.wire.ReplayLimit;

/** The start and the end of a rank's part in a job, and MPI's names for everything that exists once. */
public class MPI extends NewBuffers {
    public static final Datatype BYTE = new Datatype("BYTE", Base.BYTE, Unit.ONE);
    public static final Datatype CHAR = new Datatype("CHAR", Base.CHAR, Unit.ONE);
    public static final Datatype SHORT = new Datatype("SHORT", Base.SHORT, Unit.ONE);
    public static final Datatype BOOLEAN = new Datatype("BOOLEAN", Base.BOOLEAN, Unit.ONE);
    public static final Datatype INT = new Datatype("INT", Base.INT, Unit.ONE);
    public static final Datatype LONG = new Datatype("LONG", Base.LONG, Unit.ONE);
    public static final Datatype FLOAT = new Datatype("FLOAT", Base.FLOAT, Unit.ONE);
    public static final Datatype DOUBLE = new Datatype("DOUBLE", Base.DOUBLE, Unit.ONE);

    /** Any serializable objects, null too; an array in an array (a matrix's rows) is one object. */
    public static final Datatype OBJECT = new Datatype("OBJECT", Base.OBJECT, Unit.ONE);

    /** Pairs (value, index) for MAXLOC and MINLOC, in two adjacent array elements. */
    public static final Datatype SHORT2 = new Datatype("SHORT2", Base.SHORT, Unit.PAIR);

    public static final Datatype INT2 = new Datatype("INT2", Base.INT, Unit.PAIR);
    public static final Datatype LONG2 = new Datatype("LONG2", Base.LONG, Unit.PAIR);
    public static final Datatype FLOAT2 = new Datatype("FLOAT2", Base.FLOAT, Unit.PAIR);
    public static final Datatype DOUBLE2 = new Datatype("DOUBLE2", Base.DOUBLE, Unit.PAIR);

    /** Complex numbers: real and imaginary part, in two adjacent array elements. */
    public static final Datatype FLOAT_COMPLEX = new Datatype("FLOAT_COMPLEX", Base.FLOAT, Unit.COMPLEX);

    public static final Datatype DOUBLE_COMPLEX = new Datatype("DOUBLE_COMPLEX", Base.DOUBLE, Unit.COMPLEX);

    /** Pairs (value, index) for MAXLOC and MINLOC, as C lays them out in bytes, in native order. */
    public static final Datatype SHORT_INT = new Datatype("SHORT_INT", Base.BYTE, Unit.SHORT_INT);

    public static final Datatype LONG_INT = new Datatype("LONG_INT", Base.BYTE, Unit.LONG_INT);
    public static final Datatype FLOAT_INT = new Datatype("FLOAT_INT", Base.BYTE, Unit.FLOAT_INT);
    public static final Datatype DOUBLE_INT = new Datatype("DOUBLE_INT", Base.BYTE, Unit.DOUBLE_INT);

    /** Views of the pairs in a buffer. */
    public static final Int2 int2 = new Int2(INT2);

    public static final ShortInt shortInt = new ShortInt(SHORT_INT);
    public static final LongInt longInt = new LongInt(LONG_INT);
    public static final FloatInt floatInt = new FloatInt(FLOAT_INT);
    public static final DoubleInt doubleInt = new DoubleInt(DOUBLE_INT);

    public static final Op SUM = new Op("SUM", Folds.SUM);
    public static final Op PROD = new Op("PROD", Folds.PROD);
    public static final Op MAX = new Op("MAX", Folds.MAX);
    public static final Op MIN = new Op("MIN", Folds.MIN);
    public static final Op LAND = new Op("LAND", Folds.LAND);
    public static final Op LOR = new Op("LOR", Folds.LOR);
    public static final Op LXOR = new Op("LXOR", Folds.LXOR);
    public static final Op BAND = new Op("BAND", Folds.BAND);
    public static final Op BOR = new Op("BOR", Folds.BOR);
    public static final Op BXOR = new Op("BXOR", Folds.BXOR);
    public static final Op MAXLOC = new Op("MAXLOC", Folds.MAXLOC);
    public static final Op MINLOC = new Op("MINLOC", Folds.MINLOC);

    /** Operations on windows, of which there are none (ADR 9). */
    public static final Op REPLACE = Op.ofWindows("REPLACE");

    public static final Op NO_OP = Op.ofWindows("NO_OP");

    /** The datatype of data packed by {@link Comm#Pack}. */
    public static final Datatype PACKED = new Datatype("PACKED", Base.PACKED, Unit.NONE);

    /** Markers of the lower and the upper bound, for {@link Datatype#Struct}. */
    public static final Datatype LB = Datatype.marker("LB", Layout.lowerMarker());

    public static final Datatype UB = Datatype.marker("UB", Layout.upperMarker());

    /** No datatype. */
    public static final Datatype NULL = Datatype.ofNothing();

    public static final Datatype DATATYPE_NULL = NULL;

    public static final Errhandler ERRORS_ARE_FATAL = new Errhandler("ERRORS_ARE_FATAL");
    public static final Errhandler ERRORS_RETURN = new Errhandler("ERRORS_RETURN");

    /** The group of nobody. */
    public static final Group GROUP_EMPTY = Group.EMPTY;

    public static final Group GROUP_NULL = Group.freed();

    /** No hints, and freed. */
    public static final Info INFO_NULL = Info.freed();

    /**
     * The start of the job, from Init on; empty before (MPI-4.1, 11.2.1). The keys are {@code command}, the program's
     * class; {@code argv}, its arguments with a blank between two; {@code maxprocs}, {@code arch}, {@code wdir} and
     * {@code thread_level}.
     */
    public static final Info INFO_ENV = new Info();

    /** No communicator: null, as {@code Split} and {@code Create} return it, so that programs may compare with either. */
    public static final Comm COMM_NULL = null;

    public static final Status EMPTY_STATUS = new Status();

    /** A request that is complete already. */
    public static final Request REQUEST_NULL = Request.ofNothing();

    /** All processes of the job; null before Init. */
    public static Intracomm COMM_WORLD;

    /** Size of {@link #COMM_WORLD}; before Init, processors of this process's host. */
    public static int NUM_OF_PROCESSORS = Runtime.getRuntime().availableProcessors();

    /** The calling process alone; null before Init. */
    public static Intracomm COMM_SELF;

    private static final double NANOS = 1e-9;

    /** Names of the thread levels, the first of which is 1. */
    private static final String[] THREAD_LEVELS = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};

    /** Null before Init. */
    private static OwnProcess self;

    private static Thread mainThread;
    private static int threadLevel;
    private static boolean finalized;

    /** For programs that make one: there is nothing in it. */
    public MPI() {}

    // ---- start and end

    /**
     * Joins the job. The first MPI call of a program, made once.
     *
     * @param args what {@code main} got, or an array of the program's own, which may be empty; null is empty
     * @return the program's own arguments, without the words that {@code posthouse run --args} put in front
     * @throws MPIException if the process was not started by Posthouse, or called this before
     */
    public static synchronized String[] Init(String[] args) throws MPIException {
        return init("Init", args, THREAD_MULTIPLE);
    }

    /** As {@link #Init}; returns the thread level, which is the required one: several threads may always call at once. */
    public static synchronized int InitThread(String[] args, int required) throws MPIException {
        init("InitThread", args, required);
        return threadLevel;
    }

    /** As {@link #InitThread}. */
    public static synchronized int Init_thread(String[] args, int required) throws MPIException {
        init("Init_thread", args, required);
        return threadLevel;
    }

    /** As {@link #initThread(int, String[])}. {@code provided} is not used: {@link #queryThread} tells. */
    public static synchronized String[] initThread(int required, int provided, String[] args) throws MPIException {
        return initThread(required, args);
    }

    /**
     * As {@link #Init}, for a thread level; one that is out of range means the nearest. Programs call it behind Init too:
     * it sets the level then.
     */
    public static synchronized String[] initThread(int required, String[] args) throws MPIException {
        int level = Math.max(THREAD_SINGLE, Math.min(required, THREAD_MULTIPLE));
        if (self == null) {
            return init("initThread", args, level);
        }
        require("initThread");
        threadLevel = level;
        if (level == THREAD_MULTIPLE) {
            self.endpoint().limit(ReplayLimit.MULTIPLE);
        }
        return Endpoints.ownArguments(args);
    }

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** Notes the class loaders of the program that calls Init, and how it was started. */
    private static void note(int size, int level) {
        Class<?> caller =
                CALLERS.walk(frames -> frames.map(StackWalker.StackFrame::getDeclaringClass).filter(each -> each != MPI.class).findFirst().orElse(MPI.class));
        ProgramObjectInput.initCalledBy(caller.getClassLoader(), Thread.currentThread().getContextClassLoader());
        INFO_ENV.environment(Endpoints.program(), size, THREAD_LEVELS[level - THREAD_SINGLE]);
    }

    private static String[] init(String call, String[] args, int required) {
        if (required < THREAD_SINGLE || required > THREAD_MULTIPLE) {
            throw new MPIException(
                    ERR_ARG, call + ": the thread level is " + required + ", expected THREAD_SINGLE to THREAD_MULTIPLE");
        }
        Endpoint endpoint;
        try {
            Algorithms.fromEnvironment();
            endpoint = Endpoints.fromEnvironment();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new MPIException(ERR_OTHER, call + ": " + e.getMessage(), e);
        }
        self = new OwnProcess(endpoint);
        Group world = Group.world(endpoint.size(), endpoint.processes(), endpoint.rank());
        COMM_WORLD = new Intracomm(self, world, Contexts.WORLD, "COMM_WORLD");
        COMM_SELF = new Intracomm(self, world.Incl(new int[] {world.Rank()}), Contexts.SELF, "COMM_SELF");
        if (endpoint.isRebuilt()) {
            endpoint.failures().orElseThrow().closeEarlier(Contexts.WORLD, Contexts.ofGroups(Contexts.WORLD));
        }
        NUM_OF_PROCESSORS = endpoint.size();
        mainThread = Thread.currentThread();
        threadLevel = required;
        note(endpoint.size(), required);
        if (required == THREAD_MULTIPLE && !call.equals("Init")) {
            endpoint.limit(ReplayLimit.MULTIPLE);
        }
        return Endpoints.ownArguments(args);
    }

    /**
     * Leaves the job, when all sends have left, and the collectives are over that were started and that the program should have waited for. The process may go on,
     * but not communicate.
     */
    public static synchronized void Finalize() throws MPIException {
        require("Finalize");
        finalized = true;
        leave(self);
    }

    static void leave(OwnProcess self) {
        self.joints().leaveAll();
        self.underWay().started().forEach(self.endpoint()::await);
        self.endpoint().close();
    }

    static OwnProcess require(String call) {
        if (self == null || finalized) {
            throw new MPIException(ERR_OTHER, call + ": expected " + (self == null ? "after Init" : "before Finalize"));
        }
        return self;
    }

    /** Whether Init was called, and Finalize was not. */
    public static synchronized boolean Initialized() throws MPIException {
        return self != null && !finalized;
    }

    /** Whether Init was called. */
    public static synchronized boolean isInitialized() throws MPIException {
        return self != null;
    }

    /** Whether Finalize was called. */
    public static synchronized boolean isFinalized() throws MPIException {
        return finalized;
    }

    /**
     * Whether this process has taken the place of one of its rank that has died ({@code posthouse run --on-failure rebuild}). It has nothing of that one's
     * state, and COMM_WORLD is revoked in it: it begins with {@link Intracomm#rebuild}. False before Init.
     */
    public static synchronized boolean isRebuilt() throws MPIException {
        return self != null && self.endpoint().isRebuilt();
    }

    /** As {@link #isRebuilt}. */
    public static synchronized boolean Is_rebuilt() throws MPIException {
        return isRebuilt();
    }

    /** The thread level that Init or Init_thread gave. */
    public static synchronized int queryThread() throws MPIException {
        require("queryThread");
        return threadLevel;
    }

    /** Whether the calling thread is the one that called Init. */
    public static synchronized boolean isMainThread() throws MPIException {
        require("isMainThread");
        return Thread.currentThread().equals(mainThread);
    }

    /** As {@link #isMainThread}. */
    public static boolean isThreadMain() throws MPIException {
        return isMainThread();
    }

    // ---- buffered sends

    /** Gives the buffered sends room, the buffer's capacity, in place of what they have. */
    public static void Buffer_attach(ByteBuffer buffer) throws MPIException {
        room("Buffer_attach", buffer).replace(buffer, buffer.capacity());
    }

    /** Gives the buffered sends room, the array's length, in place of what they have. */
    public static void Buffer_attach(byte[] buffer) throws MPIException {
        room("Buffer_attach", buffer).replace(buffer, buffer.length);
    }

    /**
     * Waits until all buffered sends have left, and takes their room back; the array, or a copy of the buffer's bytes, or
     * null if they had none.
     */
    public static byte[] Buffer_detach() throws MPIException {
        return detach("Buffer_detach");
    }

    /** As {@link #Buffer_attach(byte[])}. @throws MPIException if they have room already */
    public static void attachBuffer(byte[] buffer) throws MPIException {
        room("attachBuffer", buffer).attach("attachBuffer", buffer, buffer.length);
    }

    /** As {@link #Buffer_detach}. @throws MPIException if they had none */
    public static byte[] detachBuffer() throws MPIException {
        byte[] attached = detach("detachBuffer");
        if (attached == null) {
            throw new MPIException(ERR_BUFFER, "detachBuffer: there is no buffer, expected an attach first");
        }
        return attached;
    }

    private static SendBuffer room(String call, Object buffer) {
        if (buffer == null) {
            throw new MPIException(ERR_BUFFER, call + ": the buffer is null");
        }
        return require(call).sendBuffer();
    }

    private static byte[] detach(String call) {
        Object attached = require(call).sendBuffer().detach(call);
        if (attached == null || attached instanceof byte[]) {
            return (byte[]) attached;
        }
        byte[] copy = new byte[((ByteBuffer) attached).capacity()];
        ((ByteBuffer) attached).duplicate().clear().get(copy);
        return copy;
    }

    // ---- errors

    /** The error handler of COMM_WORLD ({@link Comm#Errhandler_get}). */
    public static Errhandler Errorhandler_get() throws MPIException {
        require("Errorhandler_get");
        return COMM_WORLD.Errhandler_get();
    }

    /** Sets the error handler of COMM_WORLD ({@link Comm#Errhandler_set}). */
    public static void Errorhandler_set(Errhandler handler) throws MPIException {
        require("Errorhandler_set");
        COMM_WORLD.Errhandler_set(handler);
    }

    // ---- where and when

    /**
     * Seconds since some time in the past that stays the same in this process. One that is started in its place goes on from the
     * time that this one was told last, from when its program has asked for that again: what the restart takes is not counted, what it does again behind that is. A program in a job that is logged which asks more than a thousand times in a row and does nothing else is told the time in
     * steps of a thousandth of what it has waited so, at most a millisecond.
     *
     * <p>It is recorded from Init to Finalize. Before, it is the clock of this process's own host: in a process that was started again what is between such a time
     * and one of after Init means nothing. Behind Finalize it counts on, and is not the same again.
     */
    public static double Wtime() throws MPIException {
        OwnProcess asking = self;
        return (asking == null ? System.nanoTime() : asking.endpoint().nanoTime()) * NANOS;
    }

    /**
     * A number in [0, 1), the next of a sequence of this process's own; a process that is started in its place gets the same
     * ones again. Not for secrets.
     */
    public static double Random() throws MPIException {
        return require("Random").random().next();
    }

    /** Resolution of {@link #Wtime} in seconds. */
    public static double Wtick() throws MPIException {
        return NANOS;
    }

    /** As {@link #Wtime}. */
    public static double wtime() throws MPIException {
        return Wtime();
    }

    /** As {@link #Wtick}. */
    public static double wtick() throws MPIException {
        return Wtick();
    }

    /** As {@link #Get_processor_name}. */
    public static String getProcessorName() throws MPIException {
        return Get_processor_name();
    }

    /** The version of the MPI standard whose semantics the calls have. */
    public static Version getVersion() {
        return new Version(VERSION, SUBVERSION);
    }

    /** The name of this library and of the bindings that it implements. */
    public static String getLibVersion() {
        return "Posthouse mpj-lite: mpiJava 1.2 and Open MPI's Java bindings";
    }

    /** Tells a profiler to do something; there is none. */
    public static void pControl(int level, Object obj) {}

    /**
     * Name of this process's host. From Init to Finalize it is recorded: a process that is started in this one's place is told the same at the same calls, wherever
     * it is, and at those that no process made before it the name of its own host.
     */
    public static String Get_processor_name() throws MPIException {
        OwnProcess asking = self;
        return asking == null ? ProcessorName.ofHost() : RecordedText.of(asking.endpoint(), ProcessorName::ofHost);
    }
}
