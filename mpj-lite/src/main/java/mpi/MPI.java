package mpi;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.Endpoints;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Folds;

/** The start and the end of a rank's part in a job, and MPI's names for everything that exists once. */
public class MPI {
    public static final int ANY_SOURCE = -2;
    public static final int ANY_TAG = -2;
    public static final int PROC_NULL = -3;
    public static final int UNDEFINED = -1;

    public static final Datatype BYTE = new Datatype("BYTE", Base.BYTE, 1);
    public static final Datatype CHAR = new Datatype("CHAR", Base.CHAR, 1);
    public static final Datatype SHORT = new Datatype("SHORT", Base.SHORT, 1);
    public static final Datatype BOOLEAN = new Datatype("BOOLEAN", Base.BOOLEAN, 1);
    public static final Datatype INT = new Datatype("INT", Base.INT, 1);
    public static final Datatype LONG = new Datatype("LONG", Base.LONG, 1);
    public static final Datatype FLOAT = new Datatype("FLOAT", Base.FLOAT, 1);
    public static final Datatype DOUBLE = new Datatype("DOUBLE", Base.DOUBLE, 1);

    /** Any serializable objects, null too; an array in an array (a matrix's rows) is one object. */
    public static final Datatype OBJECT = new Datatype("OBJECT", Base.OBJECT, 1);

    /** Pairs (value, index) for MAXLOC and MINLOC, in two adjacent array elements. */
    public static final Datatype SHORT2 = new Datatype("SHORT2", Base.SHORT, 2);

    public static final Datatype INT2 = new Datatype("INT2", Base.INT, 2);
    public static final Datatype LONG2 = new Datatype("LONG2", Base.LONG, 2);
    public static final Datatype FLOAT2 = new Datatype("FLOAT2", Base.FLOAT, 2);
    public static final Datatype DOUBLE2 = new Datatype("DOUBLE2", Base.DOUBLE, 2);

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
     * @param args what {@code main} got, or an array of the program's own, which may be empty; null is empty
     * @return the program's own arguments, without the words that {@code posthouse run --args} put in front
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
        return Endpoints.ownArguments(args);
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
