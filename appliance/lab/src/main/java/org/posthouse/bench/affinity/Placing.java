package org.posthouse.bench.affinity;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.posthouse.relay.host.EmbeddedGrid;

/** Moves what a bench runs to where a layout has it. Confined to the driver's thread. */
public final class Placing {
    private ProcessLayout layout = ProcessLayout.FREE;
    private Processors processors;

    /** All of these, and this process, are where {@code next} has them; they are the same at each call. */
    public void put(ProcessLayout next, Collection<EmbeddedGrid> grids, Collection<? extends MovableProcesses> jobs,
            Collection<? extends MovableProcesses> tunnels)
            throws IOException, InterruptedException {
        if (next == layout) {
            return;
        }
        if (processors == null) {
            processors = Processors.ofThisProcess();
        }
        processors.put(ProcessHandle.current().pid(), next.relays());
        for (EmbeddedGrid grid : grids) {
            put(next, grid.threads());
        }
        for (MovableProcesses job : jobs) {
            job.place(next, processors);
        }
        for (MovableProcesses tunnel : tunnels) {
            tunnel.place(next, processors);
        }
        layout = next;
    }

    private void put(ProcessLayout next, List<List<Long>> sites) throws IOException, InterruptedException {
        for (int site = 0; site < sites.size(); site++) {
            for (long thread : sites.get(site)) {
                processors.putThread(thread, next.site(site, sites.size()));
            }
        }
    }
}
