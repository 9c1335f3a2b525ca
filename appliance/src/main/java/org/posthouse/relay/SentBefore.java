package org.posthouse.relay;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.posthouse.core.Claim;
import org.posthouse.logstore.LogException;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.RecordCursor;
import org.posthouse.wire.MessageChecksum;

/**
 * What one rank has sent to the mailboxes of this relay, as the log has it, held against what it claims to send again
 * (docs/wire.md, RESENT). Log and claims are in nearly the same order, so little is remembered of either.
 * Confined to the thread that reads histories.
 */
final class SentBefore implements AutoCloseable {
    /** Messages that are remembered until they are claimed: some 10 MiB. What was not found within so many is not compared. */
    static final int UNCLAIMED_MAX = 65_536;

    private record Channel(int context, int destination) {}

    /** A message of which more pieces follow. */
    private record Arriving(LogRecord.Arrival arrival, MessageChecksum checksum) {}

    private final Supplier<Optional<RecordCursor>> beginning;
    private final LongSupplier firstPosition;
    private final Map<Channel, Long> claimed = new HashMap<>();
    private final Map<Channel, ArrayDeque<Claim>> unclaimed = new HashMap<>();
    private int remembered;
    private final Map<Long, Arriving> arriving = new HashMap<>();
    private RecordCursor cursor;

    /**
     * @param beginning shows what the rank has sent, from the beginning; empty if its job has ended
     * @param firstPosition of the oldest record that the log still has
     */
    SentBefore(Supplier<Optional<RecordCursor>> beginning, LongSupplier firstPosition) {
        this.firstPosition = firstPosition;
        this.beginning = beginning;
    }

    /** What the claim differs in from what was sent; empty if in nothing, or if the log has it no more. */
    String difference(Claim claim) {
        Channel channel = channel(claim);
        Long last = claimed.get(channel);
        if (last != null && claim.sequence() <= last) {
            begin(); // The rank was started once more.
        }
        claimed.put(channel, claim.sequence());
        Claim before = find(channel, claim.sequence());
        return before == null ? "" : claim.difference(before);
    }

    private static Channel channel(Claim claim) {
        return new Channel(claim.context(), claim.destination());
    }

    /** Both come in the order of their channel: one that is passed will not be asked for, or is not there. */
    private Claim find(Channel channel, long sequence) {
        ArrayDeque<Claim> waiting = unclaimed.computeIfAbsent(channel, none -> new ArrayDeque<>());
        while (true) {
            while (!waiting.isEmpty() && waiting.peek().sequence() < sequence) {
                waiting.remove();
                remembered--;
            }
            if (!waiting.isEmpty()) {
                boolean found = waiting.peek().sequence() == sequence;
                remembered -= found ? 1 : 0;
                return found ? waiting.remove() : null;
            }
            if (remembered >= UNCLAIMED_MAX || !advance()) {
                return null;
            }
            Claim next = next();
            if (next != null) {
                unclaimed.computeIfAbsent(channel(next), none -> new ArrayDeque<>()).add(next);
                remembered++;
            }
        }
    }

    private boolean advance() {
        if (cursor == null) {
            cursor = beginning.get().orElse(null);
        }
        try {
            return cursor != null && cursor.advance();
        } catch (LogException e) {
            if (cursor.position() >= firstPosition.getAsLong()) {
                throw e;
            }
            passOver();
            cursor = beginning.get().orElse(null);
            return cursor != null && cursor.advance();
        }
    }

    /** The log was cut meanwhile: what was in between is not compared. */
    private void passOver() {
        close();
        arriving.clear();
    }

    /** The log was cut: no file of it is kept open that is not being read. */
    void onCut() {
        if (cursor != null && cursor.position() < firstPosition.getAsLong()) {
            passOver();
        } else if (cursor != null) {
            cursor.rest();
        }
    }

    private void begin() {
        close();
        claimed.clear();
        unclaimed.clear();
        remembered = 0;
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
