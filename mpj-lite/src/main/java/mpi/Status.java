package mpi;

import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.operation.Envelope;

/** The result of a receive or probe. Plain fields, as mpiJava programs read them, and Open MPI's methods. */
public class Status extends mpjdev.Status {
    /** Null if there was no message. */
    private Envelope envelope;

    private boolean cancelled;

    /** The status of nothing: a send, or a request that is null. */
    public Status() {
        source = MPI.ANY_SOURCE;
        tag = MPI.ANY_TAG;
        index = MPI.UNDEFINED;
    }

    static Status of(int source, Envelope envelope) {
        Status status = new Status();
        status.source = source;
        status.tag = Messages.given(envelope.tag());
        status.count = envelope.elements();
        status.envelope = envelope;
        return status;
    }

    /** The status of a receive from {@link MPI#PROC_NULL}. */
    static Status ofNobody() {
        Status status = new Status();
        status.source = MPI.PROC_NULL;
        return status;
    }

    /** The status of an operation that was cancelled. */
    static Status ofCancelled() {
        Status status = new Status();
        status.cancelled = true;
        return status;
    }

    /** Elements of {@code datatype} in the message, or {@link MPI#UNDEFINED} if they are not whole, or more than an int can tell. */
    public int Get_count(Datatype datatype) throws MPIException {
        long elements = elements("Get_count", datatype);
        if (elements == 0) {
            return 0;
        }
        int size = datatype.size();
        return size > 0 && elements % size == 0 ? told(elements / size) : MPI.UNDEFINED;
    }

    /** A number as an int, or UNDEFINED, as MPI wants it, where it is beyond the range. */
    private static int told(long number) {
        return number <= Integer.MAX_VALUE ? (int) number : MPI.UNDEFINED;
    }

    /** Array elements in the message, or {@link MPI#UNDEFINED} if they are more than an int can tell. */
    public int Get_elements(Datatype datatype) throws MPIException {
        return told(elements("Get_elements", datatype));
    }

    /** Array elements of the datatype's base; UNDEFINED if its bytes are not whole ones. */
    private long elements(String call, Datatype datatype) {
        requireUsable(call, datatype);
        if (envelope == null) {
            return count;
        }
        if (datatype.base() != Base.OBJECT && envelope.bytes() % datatype.bytes() != 0) {
            return MPI.UNDEFINED;
        }
        return datatype.base().elements(envelope);
    }

    private static void requireUsable(String call, Datatype datatype) {
        if (datatype == null || !datatype.isUsable()) {
            throw new MPIException(MPI.ERR_TYPE, call + ": the datatype is " + (datatype == null ? "null" : datatype.whyUnusable()));
        }
    }

    /** Whether the operation was cancelled. */
    public boolean Test_cancelled() throws MPIException {
        return cancelled;
    }

    /** As {@link #source}. */
    public int getSource() {
        return source;
    }

    /** As {@link #tag}. */
    public int getTag() {
        return tag;
    }

    /** As {@link #index}. */
    public int getIndex() {
        return index;
    }

    /** {@link MPI#SUCCESS}: an operation that fails throws instead. */
    public int getError() {
        return MPI.SUCCESS;
    }

    /** As {@link #Get_count}. */
    public int getCount(Datatype datatype) throws MPIException {
        return Get_count(datatype);
    }

    /** As {@link #Get_elements}, but in a struct of bytes it counts what it was made of; UNDEFINED if not whole, or more than an int can tell. */
    public int getElements(Datatype datatype) throws MPIException {
        return told(basicElements("getElements", datatype));
    }

    /** As {@link #getElements}. */
    public Count getElementsX(Datatype datatype) throws MPIException {
        return new Count(basicElements("getElementsX", datatype));
    }

    private long basicElements(String call, Datatype datatype) {
        long elements = elements(call, datatype);
        return datatype.base() != Base.BYTE || elements < 0 ? elements : datatype.pieces().in(elements);
    }

    /** Makes it the status of a message of so many elements, as {@link #getElements} counts them. */
    public void setElements(Datatype datatype, int elements) throws MPIException {
        set("setElements", datatype, elements);
    }

    /** As {@link #setElements}. */
    public void setElementsX(Datatype datatype, Count elements) throws MPIException {
        set("setElementsX", datatype, elements.getCount());
    }

    private void set(String call, Datatype datatype, long elements) {
        requireUsable(call, datatype);
        long inBase = datatype.base() == Base.BYTE ? datatype.pieces().bytes(elements) : elements;
        if (elements < 0 || inBase > Integer.MAX_VALUE) {
            throw new MPIException(MPI.ERR_COUNT, call + ": " + elements + " elements, expected 0 to the range of int");
        }
        count = (int) inBase;
        envelope = null;
    }

    /** Does nothing; for programs that call it. */
    public void free() throws MPIException {}

    /** Makes it the status of an operation that was cancelled, or was not. */
    public void setCancelled(boolean flag) throws MPIException {
        cancelled = flag;
    }

    /** As {@link #Test_cancelled}. */
    public boolean isCancelled() throws MPIException {
        return cancelled;
    }
}
