package org.posthouse.mpj;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks once a second where a rank is in its calls. Its daemon thread exists from the first collective on, or the first call that waits, sleeps
 * between two looks, and ends with the endpoint. Guarded by itself.
 */
final class StallDetector {
    private static final long INTERVAL_MS = 1_000;

    private final List<WeakReference<CollectivePosition>> presences = new ArrayList<>();
    private final Runnable look;
    private Thread thread;
    private boolean stopped;

    /** @param look at all that is no presence; the first at each look */
    StallDetector(Runnable look) {
        this.look = look;
    }

    synchronized void add(CollectivePosition collectivePosition) {
        presences.add(new WeakReference<>(collectivePosition));
        start();
    }

    /** Begins to look; not if the process can have no other thread, which is no reason for a call that matches to fail. */
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

    /** Ends the thread; it looks no more when this returns, unless it is at it. */
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

    /** A method of its own: a frame that waits for the next look and has the list of this one keeps what nobody has any more. */
    private boolean lookOnce() {
        List<CollectivePosition> all = next();
        if (all == null) {
            return false;
        }
        look.run();
        all.forEach(CollectivePosition::look);
        return true;
    }

    /** What to look at next, after one interval; null when there is nothing to look at any more. */
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
