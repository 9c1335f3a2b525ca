package mpi;

/** An error in the arguments that describe a topology or a place in it, before the call is named. */
final class WrongShape extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int errorClass;

    /** @param what actual against expected */
    WrongShape(int errorClass, String what) {
        super(what);
        this.errorClass = errorClass;
    }

    /** As the error of a call on a communicator. */
    MPIException of(String call, ArgumentCheck check) {
        return check.error(errorClass, call, getMessage(), this);
    }

    /** As the error of a call on nothing. */
    MPIException of(String call) {
        return new MPIException(errorClass, call + ": " + getMessage(), this);
    }
}
