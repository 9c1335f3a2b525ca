package org.posthouse.tunnel;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last epochs of relays whose links were dropped. Other relays, which have kept their links for a job, refuse
 * earlier epochs. Confined to the relay's context.
 */
final class ClosedEpochs {
    /**
     * Maximum number of names; beyond it, the one that left first is dropped. One relay for each job of a day, two a
     * minute, makes 2,880 names. At 256 bytes each, the maximum takes 1 MiB.
     */
    static final int MAX = 4_096;

    private final Map<String, Long> epochs = new LinkedHashMap<>();

    /** @param epoch 0 if the relay was never here */
    void note(String relay, long epoch) {
        if (epoch != 0) {
            epochs.remove(relay); // Otherwise it would keep its old place.
            epochs.put(relay, epoch);
        }
        if (epochs.size() > MAX) {
            epochs.remove(epochs.keySet().iterator().next());
        }
    }

    /** The epoch of a relay; 0 if unknown. */
    long of(String relay) {
        return epochs.getOrDefault(relay, 0L);
    }
}
