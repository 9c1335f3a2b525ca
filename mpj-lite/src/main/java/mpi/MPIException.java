package mpi;

/**
 * A call that cannot be carried out: a wrong argument, or a message that does not fit. Unchecked, as most MPJ programs
 * expect. Nothing was sent or received if an argument was wrong; a message that does not fit is consumed.
 */
public class MPIException extends RuntimeException {
    public static final int ERR_BUFFER = 1;
    public static final int ERR_COUNT = 2;
    public static final int ERR_TYPE = 3;
    public static final int ERR_TAG = 4;
    public static final int ERR_COMM = 5;
    public static final int ERR_RANK = 6;
    public static final int ERR_REQUEST = 7;
    public static final int ERR_ROOT = 8;
    public static final int ERR_OP = 9;
    public static final int ERR_ARG = 10;
    public static final int ERR_TRUNCATE = 11;
    public static final int ERR_OTHER = 12;

    private static final long serialVersionUID = 1L;

    private final int errorClass;

    public MPIException() {
        errorClass = ERR_OTHER;
    }

    public MPIException(String message) {
        this(ERR_OTHER, message, null);
    }

    public MPIException(Throwable cause) {
        super(cause);
        errorClass = ERR_OTHER;
    }

    MPIException(int errorClass, String message) {
        this(errorClass, message, null);
    }

    MPIException(int errorClass, String message, Throwable cause) {
        super(message, cause);
        this.errorClass = errorClass;
    }

    public int getErrorClass() {
        return errorClass;
    }

    /** What kind of error this is: one of the {@code ERR_} constants. */
    public int errorClass() {
        return errorClass;
    }
}
