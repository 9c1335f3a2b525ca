package mpi;

/**
 * The error handler of a communicator: {@link MPI#ERRORS_ARE_FATAL} or {@link MPI#ERRORS_RETURN} (see {@link
 * Comm#Errhandler_set}). Immutable.
 */
public final class Errhandler implements Freeable {
    private final String name;

    Errhandler(String name) {
        this.name = name;
    }

    /** Does nothing: there are only the predefined ones, which stay. */
    @Override
    public void free() throws MPIException {}

    @Override
    public String toString() {
        return name;
    }
}
