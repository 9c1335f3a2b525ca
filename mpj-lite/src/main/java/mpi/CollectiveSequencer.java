package mpi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.posthouse.mpj.blocked.CollectivePosition;
import org.posthouse.mpj.channel.CollectiveThread;
import org.posthouse.mpj.coll.ProgramException;
import org.posthouse.mpj.data.UnwritableException;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.progress.FinalizedException;

/**
 * Lets the collectives of one communicator happen one at a time and in the order of the calls, as all ranks do (ADR 6):
 * blocking ones in the calling thread, non-blocking ones in a thread of the communicator's own, which exists while there
 * are any. So the messages of a collective are the same in the same order however the calls overlap in time, and a
 * replay sends them again as they were.
 */
final class CollectiveSequencer {
    private static final int IDLE_SECONDS = 5;

    private final Communicator comm;
    private final int firstTag;
    private final Line line;

    /** Null before the first collective. */
    private CollectivePosition collectivePosition;

    /** Number of collectives called here, and number of those, in their order, whose end the program has seen. */
    private long called;

    private long seen;

    /** Actions for when the program has seen so many ends, in their order. */
    private final Deque<Afterwards> afterwards = new ArrayDeque<>();

    private record Afterwards(long seen, Runnable what) {}

    /**
     * @param firstTag number of operations in the context that are somebody else's
     * @param along whose turns these are too, in one order with them; null if nobody's
     */
    CollectiveSequencer(Communicator comm, int firstTag, CollectiveSequencer along) {
        this.comm = comm;
        this.firstTag = firstTag;
        line = along == null ? new Line(comm) : along.line;
    }

    /** Runs a collective behind all that were queued. */
    void take(Collective collective) {
        try {
            takeTurn(collective);
        } catch (FinalizedException e) {
            throw comm.finalized(collective.call, e);
        }
    }

    /** The same, unless the joint job has come to its end. @return whether it has not */
    boolean takeToEnd(Collective collective) {
        try {
            takeTurn(collective);
            return true;
        } catch (FinalizedException e) {
            if (!e.isJointEnded()) {
                throw comm.finalized(collective.call, e);
            }
            return false;
        }
    }

    private void takeTurn(Collective collective) {
        long number = call();
        Operation ahead = line.ahead();
        if (ahead != null) {
            comm.await(collective.call, ahead);
        }
        try {
            run(collective, false);
        } finally {
            seen(number);
        }
    }

    private synchronized long call() {
        comm.self.underWay().collective();
        return ++called;
    }

    /** The program knows that this one is over, and so are those before it. */
    private synchronized void seen(long number) {
        if (number > seen) {
            comm.self.underWay().collectivesSeen((int) (number - seen));
            seen = number;
        }
        while (!afterwards.isEmpty() && afterwards.element().seen <= seen) {
            afterwards.remove().what.run();
        }
    }

    /** Runs a collective in the background, behind all that were queued. If no thread can be had for it, it was not called. */
    synchronized Request queue(Collective collective) {
        long number = call();
        Operation end = comm.endpoint.begin();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        comm.self.underWay().started(end);
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Runnable work = () -> {
            Thread.currentThread().setContextClassLoader(loader);
            try {
                run(collective, true);
            } catch (RuntimeException | Error e) {
                // The request's owner gets it, whatever a program's own reduction threw.
                failure.set(e);
            } finally {
                comm.endpoint.end(end);
                comm.self.underWay().ended(end);
            }
        };
        try {
            line.add(end, work);
        } catch (RuntimeException | Error e) {
            comm.self.underWay().ended(end);
            comm.self.underWay().collectivesSeen(1);
            called--;
            throw e;
        }
        return Request.of(comm, collective.call, end, () -> {
            seen(number);
            return outcome(collective.call, failure.get());
        });
    }

    /** Does something when the program has seen the end of all collectives that it has called by now. */
    synchronized void afterwards(Runnable what) {
        if (seen == called) {
            what.run();
        } else {
            afterwards.add(new Afterwards(called, what));
        }
    }

    private Status outcome(String call, Throwable failure) {
        if (failure instanceof FinalizedException e) {
            throw comm.finalized(call, e); // Not in the thread of the collective: the program is told here.
        }
        if (failure instanceof FailedInBackground e) {
            throw failed(call, e.why); // Why others have failed is an observation, which only the program's thread makes.
        }
        if (failure != null) {
            throw unchecked(failure);
        }
        return new Status();
    }

    private MPIException failed(String call, ReceiveException why) {
        return comm.check.error(comm.collectiveErrorClass(why), call, why.getMessage(), why);
    }

    /** A collective has failed in its own thread: the program is told when it waits. */
    private static final class FailedInBackground extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient ReceiveException why;

        FailedInBackground(ReceiveException why) {
            super(why);
            this.why = why;
        }
    }

    static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return (RuntimeException) thrown;
    }

    private void run(Collective collective, boolean background) {
        comm.requireNotRevoked(collective.call, background);
        CollectivePosition collectivePosition = presence();
        collectivePosition.enter(collective.call, collective.root, background);
        boolean failed = true;
        boolean whole = false;
        boolean survived = false;
        try {
            collective.body.run();
            failed = false;
            whole = true;
        } catch (ReceiveException e) {
            whole = e.kind() != ReceiveException.Kind.MISMATCH;
            survived = e.kind() == ReceiveException.Kind.PROC_FAILED || e.kind() == ReceiveException.Kind.REVOKED;
            if (background) {
                throw new FailedInBackground(e);
            }
            throw failed(collective.call, e);
        } catch (ProgramException e) {
            whole = true;
            throw unchecked(e.getCause());
        } catch (UnwritableException e) {
            whole = true;
            throw comm.check.error(Communicator.errorClass(e), collective.call, "the send buffer's " + e.getMessage(), e);
        } finally {
            if (!whole) {
                comm.self.underWay().collectiveBroken();
            }
            if (failed) {
                comm.self.contexts().spoil(comm.id);
            }
            if (failed && !survived) {
                collectivePosition.leaveFailed();
            } else {
                collectivePosition.leave();
            }
        }
    }

    int firstTag() {
        return firstTag;
    }

    /** Whether the program has not seen the end of all that it has called. */
    synchronized boolean isUnderWay() {
        return seen < called;
    }

    /** Calls so far, those that are somebody else's included: the low 32 bits. */
    synchronized int calls() {
        return collectivePosition == null ? firstTag : collectivePosition.number();
    }

    /** As many calls have been made. */
    synchronized void goOn(int calls) {
        if (calls != firstTag) {
            presence().goOn(calls);
        }
    }

    /** For tests: as if so many had been called here, and were over. */
    synchronized void countFrom(long calls) {
        called = calls;
        seen = calls;
    }

    private synchronized CollectivePosition presence() {
        if (collectivePosition == null) {
            collectivePosition = comm.endpoint.presence(comm.collectiveContext(), comm.group.worldRanks(), firstTag);
        }
        return collectivePosition;
    }

    /**
     * The collectives started in one context, and the thread that runs them. An intercommunicator has turns of its own
     * and turns of both groups in one context. The library names a receive by its number there, so a replay needs one
     * order of all.
     */
    private static final class Line {
        /** Its threads are called by the name that it has then. */
        private final Communicator comm;

        private ThreadPoolExecutor background;

        /** The end of the last collective that was queued; null if there is none, or it was waited for. */
        private Operation last;

        Line(Communicator comm) {
            this.comm = comm;
        }

        synchronized Operation ahead() {
            Operation ahead = last;
            last = null;
            return ahead;
        }

        synchronized void add(Operation end, Runnable work) {
            if (background == null) {
                background = new ThreadPoolExecutor(
                        1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::thread);
                background.allowCoreThreadTimeOut(true);
            }
            try {
                background.execute(work);
            } catch (RuntimeException | Error e) {
                background.remove(work); // It may have been queued for a thread that then ended.
                throw e;
            }
            last = end;
        }

        private Thread thread(Runnable work) {
            return new CollectiveThread(work, "posthouse-collectives-" + comm.check.name());
        }
    }
}
