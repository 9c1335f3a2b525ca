package org.posthouse.names;

/** Time, as whoever owns the thread has it. */
public interface Alarm {
    /** Runs something later, on the thread of the caller's state. */
    void after(long millis, Runnable work);

    /** Milliseconds since 1970 UTC. */
    long now();
}
