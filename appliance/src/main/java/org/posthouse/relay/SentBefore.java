package org.posthouse.relay;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.posthouse.core.Claim;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.LogRecord;
import org.posthouse.wire.MessageChecksum;

/**
 * What one rank has sent to the mailboxes of this relay, as the log has it, held against what it claims to send again
 * (DESIGN section 5, suppressed re-sends). Log and claims are in nearly the same order, so little is remembered of either.
 * Confined to the thread that reads histories.
 */
final class SentBefore implements AutoCloseable {
    /** Messages that are remembered until they are claimed: some 10 MiB. What was not found within so many is not compared. */
    static final int UNCLAIMED_MAX = 65_536;

    private record Channel(int context, int destination) {}

    private record Key(int context, int destination, long sequence) {}

    /** A message of which more pieces follow. */
    private record Arriving(LogRecord.Arrival arrival, MessageChecksum checksum) {}

    private final Supplier<Optional<LogCursor>> beginning;
    private final Map<Channel, Long> claimed = new HashMap<>();
    private final Map<Key, Claim> unclaimed = new HashMap<>();
    private final Map<Long, Arriving> arriving = new HashMap<>();
    private LogCursor cursor;

    /** @param beginning shows what the rank has sent, from the beginning; empty if its job has ended */
    SentBefore(Supplier<Optional<LogCursor>> beginning) {
        this.beginning = beginning;
    }

    /** What the claim differs in from what was sent; empty if in nothing, or if the log has it no more. */
    String difference(Claim claim) {
        Long last = claimed.put(new Channel(claim.context(), claim.destination()), claim.sequence());
        if (last != null && claim.sequence() <= last) {
            begin(); // The rank was started once more.
            claimed.put(new Channel(claim.context(), claim.destination()), claim.sequence());
        }
        Key key = new Key(claim.context(), claim.destination(), claim.sequence());
        Claim before = unclaimed.remove(key);
        while (before == null && unclaimed.size() < UNCLAIMED_MAX && advance()) {
            Claim next = next();
            if (next != null) {
                unclaimed.put(new Key(next.context(), next.destination(), next.sequence()), next);
                before = unclaimed.remove(key);
            }
        }
        return before == null ? "" : claim.difference(before);
    }

    private boolean advance() {
        if (cursor == null) {
            cursor = beginning.get().orElse(null);
        }
        return cursor != null && cursor.advance();
    }

    private void begin() {
        close();
        claimed.clear();
        unclaimed.clear();
        arriving.clear();
    }

    /** The message that the record where the cursor stands completes, or null. */
    private Claim next() {
        if (cursor.record() instanceof LogRecord.Arrival arrival) {
            if (cursor.payloadBytes() == arrival.length()) {
                return claim(arrival, cursor.payloadCrc());
            }
            arriving.put(cursor.position(), new Arriving(arrival, new MessageChecksum()));
            return null;
        }
        LogRecord.Chunk chunk = (LogRecord.Chunk) cursor.record();
        Arriving message = arriving.get(chunk.arrivalPosition());
        message.checksum.add(cursor.payloadCrc());
        if (chunk.offset() + cursor.payloadBytes() < message.arrival.length()) {
            return null;
        }
        arriving.remove(chunk.arrivalPosition());
        return claim(message.arrival, message.checksum.value());
    }

    private static Claim claim(LogRecord.Arrival arrival, int checksum) {
        return new Claim(
                arrival.context(),
                arrival.rank(),
                arrival.sequence(),
                arrival.tag(),
                arrival.length(),
                arrival.elements(),
                arrival.datatype(),
                checksum);
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
            cursor = null;
        }
    }
}
