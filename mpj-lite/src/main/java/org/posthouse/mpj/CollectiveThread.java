package org.posthouse.mpj;

import org.posthouse.wire.ReplayLimit;

/**
 * A thread in which the library runs collectives that the program has started. What it does is decided by what the
 * program did, so it does not count as a second thread of the program ({@link ReplayLimit#THREADS}).
 */
public final class CollectiveThread extends Thread {
    /** A daemon of this name. */
    public CollectiveThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }
}
