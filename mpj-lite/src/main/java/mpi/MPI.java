package mpi;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Folds;
import org.posthouse.mpj.data.Unit;

/** The start and the end of a rank's part in a job, and MPI's names for everything that exists once. */
public class MPI {
    public static final int ANY_SOURCE = -2;
    public static final int ANY_TAG = -2;
    public static final int PROC_NULL = -3;
    public static final int UNDEFINED = -1;
    public static final int SUCCESS = 0;
    public static final int ERR_BUFFER = 1;
    public static final int ERR_COUNT = 2;
    public static final int ERR_TYPE = 3;
    public static final int ERR_TAG = 4;
    public static final int ERR_COMM = 5;
    public static final int ERR_RANK = 6;
    public static final int ERR_REQUEST = 7;
    public static final int ERR_ROOT = 8;
    public static final int ERR_GROUP = 9;
    public static final int ERR_OP = 10;
    public static final int ERR_TOPOLOGY = 11;
    public static final int ERR_DIMS = 12;
    public static final int ERR_ARG = 13;
    public static final int ERR_UNKNOWN = 14;
    public static final int ERR_TRUNCATE = 15;
    public static final int ERR_OTHER = 16;
    public static final int ERR_INTERN = 17;
    public static final int ERR_INFO_KEY = 31;
    public static final int ERR_INFO_NOKEY = 32;
    public static final int ERR_INFO_VALUE = 33;
    public static final int ERR_INFO = 34;
    public static final int MAX_INFO_KEY = 36;
    public static final int MAX_INFO_VAL = 256;
    public static final int IDENT = 0;
    public static final int CONGRUENT = 3;
    public static final int SIMILAR = 1;
    public static final int UNEQUAL = 2;

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

    /** The group of nobody. */
    public static final Group GROUP_EMPTY = Group.EMPTY;

    public static final Group GROUP_NULL = Group.freed();

    /** No hints, and freed. */
    public static final Info INFO_NULL = Info.freed();

    /** What is known of how the job was started: nothing. */
    public static final Info INFO_ENV = new Info();

    public static final Errhandler ERRORS_ARE_FATAL = new Errhandler("ERRORS_ARE_FATAL");
    public static final Errhandler ERRORS_RETURN = new Errhandler("ERRORS_RETURN");

    /** A request that is complete already. */
    public static final Request REQUEST_NULL = Request.ofNothing();

    /** All processes of the job; null before Init. */
    public static Intracomm COMM_WORLD;

    /** Size of {@link #COMM_WORLD}; 0 before Init. */
    public static int NUM_OF_PROCESSORS;

    private static final int WORLD_CONTEXT = 0;
    private static final int WORLD_COLLECTIVE_CONTEXT = 1;
    private static final double NANOS = 1e-9;

    private static boolean initialized;

    private MPI() {}

    /**
     * Joins the job. The first MPI call of a program, made once.
     *
     * @param args what {@code main} got, or an empty array
     * @return the program's own arguments
     * @throws MPIException if the process was not started by Posthouse, or called this before
     */
    public static synchronized String[] Init(String[] args) throws MPIException {
        Endpoint endpoint;
        try {
            endpoint = Endpoints.fromEnvironment();
        } catch (IllegalStateException e) {
            throw new MPIException(MPIException.ERR_OTHER, "Init: " + e.getMessage(), e);
        }
        COMM_WORLD = new Intracomm(
                endpoint,
                Group.world(endpoint.size(), endpoint.rank()),
                WORLD_CONTEXT,
                WORLD_COLLECTIVE_CONTEXT,
                "COMM_WORLD");
        NUM_OF_PROCESSORS = endpoint.size();
        initialized = true;
        return args == null ? new String[0] : args.clone();
    }

    /** Leaves the job, when all sends have left. The process may go on, but not communicate. */
    public static synchronized void Finalize() throws MPIException {
        if (!initialized) {
            throw new MPIException(MPIException.ERR_OTHER, "Finalize: expected after Init, and once");
        }
        initialized = false;
        COMM_WORLD.endpoint.close();
    }

    /** Whether Init was called, and Finalize was not. */
    public static synchronized boolean Initialized() throws MPIException {
        return initialized;
    }

    /** Seconds since some time in the past that stays the same in this process. */
    public static double Wtime() throws MPIException {
        return System.nanoTime() * NANOS;
    }

    /** Resolution of {@link #Wtime} in seconds. */
    public static double Wtick() throws MPIException {
        return NANOS;
    }

    /** Name of this process's host. */
    public static String Get_processor_name() throws MPIException {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            // A host that cannot resolve its own name still has one.
            return System.getenv().getOrDefault("HOSTNAME", "localhost");
        }
    }
}
