package mpi;

/**
 * Point-to-point calls in Open MPI's spelling: no offset ({@link MPI#slice} shifts a buffer), and everything else as in
 * mpiJava's. Where Open MPI takes only direct NIO buffers, arrays and heap buffers do as well. In blocking calls an array
 * of another kind than the datatype's stands for its memory ({@link BufferView}). Tags are 0 or more.
 */
abstract class OpenMpiPointToPoint extends MpjPointToPoint {
    OpenMpiPointToPoint(OwnProcess self, Group group, Group addressed, int id, String name) {
        super(self, group, addressed, id, name);
    }

    /** As {@link #Send}. */
    public void send(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        messages.send("send", Messages.Kind.STANDARD, BufferView.of(buf, type), 0, count, type, dest, tag);
    }

    /** As {@link #Bsend}. */
    public void bSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        messages.send("bSend", Messages.Kind.BUFFERED, BufferView.of(buf, type), 0, count, type, dest, tag);
    }

    /** As {@link #Ssend}. */
    public void sSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        messages.send("sSend", Messages.Kind.SYNCHRONOUS, BufferView.of(buf, type), 0, count, type, dest, tag);
    }

    /** As {@link #Rsend}. */
    public void rSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        messages.send("rSend", Messages.Kind.STANDARD, BufferView.of(buf, type), 0, count, type, dest, tag);
    }

    /** As {@link #Isend}. */
    public Request iSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return messages.sendRequest("iSend", Messages.Kind.STANDARD, buf, 0, count, type, dest, tag);
    }

    /** As {@link #Ibsend}. */
    public Request ibSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return messages.sendRequest("ibSend", Messages.Kind.BUFFERED, buf, 0, count, type, dest, tag);
    }

    /** As {@link #Issend}. */
    public Request isSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return messages.sendRequest("isSend", Messages.Kind.SYNCHRONOUS, buf, 0, count, type, dest, tag);
    }

    /** As {@link #Irsend}. */
    public Request irSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return messages.sendRequest("irSend", Messages.Kind.STANDARD, buf, 0, count, type, dest, tag);
    }

    /** As {@link #Send_init}. */
    public Prequest sendInit(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return messages.persistentSend("sendInit", Messages.Kind.STANDARD, buf, 0, count, type, dest, tag);
    }

    /** As {@link #Bsend_init}. */
    public Prequest bSendInit(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return messages.persistentSend("bSendInit", Messages.Kind.BUFFERED, buf, 0, count, type, dest, tag);
    }

    /** As {@link #Ssend_init}. */
    public Prequest sSendInit(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return messages.persistentSend("sSendInit", Messages.Kind.SYNCHRONOUS, buf, 0, count, type, dest, tag);
    }

    /** As {@link #Rsend_init}. */
    public Prequest rSendInit(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return messages.persistentSend("rSendInit", Messages.Kind.STANDARD, buf, 0, count, type, dest, tag);
    }

    /** As {@link #Recv}. */
    public Status recv(Object buf, int count, Datatype type, int source, int tag) throws MPIException {
        Object memory = BufferView.of(buf, type);
        Status status = messages.receive("recv", memory, 0, count, type, source, tag);
        BufferView.back(memory, buf);
        return status;
    }

    /** As {@link #Irecv}. */
    public Request iRecv(Object buf, int count, Datatype type, int source, int tag) throws MPIException {
        return messages.receiveRequest("iRecv", buf, 0, count, type, source, tag);
    }

    /** As {@link #Recv_init}. */
    public Prequest recvInit(Object buf, int count, Datatype type, int source, int tag) throws MPIException {
        return messages.persistentReceive("recvInit", buf, 0, count, type, source, tag);
    }

    /** As {@link #Sendrecv}. */
    public Status sendRecv(
            Object sendbuf, int sendcount, Datatype sendtype, int dest, int sendtag,
            Object recvbuf, int recvcount, Datatype recvtype, int source, int recvtag)
            throws MPIException {
        Object memory = BufferView.of(recvbuf, recvtype);
        Status status = messages.exchange(
                "sendRecv", BufferView.of(sendbuf, sendtype), 0, sendcount, sendtype, dest, sendtag,
                memory, 0, recvcount, recvtype, source, recvtag);
        BufferView.back(memory, recvbuf);
        return status;
    }

    /** As {@link #Sendrecv_replace}. */
    public Status sendRecvReplace(
            Object buf, int count, Datatype type, int dest, int sendtag, int source, int recvtag)
            throws MPIException {
        Object memory = BufferView.of(buf, type);
        Status status =
                messages.exchangeInPlace("sendRecvReplace", memory, 0, count, type, dest, sendtag, source, recvtag);
        BufferView.back(memory, buf);
        return status;
    }

    /** As {@link #Probe}. */
    public Status probe(int source, int tag) throws MPIException {
        return messages.probe("probe", source, tag);
    }

    /** As {@link #Iprobe}: null if no message is there. */
    public Status iProbe(int source, int tag) throws MPIException {
        return messages.tryProbe("iProbe", source, tag);
    }

    /** As {@link #Pack}. */
    public int pack(Object inbuf, int incount, Datatype type, byte[] outbuf, int position) throws MPIException {
        return Packing.pack(this, "pack", BufferView.of(inbuf, type), 0, incount, type, outbuf, position);
    }

    /** As {@link #Unpack}. */
    public int unpack(byte[] inbuf, int position, Object outbuf, int outcount, Datatype type) throws MPIException {
        Object memory = BufferView.of(outbuf, type);
        int next = Packing.unpack(this, "unpack", inbuf, position, memory, 0, outcount, type);
        BufferView.back(memory, outbuf);
        return next;
    }

    /** As {@link #Pack_size}. */
    public int packSize(int incount, Datatype type) throws MPIException {
        return Packing.size(this, "packSize", incount, type);
    }
}
