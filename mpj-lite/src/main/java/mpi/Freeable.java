package mpi;

/** What a program can give back: Open MPI's common name for it. */
public interface Freeable {
    /** Gives the object back; it must not be used any more. */
    void free() throws MPIException;
}
