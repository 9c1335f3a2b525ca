package org.posthouse.bench;

import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.carrier.Carrier;

/**
 * One line of a plot: one carrier in one variant, in one layout.
 *
 * @param variant whose job does it; of the first one, for what does not pass the relay
 */
public record Series(Carrier carrier, Variant variant, ProcessLayout layout) {
    /** A series whose processes run wherever the system likes. */
    public Series(Carrier carrier, Variant variant) {
        this(carrier, variant, ProcessLayout.FREE);
    }

    /** The name in a table and in a plot's legend. */
    public String label() {
        String who = carrier == Carrier.RELAY ? variant.label() : carrier.label();
        return layout == ProcessLayout.FREE ? who : layout.word() + " " + who;
    }
}
