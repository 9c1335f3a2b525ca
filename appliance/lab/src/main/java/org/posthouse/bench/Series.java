package org.posthouse.bench;

/**
 * One line of a plot: one carrier in one variant, in one layout.
 *
 * @param variant whose job does it; of the first one, for what does not pass the relay
 */
record Series(Carrier carrier, Variant variant, ProcessLayout layout) {
    Series(Carrier carrier, Variant variant) {
        this(carrier, variant, ProcessLayout.FREE);
    }

    String label() {
        String who = carrier == Carrier.RELAY ? variant.label() : carrier.label();
        return layout == ProcessLayout.FREE ? who : layout.word() + " " + who;
    }
}
