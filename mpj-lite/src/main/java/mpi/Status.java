package mpi;

import org.posthouse.mpj.Envelope;

/** What a receive or probe found. Plain fields, as programs read them. */
public class Status {
    /** Rank of the sender in the communicator used; PROC_NULL or ANY_SOURCE if there is none. */
    public int source = MPI.ANY_SOURCE;

    public int tag = MPI.ANY_TAG;

    /** Position of the request in the array of a Waitany, Waitsome, Testany or Testsome; else UNDEFINED. */
    public int index = MPI.UNDEFINED;

    /** Array elements in the message: two for each element of a pair type. */
    public int count;

    /** The status of nothing: a send, or a request that is null. */
    public Status() {}

    static Status of(int source, Envelope envelope) {
        Status status = new Status();
        status.source = source;
        status.tag = envelope.tag();
        status.count = envelope.elements();
        return status;
    }

    /** The status of a receive from {@link MPI#PROC_NULL}. */
    static Status ofNobody() {
        Status status = new Status();
        status.source = MPI.PROC_NULL;
        return status;
    }

    /** Elements of {@code datatype} in the message, or {@link MPI#UNDEFINED} if they are not whole. */
    public int Get_count(Datatype datatype) throws MPIException {
        if (datatype == null) {
            throw new MPIException(MPIException.ERR_TYPE, "Get_count: the datatype is null");
        }
        return count % datatype.size() == 0 ? count / datatype.size() : MPI.UNDEFINED;
    }

    /** Array elements in the message. */
    public int Get_elements(Datatype datatype) throws MPIException {
        if (datatype == null) {
            throw new MPIException(MPIException.ERR_TYPE, "Get_elements: the datatype is null");
        }
        return count;
    }
}
