package mpi;

/** A reduction that a program defines. */
public abstract class User_function {
    /**
     * Computes {@code inoutvec[i] = invec[i] op inoutvec[i]} for {@code count} elements of {@code datatype}, from the
     * given array indexes on. {@code invec} holds the values of lower ranks, and must not be changed.
     */
    public abstract void Call(
            Object invec, int inoffset, Object inoutvec, int inoutoffset, int count, Datatype datatype)
            throws MPIException;
}
