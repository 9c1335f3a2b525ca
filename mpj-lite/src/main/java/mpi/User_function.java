package mpi;

/**
 * A reduction that a program defines. What it throws, the collective throws at this rank when it is over; it goes to its end, so that nobody waits for this rank,
 * and fails at those that would have got the result.
 */
public abstract class User_function {
    /**
     * Computes {@code inoutvec[i] = invec[i] op inoutvec[i]} for {@code count} elements of {@code datatype}, from the
     * given array indexes on. {@code invec} holds the values of lower ranks, and must not be changed.
     */
    public abstract void Call(
            Object invec, int inoffset, Object inoutvec, int inoutoffset, int count, Datatype datatype)
            throws MPIException;
}
