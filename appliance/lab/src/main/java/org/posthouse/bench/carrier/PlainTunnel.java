package org.posthouse.bench.carrier;

import java.io.IOException;
import org.posthouse.bench.affinity.MovableProcesses;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.affinity.Processors;

/** An installed program that carries plain bytes between two sites as a link does, secured. Confined to the driver's thread. */
public interface PlainTunnel extends MovableProcesses, AutoCloseable {
    /**
     * Makes a tunnel, beside those that are there.
     *
     * @param target where it leads to at the far site
     * @param way leads to a port of the far site
     * @return the port of the near site that leads there
     */
    int open(int target, PortForwarder way) throws IOException, InterruptedException;

    /** Puts the ends of all that were made where a layout has them: near ones are of the first of two sites, far ones of the second. */
    @Override
    void place(ProcessLayout layout, Processors processors) throws IOException, InterruptedException;

    /** Ends all that were made. */
    void end();

    /** Ends all that were made, and their common resources. */
    @Override
    void close();
}
