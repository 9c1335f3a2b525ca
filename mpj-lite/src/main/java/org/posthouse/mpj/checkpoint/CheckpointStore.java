package org.posthouse.mpj.checkpoint;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** The store for a rank's state between its processes (docs/wire.md, checkpoints). Thread-safe. */
public interface CheckpointStore {
    /** Writes the program's state. */
    interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    /**
     * Asks, once, whether this process continues from a checkpoint. If so, the endpoint's own counters have been set to
     * it.
     *
     * @return the program's state; null if the process starts from the beginning
     * @throws IllegalStateException if a receive is under way, which the caller has to rule out; the question was not
     * asked then
     */
    DataInputStream restored();

    /** Whether the relay has asked for a checkpoint since the last one. */
    boolean isWanted();

    /** Whether a checkpoint may be taken at all: not while a restarted rank is still replaying. */
    boolean isOpen();

    /**
     * Takes a checkpoint, and blocks until it is stored or has failed. Waits until all sends have left.
     *
     * @return whether it is stored
     * @throws IllegalStateException if a receive is under way, which no image can contain: the caller has to rule it
     * out
     */
    boolean save(Writer state) throws IOException;
}
