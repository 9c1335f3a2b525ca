package org.posthouse.relay.log;

import java.util.List;

/**
 * Chooses the ranks that are asked for a checkpoint, so that the log can be cut. It begins with the rank that needs the
 * oldest records, among those that take checkpoints. While that has no effect, it adds the next rank each second, so
 * that these are done when the first one is. Confined to the thread that looks after the log.
 */
final class CheckpointRequester {
    /** Milliseconds after which one more rank is asked if the oldest records are still needed. */
    static final long NEXT_MS = 1_000;

    /** The oldest needed position at the last call, and the time since which it is the same. */
    private long oldest;

    private long sinceMs;

    /**
     * @param needs the needs, the oldest first; not empty
     * @return the ranks to ask now
     */
    List<RetentionPin> next(List<RetentionPin> needs, long nowMs) {
        if (needs.getFirst().position() != oldest) {
            oldest = needs.getFirst().position();
            sinceMs = nowMs;
        }
        return needs.stream().filter(RetentionPin::saves).limit(1 + (nowMs - sinceMs) / NEXT_MS).toList();
    }
}
