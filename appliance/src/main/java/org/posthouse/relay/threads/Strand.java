package org.posthouse.relay.threads;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs pieces of work one at a time, in the order of their submission, on threads that the relay chooses. What a strand
 * guards has one owner at a time and needs no lock. Thread-safe; it never blocks.
 *
 * <p>One rule holds in all modes. A thread that submits work to an idle strand runs it at once, if the strand's home
 * admits the thread; a message that meets no other thus wakes no thread. Work for a busy strand is queued for the
 * thread that is inside. After {@link #PIECES_MAX} pieces the rest moves to the home's own thread, so that a visiting
 * thread returns to its own connections. A mode is little more than the homes of its strands
 * (docs/adr/0011-shards-with-fixed-ranks-and-movable-threads.md).
 *
 * <p>The queue has no limit of its own. A connection pauses reading while many of its frames wait
 * ({@link org.posthouse.relay.Connection}).
 * Work from other shards and links is bounded by the credit of ranks.
 */
public final class Strand {
    /** Pieces of work that one visit runs: enough to pay for entering, few enough to resume reading soon. */
    static final int PIECES_MAX = 64;

    /**
     * Above zero while a thread is inside or about to enter: one for that thread, and one for each piece submitted
     * since.
     */
    private final AtomicInteger pending = new AtomicInteger();

    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Runnable atHome = this::drain;
    private final Runnable afterwards;

    /** The most pieces that waited at once since the last {@link #takeDeepest}. Confined to the thread inside. */
    private int deepest;

    /** Where the work continues after a long visit. Written by any thread, read by the thread inside. */
    private volatile StrandExecutor home;

    /** The thread inside. Written by that thread, read by any: another thread only learns that it is not inside. */
    private volatile Thread owner;

    /** @param afterwards runs inside the strand at the end of each turn */
    public Strand(StrandExecutor home, Runnable afterwards) {
        this.home = home;
        this.afterwards = afterwards;
    }

    /** Moves the strand to another home; a turn that is in progress ends where it is. */
    public void moveTo(StrandExecutor home) {
        this.home = home;
    }

    /** The most pieces of work that waited at once since the last call. Confined to the strand. */
    public int takeDeepest() {
        assert isInside();
        int taken = deepest;
        deepest = 0;
        return taken;
    }

    /** Whether the calling thread is inside. */
    public boolean isInside() {
        return owner == Thread.currentThread();
    }

    /**
     * Enters the strand if no thread is inside and the home admits the caller. If so, {@link #leave} must follow. All
     * earlier work has been done then.
     */
    public boolean tryEnter() {
        if (pending.get() == 0 && home.admits() && pending.compareAndSet(0, 1)) {
            owner = Thread.currentThread();
            return true;
        }
        return false;
    }

    /** Ends the turn that {@link #tryEnter} began, and runs the work that was submitted meanwhile. */
    public void leave() {
        endTurn();
        int left = pending.addAndGet(-1);
        if (left != 0) {
            drain(left);
        }
    }

    /**
     * Runs the work: now if the strand is idle and the home admits the caller, otherwise by the thread inside or at
     * home.
     */
    public void submit(Runnable work) {
        if (tryEnter()) {
            try {
                work.run();
            } catch (VirtualMachineError e) {
                FatalErrorExit.report(e);
                throw e;
            } finally {
                leave();
            }
            return;
        }
        post(work);
    }

    /** Runs the work at home, or by the thread that is inside, but not by the caller. */
    public void post(Runnable work) {
        queue.add(work);
        if (pending.getAndIncrement() == 0) {
            home.execute(atHome);
        }
    }

    /** Whether the calling thread is the home's and is processing its sockets. */
    public boolean passes() {
        return home.passes();
    }

    /**
     * Runs the work at home, outside of the strand. If the home {@link #passes}, it runs after all sockets that are
     * ready.
     */
    public void afterPass(Runnable work) {
        home.execute(work);
    }

    private void drain() {
        drain(pending.get());
    }

    /** Runs the queued work. The caller owns {@code seen} of {@code pending}, which is above zero. */
    private void drain(int seen) {
        int room = PIECES_MAX;
        int left = seen;
        while (left != 0) {
            owner = Thread.currentThread();
            deepest = Math.max(deepest, left);
            room -= work(room);
            endTurn();
            if (room == 0) {
                home.execute(atHome);
                return;
            }
            left = pending.addAndGet(-left);
        }
    }

    /**
     * Runs up to {@code most} queued pieces.
     *
     * @return number of pieces that ran
     */
    private int work(int most) {
        int done = 0;
        while (done < most) {
            Runnable piece = queue.poll();
            if (piece == null) {
                break;
            }
            done++;
            try {
                piece.run();
            } catch (RuntimeException | Error e) {
                FatalErrorExit.report(e); // The pieces behind it must not wait forever.
            }
        }
        return done;
    }

    private void endTurn() {
        try {
            afterwards.run();
        } catch (RuntimeException | Error e) {
            FatalErrorExit.report(e);
        }
        owner = null;
    }
}
