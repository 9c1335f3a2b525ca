package org.posthouse.mpj;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Where a rank's state is kept from one of its processes to the next (docs/wire.md, checkpoints). Thread-safe. */
public interface CheckpointStore {
    /** Writes the program's state. */
    interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    /**
     * Asks, once, whether this process goes on from a checkpoint. If so, the endpoint's own counters have gone there.
     *
     * @return the program's state; null if it begins
     * @throws IllegalStateException if a receive is under way, which the caller has to rule out; it was not asked then
     */
    DataInputStream restored();

    /** Whether the relay has asked for a checkpoint since the last one. */
    boolean isWanted();

    /** Whether a checkpoint may be taken at all: not before a rank that is brought back knows that it is where it was. */
    boolean isOpen();

    /**
     * Takes a checkpoint, and blocks until it is kept, or known to be not. Waits until all sends have left.
     *
     * @return whether it is kept
     * @throws IllegalStateException if a receive is under way, which no image can have: the caller has to rule it out
     */
    boolean save(Writer state) throws IOException;
}
