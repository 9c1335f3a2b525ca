package org.posthouse.core;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the parcels that a core holds, by the rank whose frames they are: a leak, a double release and a broken bound
 * all show. Confined to the test's thread.
 */
final class ParcelLedger {
    private final Map<Integer, Held> bySource = new HashMap<>();
    private int open;
    private int settled;

    /** What is held of one source's messages; {@code messages} counts frames that took credit. */
    static final class Held {
        int messages;
        long bytes;
    }

    void opened(int source, long payloadBytes, boolean credited) {
        open++;
        Held held = of(source);
        held.bytes += payloadBytes;
        held.messages += credited ? 1 : 0;
    }

    void closed(int source, long payloadBytes, boolean credited) {
        open--;
        Held held = of(source);
        held.bytes -= payloadBytes;
        held.messages -= credited ? 1 : 0;
    }

    void settled(int more) {
        settled += more;
    }

    /** Parcels that share memory with others: the whole buffer that they came in stays for them. */
    int unsettled() {
        return open - settled;
    }

    Held of(int source) {
        return bySource.computeIfAbsent(source, unseen -> new Held());
    }

    /** Parcels that were neither passed on nor released. */
    int open() {
        return open;
    }
}
