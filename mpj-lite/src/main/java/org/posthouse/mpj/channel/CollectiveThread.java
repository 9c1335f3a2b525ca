package org.posthouse.mpj.channel;

import org.posthouse.wire.ReplayLimit;

/**
 * A thread of the library that runs collectives started by the program. Its actions follow from those of the program,
 * so it does not count as a second thread of the program ({@link ReplayLimit#THREADS}).
 */
public final class CollectiveThread extends Thread {
    /** A daemon thread of this name. */
    public CollectiveThread(Runnable work, String name) {
        super(work, name);
        setDaemon(true);
    }
}
