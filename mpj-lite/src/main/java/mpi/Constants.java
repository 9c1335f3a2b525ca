package mpi;

/** The numbers that MPI has names for; programs use them as {@code MPI.NAME}. */
abstract class Constants {
    public static final int ANY_SOURCE = -2;
    public static final int ANY_TAG = -2;
    public static final int PROC_NULL = -3;
    public static final int UNDEFINED = -1;

    /** What the root of an intercommunicator's collective gives as root. */
    public static final int ROOT = -4;

    public static final int IDENT = 0;
    public static final int SIMILAR = 1;
    public static final int UNEQUAL = 2;
    public static final int CONGRUENT = 3;

    public static final int GRAPH = 1;
    public static final int CART = 2;
    public static final int DIST_GRAPH = 3;

    public static final int THREAD_SINGLE = 1;
    public static final int THREAD_FUNNELED = 2;
    public static final int THREAD_SERIALIZED = 3;
    public static final int THREAD_MULTIPLE = 4;

    /** Bytes of a buffered send beside the message's own. */
    public static final int BSEND_OVERHEAD = SendBuffer.OVERHEAD_BYTES;

    public static final int SEND_OVERHEAD = BSEND_OVERHEAD;
    public static final int RECV_OVERHEAD = BSEND_OVERHEAD;

    /** Keys of the attributes that a communicator has from the start. */
    public static final int TAG_UB = 1;

    public static final int HOST = 2;
    public static final int IO = 3;
    public static final int WTIME_IS_GLOBAL = 4;
    public static final int APPNUM = 5;
    public static final int UNIVERSE_SIZE = 6;
    public static final int LASTUSEDCODE = 7;
    public static final int KEYVAL_INVALID = -1;

    public static final int MAX_OBJECT_NAME = 64;
    public static final int MAX_INFO_KEY = 36;
    public static final int MAX_INFO_VAL = 256;

    /** The version of the MPI standard whose semantics the calls have. */
    public static final int VERSION = 3;

    public static final int SUBVERSION = 1;

    /** Error classes ({@link MPIException#getErrorClass}), numbered as in Open MPI. */
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
    public static final int ERR_IN_STATUS = 18;
    public static final int ERR_PENDING = 19;
    public static final int ERR_INFO_KEY = 31;
    public static final int ERR_INFO_NOKEY = 32;
    public static final int ERR_INFO_VALUE = 33;
    public static final int ERR_INFO = 34;
    public static final int ERR_KEYVAL = 36;
    public static final int ERR_NO_MEM = 39;
    public static final int ERR_UNSUPPORTED_OPERATION = 52;
    public static final int ERR_LASTCODE = 92;

    Constants() {}
}
