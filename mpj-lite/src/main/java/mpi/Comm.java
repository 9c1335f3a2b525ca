package mpi;

import org.posthouse.mpj.Content;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.Envelope;
import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.UnwritableException;

/**
 * A communicator: a group of processes and a context of their own, so that its messages mix with no others. Several
 * threads of a rank may use it at once for point-to-point calls.
 *
 * <p>Buffers are arrays of the datatype's class; offsets are array indexes; counts are in elements of the datatype.
 * Every call throws an {@link MPIException} at once, before anything is sent, if an argument is wrong.
 */
public class Comm {
    final Endpoint endpoint;
    final Group group;
    final ArgumentCheck check;
    private final int context;

    Comm(Endpoint endpoint, Group group, int context, String name) {
        this.endpoint = endpoint;
        this.group = group;
        this.context = context;
        this.check = new ArgumentCheck(name, group);
    }

    /** The number of processes. */
    public int Size() throws MPIException {
        return group.Size();
    }

    /** The calling process's rank, from 0. */
    public int Rank() throws MPIException {
        return group.Rank();
    }

    /** Sends a message; returns when the buffer may be used again. */
    public void Send(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        Operation operation = startSend("Send", buf, offset, count, datatype, dest, tag);
        if (operation != null) {
            endpoint.await(operation);
        }
    }

    /** Starts to send a message; the buffer must not be changed before the request is complete. */
    public Request Isend(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        Operation operation = startSend("Isend", buf, offset, count, datatype, dest, tag);
        return operation == null ? Request.ofNobody() : new Request(this, "Isend", operation);
    }

    /**
     * Receives a message of at most {@code count} elements.
     *
     * @param source a rank, {@link MPI#ANY_SOURCE}, or {@link MPI#PROC_NULL}
     * @throws MPIException also if the message is longer, or of another datatype; it is consumed then
     */
    public Status Recv(Object buf, int offset, int count, Datatype datatype, int source, int tag)
            throws MPIException {
        checkReceive("Recv", buf, offset, count, datatype, source, tag);
        return receive("Recv", buf, offset, count, datatype, source, tag);
    }

    /** Starts to receive a message; the buffer must not be used before the request is complete. */
    public Request Irecv(Object buf, int offset, int count, Datatype datatype, int source, int tag)
            throws MPIException {
        checkReceive("Irecv", buf, offset, count, datatype, source, tag);
        return source == MPI.PROC_NULL
                ? Request.ofNobody()
                : new Request(this, "Irecv", startReceive(buf, offset, count, datatype, source, tag));
    }

    /** Sends one message and receives another, in whichever order they can go; the buffers must not overlap. */
    public Status Sendrecv(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, int dest, int sendtag,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int source, int recvtag)
            throws MPIException {
        String call = "Sendrecv";
        checkSend(call, sendbuf, sendoffset, sendcount, sendtype, dest, sendtag);
        checkReceive(call, recvbuf, recvoffset, recvcount, recvtype, source, recvtag);
        Content content =
                dest == MPI.PROC_NULL ? null : content(call, sendbuf, sendoffset, sendcount, sendtype);
        return exchange(call, content, dest, sendtag, recvbuf, recvoffset, recvcount, recvtype, source, recvtag);
    }

    /** As {@link #Sendrecv}, with one buffer for both. */
    public Status Sendrecv_replace(
            Object buf, int offset, int count, Datatype datatype, int dest, int sendtag, int source, int recvtag)
            throws MPIException {
        String call = "Sendrecv_replace";
        checkSend(call, buf, offset, count, datatype, dest, sendtag);
        checkReceive(call, buf, offset, count, datatype, source, recvtag);
        Content content = null;
        if (dest != MPI.PROC_NULL) {
            Region copy = datatype.region(buf, offset).scratch(count);
            datatype.region(buf, offset).moveTo(0, copy, 0, count);
            content = content(call, copy.array(), 0, count, datatype);
        }
        return exchange(call, content, dest, sendtag, buf, offset, count, datatype, source, recvtag);
    }

    /** Waits until a message could be received, and tells which; it stays where it is. */
    public Status Probe(int source, int tag) throws MPIException {
        check.source("Probe", source);
        check.receiveTag("Probe", tag);
        return source == MPI.PROC_NULL
                ? Status.ofNobody()
                : status(endpoint.probe(context, worldSource(source), tag));
    }

    /** As {@link #Probe}, but returns null if no message is there. */
    public Status Iprobe(int source, int tag) throws MPIException {
        check.source("Iprobe", source);
        check.receiveTag("Iprobe", tag);
        if (source == MPI.PROC_NULL) {
            return Status.ofNobody();
        }
        Envelope found = endpoint.tryProbe(context, worldSource(source), tag);
        return found == null ? null : status(found);
    }

    /** Ends all processes of the job; its exit status is {@code errorcode}. Does not return. */
    public void Abort(int errorcode) throws MPIException {
        endpoint.abort(errorcode, "called Abort(" + errorcode + ")");
    }

    /** Null if there is nobody to send to. */
    private Operation startSend(
            String call, Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
        checkSend(call, buf, offset, count, datatype, dest, tag);
        return dest == MPI.PROC_NULL
                ? null
                : endpoint.send(context, group.worldRank(dest), tag, content(call, buf, offset, count, datatype));
    }

    private Operation startReceive(Object buf, int offset, int count, Datatype datatype, int source, int tag) {
        return endpoint.receive(context, worldSource(source), tag, datatype.sink(buf, offset, count));
    }

    private Status receive(
            String call, Object buf, int offset, int count, Datatype datatype, int source, int tag) {
        if (source == MPI.PROC_NULL) {
            return Status.ofNobody();
        }
        Operation operation = startReceive(buf, offset, count, datatype, source, tag);
        endpoint.await(operation);
        return outcome(call, operation);
    }

    /** Arguments are checked; {@code content} is null if there is nobody to send to. */
    private Status exchange(
            String call, Content content, int dest, int sendtag,
            Object buf, int offset, int count, Datatype datatype, int source, int recvtag) {
        if (content == null) {
            return receive(call, buf, offset, count, datatype, source, recvtag);
        }
        if (source == MPI.PROC_NULL) {
            endpoint.await(endpoint.send(context, group.worldRank(dest), sendtag, content));
            return Status.ofNobody();
        }
        Operation[] both = endpoint.exchange(
                context, worldSource(source), recvtag, datatype.sink(buf, offset, count),
                group.worldRank(dest), sendtag, content);
        endpoint.await(both[0]);
        endpoint.await(both[1]);
        return outcome(call, both[0]);
    }

    private void checkSend(String call, Object buf, int offset, int count, Datatype datatype, int dest, int tag) {
        check.destination(call, dest);
        check.sendTag(call, tag);
        check.buffer(call, "send buffer", buf, offset, count, datatype);
    }

    private void checkReceive(
            String call, Object buf, int offset, int count, Datatype datatype, int source, int tag) {
        check.source(call, source);
        check.receiveTag(call, tag);
        check.buffer(call, "receive buffer", buf, offset, count, datatype);
    }

    private Content content(String call, Object buf, int offset, int count, Datatype datatype) {
        try {
            return datatype.content(buf, offset, count);
        } catch (UnwritableException e) {
            throw check.error(MPIException.ERR_TYPE, call, "the send buffer's " + e.getMessage(), e);
        }
    }

    private int worldSource(int source) {
        return source == MPI.ANY_SOURCE ? source : group.worldRank(source);
    }

    /** The status of a complete operation, or the error that it ended with. */
    Status outcome(String call, Operation operation) {
        Envelope envelope = operation.envelope();
        ReceiveException failure = operation.failure();
        if (failure != null) {
            String from = envelope == null
                    ? ""
                    : "from rank " + group.rankOf(envelope.source()) + " with tag " + envelope.tag() + ", ";
            throw check.error(errorClass(failure), call, from + failure.getMessage(), failure);
        }
        return envelope == null ? new Status() : status(envelope);
    }

    static int errorClass(ReceiveException failure) {
        return switch (failure.kind()) {
            case TRUNCATE -> MPIException.ERR_TRUNCATE;
            case TYPE -> MPIException.ERR_TYPE;
            case OBJECT -> MPIException.ERR_OTHER;
        };
    }

    private Status status(Envelope envelope) {
        return Status.of(group.rankOf(envelope.source()), envelope);
    }
}
