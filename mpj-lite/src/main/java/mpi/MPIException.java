package mpi;

/**
 * A call that cannot be carried out: a wrong argument, or a message that does not fit. Unchecked, as most MPJ programs
 * expect. Nothing was sent or received if an argument was wrong; a message that does not fit is consumed.
 */
public class MPIException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int errorClass;

    public MPIException() {
        errorClass = MPI.ERR_OTHER;
    }

    public MPIException(String message) {
        this(MPI.ERR_OTHER, message, null);
    }

    public MPIException(Throwable cause) {
        super(cause);
        errorClass = MPI.ERR_OTHER;
    }

    MPIException(int errorClass, String message) {
        this(errorClass, message, null);
    }

    MPIException(int errorClass, String message, Throwable cause) {
        super(message, cause);
        this.errorClass = errorClass;
    }

    /** The error class: one of {@link MPI}'s {@code ERR_} constants. */
    public int getErrorClass() {
        return errorClass;
    }

    /** The error code, which is the error class: a class has no finer codes here. */
    public int getErrorCode() {
        return errorClass;
    }
}
