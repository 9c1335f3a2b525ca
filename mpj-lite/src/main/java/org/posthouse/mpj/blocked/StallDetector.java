package org.posthouse.mpj.blocked;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks once a second where a rank is in its calls. Its daemon thread starts at the first collective or the first
 * waiting call. It sleeps between two looks, and ends with the endpoint. Guarded by itself.
 */
public final class StallDetector {
    private static final long INTERVAL_MS = 1_000;

    private final List<WeakReference<CollectivePosition>> presences = new ArrayList<>();
    private final Runnable look;
    private Thread thread;
    private boolean stopped;

    /** @param look at everything that is no collective position; called first at each look */
    StallDetector(Runnable look) {
        this.look = look;
    }

    synchronized void add(CollectivePosition collectivePosition) {
        presences.add(new WeakReference<>(collectivePosition));
        start();
    }

    /**
     * Starts the watch. If the process can have no other thread there is no watch; that does not fail a call that
     * matches.
     */
    synchronized void start() {
        if (thread != null) {
            return;
        }
        try {
            Thread next = new Thread(this::run, "posthouse-stall-watch");
            next.setDaemon(true);
            next.start();
            thread = next;
        } catch (OutOfMemoryError e) {
            // The next communicator tries again.
        }
    }

    /** Ends the thread. When this returns it makes no new look, except one in progress. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    private void run() {
        boolean looks = true;
        while (looks) {
            looks = lookOnce();
        }
    }

    /** A method of its own: otherwise its frame would keep the list of this look alive while it waits for the next. */
    private boolean lookOnce() {
        List<CollectivePosition> all = next();
        if (all == null) {
            return false;
        }
        look.run();
        all.forEach(CollectivePosition::look);
        return true;
    }

    /** The positions to look at next, after one interval; null when none is left. */
    private synchronized List<CollectivePosition> next() {
        long end = System.nanoTime() + INTERVAL_MS * 1_000_000;
        try {
            for (long left = INTERVAL_MS; left > 0 && !stopped; left = (end - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
        } catch (InterruptedException e) {
            return null;
        }
        if (stopped) {
            return null;
        }
        List<CollectivePosition> all = new ArrayList<>();
        presences.removeIf(reference -> {
            CollectivePosition collectivePosition = reference.get();
            if (collectivePosition != null) {
                all.add(collectivePosition);
            }
            return collectivePosition == null;
        });
        return all;
    }
}
