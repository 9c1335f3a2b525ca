package org.posthouse.tunnel;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last starts of relays whose links were let go of: others, which have kept theirs for a job, take no earlier ones. Confined to the relay's context.
 */
final class LeftEpochs {
    /** Of more names the one that left first is forgotten. A relay after a host's name for each of a day's jobs, two a minute, is 2,880; at 256 bytes each these take 1 MiB. */
    static final int MAX = 4_096;

    private final Map<String, Long> epochs = new LinkedHashMap<>();

    /** @param epoch 0 if the relay was never here */
    void note(String relay, long epoch) {
        if (epoch != 0) {
            epochs.remove(relay); // Or it would keep its place.
            epochs.put(relay, epoch);
        }
        if (epochs.size() > MAX) {
            epochs.remove(epochs.keySet().iterator().next());
        }
    }

    /** 0 if none is known. */
    long of(String relay) {
        return epochs.getOrDefault(relay, 0L);
    }
}
