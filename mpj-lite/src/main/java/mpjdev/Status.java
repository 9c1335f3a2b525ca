package mpjdev;

/** The fields of {@link mpi.Status}, for programs that import it from here. Each instance is an {@link mpi.Status}. */
public class Status {
    /** Rank of the sender in the communicator used; PROC_NULL or ANY_SOURCE if there is none. */
    public int source;

    public int tag;

    /** Position of the request in the array of a Waitany, Waitsome, Testany or Testsome; else UNDEFINED. */
    public int index;

    /** Array elements in the message: two for each element of a pair type. */
    public int count;

    protected Status() {}
}
