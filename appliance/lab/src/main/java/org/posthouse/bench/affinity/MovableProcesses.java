package org.posthouse.bench.affinity;

import java.io.IOException;

/** Processes of a bench that can be moved to processors. Confined to the driver's thread. */
public interface MovableProcesses {
    /** Moves every process to where {@code layout} has it. */
    void place(ProcessLayout layout, Processors processors) throws IOException, InterruptedException;
}
