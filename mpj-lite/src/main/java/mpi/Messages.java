package mpi;

import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.UnwritableException;
import org.posthouse.mpj.failure.PendingFailureException;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.FailedProbeException;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.wire.Wire;

/**
 * Point-to-point messages of one communicator: what the calls of both spellings do. Each method takes the name of the
 * call as the program spelled it, for errors. Thread-safe, as its endpoint is.
 */
final class Messages {
    /** When a send is complete (MPI-1.1, 3.4). A ready send is a standard one. */
    enum Kind {
        STANDARD,
        /** At once: a copy is kept in the attached buffer until it has left. */
        BUFFERED,
        /** When a receive has matched it. */
        SYNCHRONOUS
    }

    private final Communicator comm;
    private final ArgumentCheck check;
    private final Endpoint endpoint;

    Messages(Communicator comm) {
        this.comm = comm;
        check = comm.check;
        endpoint = comm.endpoint;
    }

    void send(String call, Kind kind, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        checkSend(call, buf, offset, count, type, dest, tag);
        Operation operation = dest == MPI.PROC_NULL ? null : startSend(call, kind, content(call, buf, offset, count, type), dest, tag);
        if (operation != null) {
            comm.await(call, operation);
            comm.requireSuccess(call, operation);
        }
    }

    Request sendRequest(String call, Kind kind, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        checkSend(call, buf, offset, count, type, dest, tag);
        return checkedSendRequest(call, kind, buf, offset, count, type, dest, tag);
    }

    private Request checkedSendRequest(
            String call, Kind kind, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        if (dest == MPI.PROC_NULL) {
            return Request.complete(Status.ofNobody());
        }
        Content content = content(call, buf, offset, count, type);
        Operation operation = startSend(call, kind, content, dest, tag);
        if (operation == null) {
            return Request.complete(new Status());
        } else if (!endpoint.mayWaitForReceive(content.bytes(), mode(kind))) {
            return new Request(comm, call, operation);
        }
        comm.self.underWay().begun(OutstandingOperations.Kind.SEND);
        return Request.underWay(OutstandingOperations.Kind.SEND, comm, call, operation);
    }

    private static SendMode mode(Kind kind) {
        return kind == Kind.SYNCHRONOUS ? SendMode.SYNCHRONOUS : SendMode.STANDARD;
    }

    /** A send that can be started again and again, also when its datatype and communicator were freed. */
    Prequest persistentSend(
            String call, Kind kind, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        checkSend(call, buf, offset, count, type, dest, tag);
        return new Prequest(comm, call, () -> checkedSendRequest(call, kind, buf, offset, count, type, dest, tag));
    }

    Status receive(String call, Object buf, int offset, int count, Datatype type, int source, int tag) {
        checkReceive(call, buf, offset, count, type, source, tag);
        return checkedReceive(call, buf, offset, count, type, source, tag);
    }

    Request receiveRequest(String call, Object buf, int offset, int count, Datatype type, int source, int tag) {
        checkReceive(call, buf, offset, count, type, source, tag);
        return checkedReceiveRequest(call, buf, offset, count, type, source, tag);
    }

    private Request checkedReceiveRequest(
            String call, Object buf, int offset, int count, Datatype type, int source, int tag) {
        return source == MPI.PROC_NULL
                ? Request.complete(Status.ofNobody())
                : Request.underWay(OutstandingOperations.Kind.RECEIVE, comm, call, startReceive(call, source, tag, type.sink(buf, offset, count)));
    }

    /** As {@link #persistentSend}, a receive. */
    Prequest persistentReceive(
            String call, Object buf, int offset, int count, Datatype type, int source, int tag) {
        checkReceive(call, buf, offset, count, type, source, tag);
        return new Prequest(comm, call, () -> checkedReceiveRequest(call, buf, offset, count, type, source, tag));
    }

    Status exchange(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, int dest, int sendtag,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int source, int recvtag) {
        checkSend(call, sendbuf, sendoffset, sendcount, sendtype, dest, sendtag);
        checkReceive(call, recvbuf, recvoffset, recvcount, recvtype, source, recvtag);
        Content content = dest == MPI.PROC_NULL ? null : content(call, sendbuf, sendoffset, sendcount, sendtype);
        return exchange(call, content, dest, sendtag, recvbuf, recvoffset, recvcount, recvtype, source, recvtag);
    }

    Status exchangeInPlace(
            String call, Object buf, int offset, int count, Datatype type, int dest, int sendtag, int source,
            int recvtag) {
        checkSend(call, buf, offset, count, type, dest, sendtag);
        checkReceive(call, buf, offset, count, type, source, recvtag);
        Content content = null;
        if (dest != MPI.PROC_NULL) {
            Region copy = type.region(buf, offset).scratch(count);
            type.region(buf, offset).moveTo(0, copy, 0, count);
            content = content(call, copy, count);
        }
        return exchange(call, content, dest, sendtag, buf, offset, count, type, source, recvtag);
    }

    Status probe(String call, int source, int tag) {
        checkProbe(call, source, tag);
        if (source == MPI.PROC_NULL) {
            return Status.ofNobody();
        }
        try {
            return comm.status(endpoint.probe(comm.context(), comm.worldSource(source), tag, call));
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        } catch (FailedProbeException e) {
            throw failed(call, e);
        }
    }

    /** Null if no message is there. */
    Status tryProbe(String call, int source, int tag) {
        checkProbe(call, source, tag);
        if (source == MPI.PROC_NULL) {
            return Status.ofNobody();
        }
        try {
            Envelope found = endpoint.tryProbe(comm.context(), comm.worldSource(source), tag);
            return found == null ? null : comm.status(found);
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        } catch (FailedProbeException e) {
            throw failed(call, e);
        }
    }

    private MPIException failed(String call, FailedProbeException probe) {
        return check.error(Communicator.errorClass(probe.failure()), call, probe.getMessage(), probe);
    }

    /**
     * Takes the message that a probe would find out of the machine, whatever it is; blocks until there is one. Null if
     * it is one from PROC_NULL.
     */
    MatchedMessage take(String call, int source, int tag) {
        checkProbe(call, source, tag);
        if (source == MPI.PROC_NULL) {
            return null;
        }
        MatchedMessage matchedMessage = new MatchedMessage();
        received(call, startReceive(call, source, tag, matchedMessage));
        return matchedMessage;
    }

    /** As {@link #take}, but null if no message is there: another thread may have taken the one that a probe found. */
    MatchedMessage tryTake(String call, int source, int tag) {
        MatchedMessage matchedMessage = new MatchedMessage();
        Operation operation = startReceive(call, source, tag, matchedMessage);
        try {
            if (endpoint.cancel(operation)) {
                comm.self.underWay().seen(OutstandingOperations.Kind.RECEIVE);
                return null;
            }
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        }
        received(call, operation);
        return matchedMessage;
    }

    /** Arguments are checked, and there is somebody to send to. Null if there is nothing to wait for. */
    private Operation startSend(String call, Kind kind, Content content, int dest, int tag) {
        int to = addressedRank(dest);
        try {
            if (kind != Kind.BUFFERED) {
                return endpoint.send(comm.context(), to, sent(tag), content, mode(kind));
            }
            comm.self.sendBuffer().send(
                    content, copy -> endpoint.send(comm.context(), to, sent(tag), copy, SendMode.STANDARD),
                    why -> check.error(MPI.ERR_BUFFER, call, why));
            return null;
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        }
    }

    private static int sent(int tag) {
        return tag == MPI.ANY_TAG ? Wire.SENT_WITH_ANY_TAG : tag;
    }

    /** The tag of a message that came, as the sender gave it. */
    static int given(int tag) {
        return tag == Wire.SENT_WITH_ANY_TAG ? MPI.ANY_TAG : tag;
    }

    private int addressedRank(int dest) {
        return comm.addressed.worldRank(dest);
    }

    private Operation startReceive(String call, int source, int tag, Sink sink) {
        try {
            Operation operation = endpoint.receive(comm.context(), comm.worldSource(source), tag, sink);
            comm.self.underWay().begun(OutstandingOperations.Kind.RECEIVE);
            return operation;
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        }
    }

    private Status received(String call, Operation operation) {
        await(call, operation);
        comm.self.underWay().seen(OutstandingOperations.Kind.RECEIVE);
        return comm.outcome(call, operation);
    }

    /** Waits for a blocking receive. One that is to go on in spite of a death has nobody who would wait for it: it is taken back. */
    private void await(String call, Operation operation) {
        try {
            endpoint.await(operation, call);
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        } catch (PendingFailureException e) {
            if (endpoint.cancel(operation)) {
                comm.self.underWay().seen(OutstandingOperations.Kind.RECEIVE);
                throw comm.failed(call, e);
            }
            comm.await(call, operation);
        }
    }

    private Status checkedReceive(
            String call, Object buf, int offset, int count, Datatype type, int source, int tag) {
        if (source == MPI.PROC_NULL) {
            return Status.ofNobody();
        }
        return received(call, startReceive(call, source, tag, type.sink(buf, offset, count)));
    }

    /** Arguments are checked; {@code content} is null if there is nobody to send to. */
    private Status exchange(
            String call, Content content, int dest, int sendtag,
            Object buf, int offset, int count, Datatype type, int source, int recvtag) {
        if (content == null) {
            return checkedReceive(call, buf, offset, count, type, source, recvtag);
        }
        try {
            if (source == MPI.PROC_NULL) {
                int to = addressedRank(dest);
                Operation send = endpoint.send(comm.context(), to, sent(sendtag), content, SendMode.STANDARD);
                endpoint.await(send, call);
                comm.requireSuccess(call, send);
                return Status.ofNobody();
            }
            Operation[] both = endpoint.exchange(
                    comm.context(), comm.worldSource(source), recvtag, type.sink(buf, offset, count),
                    addressedRank(dest), sent(sendtag), content);
            comm.self.underWay().begun(OutstandingOperations.Kind.RECEIVE);
            await(call, both[0]);
            endpoint.await(both[1], call);
            comm.self.underWay().seen(OutstandingOperations.Kind.RECEIVE);
            comm.requireSuccess(call, both[1]);
            return comm.outcome(call, both[0]);
        } catch (FinalizedException e) {
            throw comm.finalized(call, e);
        }
    }

    private void checkSend(String call, Object buf, int offset, int count, Datatype type, int dest, int tag) {
        comm.requireLive(call);
        check.destination(call, dest);
        check.sendTag(call, tag);
        check.buffer(call, "send buffer", buf, offset, count, type);
    }

    private void checkReceive(String call, Object buf, int offset, int count, Datatype type, int source, int tag) {
        checkProbe(call, source, tag);
        check.room(call, "receive buffer", buf, offset, count, type);
    }

    private void checkProbe(String call, int source, int tag) {
        comm.requireLive(call);
        check.source(call, source);
        check.receiveTag(call, tag);
    }

    private Content content(String call, Object buf, int offset, int count, Datatype type) {
        return content(call, type.region(buf, offset), count);
    }

    private Content content(String call, Region region, int count) {
        try {
            return region.content(0, count);
        } catch (UnwritableException e) {
            throw check.error(Communicator.errorClass(e), call, "the send buffer's " + e.getMessage(), e);
        }
    }
}
