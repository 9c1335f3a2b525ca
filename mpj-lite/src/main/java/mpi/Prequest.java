package mpi;

import java.util.function.Supplier;

/**
 * A send or receive that is started again and again. Between its completion and its next start it is inactive. Its datatype and its communicator may be
 * freed before it.
 */
public class Prequest extends Request {
    private Supplier<Request> starter;

    Prequest(Communicator comm, String call, Supplier<Request> starter) {
        super(comm, call);
        this.starter = starter;
        comm.keep();
    }

    /**
     * Starts it.
     *
     * @throws MPIException of class ERR_REQUEST if it is under way, or was freed; of class ERR_OTHER after Finalize
     */
    public void Start() throws MPIException {
        start("Start");
    }

    /** Starts all; null elements are skipped. */
    public static void Startall(Prequest[] requests) throws MPIException {
        startAll("Startall", requests);
    }

    /** As {@link #Start}. */
    public final void start() throws MPIException {
        start("start");
    }

    /** As {@link #Startall}. */
    public static void startAll(Prequest[] requests) throws MPIException {
        startAll("startAll", requests);
    }

    private static void startAll(String call, Prequest[] requests) {
        if (requests == null) {
            throw new MPIException(MPI.ERR_REQUEST, call + ": the array of requests is null");
        }
        for (Prequest request : requests) {
            if (request != null) {
                request.start(call);
            }
        }
    }

    private void start(String call) {
        comm().requireOpen(call);
        if (starter == null || isBusy()) {
            throw comm().check.error(
                    MPI.ERR_REQUEST, call,
                    "the request of " + call() + (starter == null ? " was freed" : " is under way, expected its completion first"));
        }
        takeOver(starter.get());
    }

    /** Whether it was freed: one that is only inactive can be started again. */
    @Override
    public boolean Is_null() throws MPIException {
        return starter == null && super.Is_null();
    }

    /** As {@link #Is_null}. */
    @Override
    public boolean isNull() {
        return starter == null && super.isNull();
    }

    /** Gives it back; what is under way goes on. */
    @Override
    public void Free() throws MPIException {
        super.Free();
        if (starter != null) {
            starter = null;
            comm().leave();
        }
    }
}
