package org.posthouse.bench;

/**
 * One line of a plot: one carrier in one variant.
 *
 * @param variant whose job does it; of the first one, for what does not pass the relay
 */
record Series(Carrier carrier, Variant variant) {
    String label() {
        return carrier == Carrier.RELAY ? variant.label() : carrier.label();
    }
}
