package mpi;

import org.posthouse.mpj.operation.ReceiveException;

/**
 * A message that a matched probe took out of the machine, so that no other thread can receive it (MPI-3.1, 3.8.2; Open
 * MPI's spelling). Confined to one thread at a time.
 */
public final class Message {
    private Comm comm;
    private MatchedMessage matchedMessage;
    private boolean noProc;

    /** No message yet. */
    public Message() {}

    /** Whether there is no message: before a probe, and after a receive. */
    public boolean isNull() {
        return matchedMessage == null && !noProc;
    }

    /** Whether it is a message from {@link MPI#PROC_NULL}. */
    public boolean isNoProc() {
        return noProc;
    }

    /**
     * Waits for a matching message, and takes it.
     *
     * @throws MPIException of class ERR_NO_MEM if the heap has no room for it: the message is lost
     */
    public Status mProbe(int source, int tag, Comm comm) throws MPIException {
        return hold(comm, require("mProbe", comm).messages.take("mProbe", source, tag));
    }

    /** As {@link #mProbe}, but returns null if no message is there. */
    public Status imProbe(int source, int tag, Comm comm) throws MPIException {
        Status found = require("imProbe", comm).messages.tryProbe("imProbe", source, tag);
        if (found == null) {
            return null;
        }
        boolean nobody = found.source == MPI.PROC_NULL;
        MatchedMessage taken = nobody ? null : comm.messages.tryTake("imProbe", found.source, found.tag);
        return taken == null && !nobody ? null : hold(comm, taken);
    }

    /** @param message null if it is one from nobody */
    private Status hold(Comm from, MatchedMessage message) {
        if (isNull()) {
            from.self.underWay().taken(); // Else the one that it held is lost, and this one in its place.
        }
        comm = from;
        matchedMessage = message;
        noProc = message == null;
        return noProc ? Status.ofNobody() : from.status(message.envelope());
    }

    private static Comm require(String call, Comm comm) {
        if (comm == null) {
            throw new MPIException(MPI.ERR_COMM, call + ": the communicator is null");
        }
        return comm;
    }

    /** Receives the message. */
    public Status mRecv(Object buf, int count, Datatype type) throws MPIException {
        Object memory = BufferView.of(buf, type);
        Status status = receive("mRecv", memory, count, type);
        BufferView.back(memory, buf);
        return status;
    }

    /** As {@link #mRecv}; the request is complete at once, as the message is there. */
    public Request imRecv(Object buf, int count, Datatype type) throws MPIException {
        return Request.complete(receive("imRecv", buf, count, type));
    }

    private Status receive(String call, Object buf, int count, Datatype type) {
        if (isNull()) {
            throw new MPIException(MPI.ERR_REQUEST, call + ": there is no message, expected mProbe or imProbe first");
        }
        comm.check.room(call, "receive buffer", buf, 0, count, type);
        MatchedMessage message = matchedMessage;
        matchedMessage = null;
        comm.self.underWay().takenSeen();
        if (noProc) {
            noProc = false;
            return Status.ofNobody();
        }
        try {
            message.pass(type.sink(buf, 0, count));
            return comm.status(message.envelope());
        } catch (ReceiveException e) {
            throw comm.check.error(Communicator.errorClass(e), call, e.getMessage(), e);
        }
    }
}
