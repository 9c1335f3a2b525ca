package org.posthouse.relay;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs pieces of work one at a time, in the order in which they were handed in, on threads of the relay's choice: what a
 * strand guards has one owner at a time and needs no lock. Thread-safe; it never blocks.
 *
 * <p>One rule in all modes: whoever brings work to an idle strand does it on the spot, if the strand's home admits him,
 * so that a message that meets no other wakes no thread; work brought to a busy strand waits for the one who is at it.
 * After {@link #PIECES_MAX} pieces the rest is left to the home's own thread, so that nobody is kept from his own
 * connections. A mode is little more than the homes of its strands (docs/adr/0011-shards-with-fixed-ranks-and-movable-threads.md).
 *
 * <p>The queue has no limit of its own: a connection reads no more while many of its frames wait ({@link Connection}), and
 * what other shards and links hand over is bounded by the credit that ranks have.
 */
final class Strand {
    /** Pieces of work that one visitor does in a row: enough to pay for coming, little enough to go on reading soon. */
    static final int PIECES_MAX = 64;

    /** Above zero while somebody is inside or on his way there: one for him, and one for each piece handed in since. */
    private final AtomicInteger pending = new AtomicInteger();

    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Runnable atHome = this::drain;
    private final Runnable afterwards;

    /** Most pieces that waited at once since they were last asked for. Confined to the one who is inside. */
    private int deepest;

    /** Where it goes on when a visitor has done enough. Written by any thread, read by whoever works here. */
    private volatile Workplace home;

    /** The thread that is inside. Written by that thread, read by any: another finds that it is not itself. */
    private volatile Thread owner;

    /** @param afterwards done inside the strand at the end of every turn of work */
    Strand(Workplace home, Runnable afterwards) {
        this.home = home;
        this.afterwards = afterwards;
    }

    /** Moves the strand to another home; a turn that is under way ends where it is. */
    void moveTo(Workplace home) {
        this.home = home;
    }

    /** Most pieces of work that waited at once since this was last called. Confined to the strand. */
    int takeDeepest() {
        assert isInside();
        int taken = deepest;
        deepest = 0;
        return taken;
    }

    /** Whether the calling thread is inside. */
    boolean isInside() {
        return owner == Thread.currentThread();
    }

    /**
     * Goes inside if nobody is and the home admits it; if so, {@link #leave} must follow. All that was handed in before is
     * done.
     */
    boolean tryEnter() {
        if (pending.get() == 0 && home.admits() && pending.compareAndSet(0, 1)) {
            owner = Thread.currentThread();
            return true;
        }
        return false;
    }

    /** Ends the turn that {@link #tryEnter} began, and does what was handed in meanwhile. */
    void leave() {
        endTurn();
        int left = pending.addAndGet(-1);
        if (left != 0) {
            drain(left);
        }
    }

    /** Has the work done: here and now if nobody is inside, else by the one who is; at home if this is not the place. */
    void submit(Runnable work) {
        if (tryEnter()) {
            try {
                work.run();
            } catch (VirtualMachineError e) {
                Breakdown.report(e);
                throw e;
            } finally {
                leave();
            }
            return;
        }
        post(work);
    }

    /** Has the work done at home, or by the one who is inside, but not by the caller. */
    void post(Runnable work) {
        queue.add(work);
        if (pending.getAndIncrement() == 0) {
            home.execute(atHome);
        }
    }

    /** Whether the calling thread is at home, and goes through its sockets. */
    boolean passes() {
        return home.passes();
    }

    /** Has the work done at home, outside of the strand: where {@link #passes}, behind all sockets that are ready. */
    void afterPass(Runnable work) {
        home.execute(work);
    }

    private void drain() {
        drain(pending.get());
    }

    /** Called by the one for whom {@code pending} is above zero: {@code seen} of it. */
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

    /** Does up to {@code most} of the pieces that wait. */
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
                Breakdown.report(e); // Those behind it must not wait for ever.
            }
        }
        return done;
    }

    private void endTurn() {
        try {
            afterwards.run();
        } catch (RuntimeException | Error e) {
            Breakdown.report(e);
        }
        owner = null;
    }
}
