package mpi;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.posthouse.mpj.CollectiveThread;
import org.posthouse.mpj.FinalizedException;
import org.posthouse.mpj.Operation;
import org.posthouse.mpj.Presence;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.UnwritableException;

/**
 * Lets the collectives of one communicator happen one at a time and in the order of the calls, as all ranks do (ADR 6):
 * blocking ones in the calling thread, non-blocking ones in a thread of the communicator's own, which exists while there
 * are any. So the messages of a collective are the same in the same order however the calls overlap in time, and a
 * replay sends them again as they were.
 */
final class Turns {
    private static final int IDLE_SECONDS = 5;

    private final Communicator comm;
    private final int firstTag;
    private ThreadPoolExecutor background;

    /** Null before the first collective. */
    private Presence presence;

    /** The end of the last collective that was queued; null if there is none, or it was seen. */
    private Operation last;

    /** @param firstTag number of operations in the context that are somebody else's */
    Turns(Communicator comm, int firstTag) {
        this.comm = comm;
        this.firstTag = firstTag;
    }

    /** Runs a collective behind all that were queued. */
    void take(Collective collective) {
        Operation ahead = ahead();
        if (ahead != null) {
            comm.await(collective.call, ahead);
        }
        run(collective);
    }

    private synchronized Operation ahead() {
        Operation ahead = last;
        last = null;
        return ahead;
    }

    /** Runs a collective in the background, behind all that were queued. */
    synchronized Request queue(Collective collective) {
        Operation end = comm.endpoint.begin();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        background().execute(() -> {
            Thread.currentThread().setContextClassLoader(loader);
            try {
                run(collective);
            } catch (RuntimeException | Error e) {
                // The request's owner gets it, whatever a program's own reduction threw.
                failure.set(e);
            } finally {
                comm.endpoint.end(end);
            }
        });
        last = end;
        return Request.of(comm, collective.call, end, () -> outcome(failure.get()));
    }

    /** Does something behind all collectives that were queued. */
    synchronized void afterwards(Runnable what) {
        if (last == null) {
            what.run();
        } else {
            background().execute(what);
        }
    }

    private static Status outcome(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
        return new Status();
    }

    private ThreadPoolExecutor background() {
        if (background == null) {
            background = new ThreadPoolExecutor(
                    1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::thread);
            background.allowCoreThreadTimeOut(true);
        }
        return background;
    }

    private Thread thread(Runnable work) {
        return new CollectiveThread(work, "posthouse-collectives-" + comm.check.name());
    }

    private void run(Collective collective) {
        Presence presence = presence();
        presence.enter(collective.call, collective.root);
        boolean failed = true;
        try {
            collective.body.run();
            failed = false;
        } catch (ReceiveException e) {
            throw comm.check.error(Communicator.errorClass(e), collective.call, e.getMessage(), e);
        } catch (UnwritableException e) {
            throw comm.check.error(MPI.ERR_TYPE, collective.call, "the send buffer's " + e.getMessage(), e);
        } catch (FinalizedException e) {
            throw comm.finalized(collective.call, e);
        } finally {
            if (failed) {
                presence.leaveFailed();
                comm.self.contexts().spoil(comm.id);
            } else {
                presence.leave();
            }
        }
    }

    int firstTag() {
        return firstTag;
    }

    /** Whether a collective that was queued is not known to have ended. */
    synchronized boolean isTaken() {
        return last != null && !last.isDone();
    }

    /** Calls so far, those that are somebody else's included. */
    synchronized int calls() {
        return presence == null ? firstTag : presence.number();
    }

    /** As many calls have been made. */
    synchronized void goOn(int calls) {
        if (calls != firstTag) {
            presence().goOn(calls);
        }
    }

    private synchronized Presence presence() {
        if (presence == null) {
            presence = comm.endpoint.presence(comm.collectiveContext(), comm.group.worldRanks(), firstTag);
        }
        return presence;
    }
}
