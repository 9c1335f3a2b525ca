package org.posthouse.relay;

import java.util.List;

/**
 * Which ranks are asked for a checkpoint, so that a log can be cut: the one that needs the oldest records, of those that take
 * any; and as long as nothing comes of that, each second one more, the next in turn, so that they are done when it is.
 * Confined to the thread that looks after the log.
 */
final class LogAsking {
    /** How long the oldest records may be needed on until the next rank is asked as well. */
    static final long NEXT_MS = 1_000;

    /** The oldest position that anybody needed when this was last looked at, and since when it has been the same. */
    private long oldest;

    private long sinceMs;

    /**
     * @param needs who needs what, the oldest first; not empty
     * @return whom to ask now
     */
    List<LogNeed> next(List<LogNeed> needs, long nowMs) {
        if (needs.getFirst().position() != oldest) {
            oldest = needs.getFirst().position();
            sinceMs = nowMs;
        }
        return needs.stream().filter(LogNeed::saves).limit(1 + (nowMs - sinceMs) / NEXT_MS).toList();
    }
}
