package mpi;

/**
 * Point-to-point calls in mpiJava's spelling. Buffers are arrays of the datatype's class, or NIO buffers; offsets are
 * indexes in them; counts are in elements of the datatype. Every call throws an {@link MPIException} at once, before
 * anything is sent, if an argument is wrong. To and from {@link MPI#PROC_NULL} nothing moves. Several threads of a rank
 * may call at once.
 *
 * <p>Tags may be negative, all but the lowest int. A message that is sent with {@link MPI#ANY_TAG} is one that only a
 * receive with ANY_TAG takes.
 */
abstract class MpjPointToPoint extends Communicator {
    final Messages messages;

    MpjPointToPoint(OwnProcess self, Group group, Group addressed, int id, String name) {
        super(self, group, addressed, id, name);
        messages = new Messages(this);
    }

    /** Sends a message; returns when the buffer may be used again. */
    public void Send(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        messages.send("Send", Messages.Kind.STANDARD, buf, offset, count, datatype, dest, tag);
    }

    /** Sends a copy of the message from the attached buffer ({@link MPI#Buffer_attach}); returns at once. */
    public void Bsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        messages.send("Bsend", Messages.Kind.BUFFERED, buf, offset, count, datatype, dest, tag);
    }

    /** Sends a message; returns when a receive has matched it. */
    public void Ssend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        messages.send("Ssend", Messages.Kind.SYNCHRONOUS, buf, offset, count, datatype, dest, tag);
    }

    /** As {@link #Send}; the program knows that the receive is posted. */
    public void Rsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        messages.send("Rsend", Messages.Kind.STANDARD, buf, offset, count, datatype, dest, tag);
    }

    /** Starts to send a message; the buffer must not be changed before the request is complete. */
    public Request Isend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        return messages.sendRequest("Isend", Messages.Kind.STANDARD, buf, offset, count, datatype, dest, tag);
    }

    /** Starts a {@link #Bsend}; the request is complete at once. */
    public Request Ibsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        return messages.sendRequest("Ibsend", Messages.Kind.BUFFERED, buf, offset, count, datatype, dest, tag);
    }

    /** Starts an {@link #Ssend}: the request is complete when a receive has matched. */
    public Request Issend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        return messages.sendRequest("Issend", Messages.Kind.SYNCHRONOUS, buf, offset, count, datatype, dest, tag);
    }

    /** Starts an {@link #Rsend}. */
    public Request Irsend(Object buf, int offset, int count, Datatype datatype, int dest, int tag) throws MPIException {
        return messages.sendRequest("Irsend", Messages.Kind.STANDARD, buf, offset, count, datatype, dest, tag);
    }

    /** Makes a send that {@link Prequest#Start} starts, each time with what the buffer has then. */
    public Prequest Send_init(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return messages.persistentSend("Send_init", Messages.Kind.STANDARD, buf, offset, count, datatype, dest, tag);
    }

    /** As {@link #Send_init}, for {@link #Bsend}. */
    public Prequest Bsend_init(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return messages.persistentSend("Bsend_init", Messages.Kind.BUFFERED, buf, offset, count, datatype, dest, tag);
    }

    /** As {@link #Send_init}, for {@link #Ssend}. */
    public Prequest Ssend_init(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return messages.persistentSend("Ssend_init", Messages.Kind.SYNCHRONOUS, buf, offset, count, datatype, dest, tag);
    }

    /** As {@link #Send_init}, for {@link #Rsend}. */
    public Prequest Rsend_init(Object buf, int offset, int count, Datatype datatype, int dest, int tag)
            throws MPIException {
        return messages.persistentSend("Rsend_init", Messages.Kind.STANDARD, buf, offset, count, datatype, dest, tag);
    }

    /**
     * Receives a message of at most {@code count} elements.
     *
     * @param source a rank, {@link MPI#ANY_SOURCE}, or {@link MPI#PROC_NULL}
     * @throws MPIException also if the message is longer, or of another datatype; it is consumed then
     */
    public Status Recv(Object buf, int offset, int count, Datatype datatype, int source, int tag) throws MPIException {
        return messages.receive("Recv", buf, offset, count, datatype, source, tag);
    }

    /** Starts to receive a message; the buffer must not be used before the request is complete. */
    public Request Irecv(Object buf, int offset, int count, Datatype datatype, int source, int tag)
            throws MPIException {
        return messages.receiveRequest("Irecv", buf, offset, count, datatype, source, tag);
    }

    /** Makes a receive that {@link Prequest#Start} starts. */
    public Prequest Recv_init(Object buf, int offset, int count, Datatype datatype, int source, int tag)
            throws MPIException {
        return messages.persistentReceive("Recv_init", buf, offset, count, datatype, source, tag);
    }

    /** Sends one message and receives another, in whichever order they can go; the buffers must not overlap. */
    public Status Sendrecv(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, int dest, int sendtag,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int source, int recvtag)
            throws MPIException {
        return messages.exchange(
                "Sendrecv", sendbuf, sendoffset, sendcount, sendtype, dest, sendtag,
                recvbuf, recvoffset, recvcount, recvtype, source, recvtag);
    }

    /** As {@link #Sendrecv}, with one buffer for both. */
    public Status Sendrecv_replace(
            Object buf, int offset, int count, Datatype datatype, int dest, int sendtag, int source, int recvtag)
            throws MPIException {
        return messages.exchangeInPlace(
                "Sendrecv_replace", buf, offset, count, datatype, dest, sendtag, source, recvtag);
    }

    /** Waits until a message could be received, and tells which; it stays where it is. */
    public Status Probe(int source, int tag) throws MPIException {
        return messages.probe("Probe", source, tag);
    }

    /** As {@link #Probe}, but returns null if no message is there. */
    public Status Iprobe(int source, int tag) throws MPIException {
        return messages.tryProbe("Iprobe", source, tag);
    }

    /**
     * Copies elements to {@code outbuf} as bytes, to be sent as {@link MPI#PACKED}.
     *
     * @param position where the bytes begin
     * @return where the next ones would
     * @throws MPIException of class ERR_TRUNCATE if {@code outbuf} is too short
     */
    public int Pack(Object inbuf, int offset, int incount, Datatype datatype, byte[] outbuf, int position)
            throws MPIException {
        return Packing.pack(this, "Pack", inbuf, offset, incount, datatype, outbuf, position);
    }

    /**
     * Copies elements out of what {@link #Pack} made.
     *
     * @return where the next ones begin
     */
    public int Unpack(byte[] inbuf, int position, Object outbuf, int offset, int outcount, Datatype datatype)
            throws MPIException {
        return Packing.unpack(this, "Unpack", inbuf, position, outbuf, offset, outcount, datatype);
    }

    /** Bytes that {@link #Pack} of so many elements takes; for objects, which differ, a guess. */
    public int Pack_size(int incount, Datatype datatype) throws MPIException {
        return Packing.size(this, "Pack_size", incount, datatype);
    }
}
