package org.posthouse.relay.log;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.posthouse.core.ResendClaim;
import org.posthouse.logstore.RecordCursor;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.wire.MessageChecksum;

/**
 * Compares the logged messages of one rank to the mailboxes of this relay with what it claims to send again
 * (docs/wire.md, RESENT). Log and claims have nearly the same order, so few of either are remembered. Confined to the
 * thread that reads histories.
 */
public final class SentMessageIndex implements AutoCloseable {
    /**
     * Limit of messages that are remembered until they are claimed: about 10 MiB. A claim whose message is not among so
     * many is not compared.
     */
    static final int UNCLAIMED_MAX = 65_536;

    private record Channel(int context, int destination) {}

    /** A message of which more pieces follow. */
    private record Arriving(LogRecord.Arrival arrival, MessageChecksum checksum) {}

    private final Supplier<Optional<RecordCursor>> beginning;
    private final LongSupplier firstPosition;
    private final Map<Channel, Long> claimed = new HashMap<>();
    private final Map<Channel, ArrayDeque<ResendClaim>> unclaimed = new HashMap<>();
    private int remembered;
    private final Map<Long, Arriving> arriving = new HashMap<>();
    private RecordCursor cursor;

    /**
     * @param beginning opens the rank's sent messages from the beginning; empty if its job has ended
     * @param firstPosition position of the oldest record in the log
     */
    public SentMessageIndex(Supplier<Optional<RecordCursor>> beginning, LongSupplier firstPosition) {
        this.firstPosition = firstPosition;
        this.beginning = beginning;
    }

    /**
     * The difference between the claim and the message that was sent; empty if there is none, or if the log no longer
     * has the message.
     */
    public String difference(ResendClaim claim) {
        Channel channel = channel(claim);
        Long last = claimed.get(channel);
        if (last != null && claim.sequence() <= last) {
            begin(); // The rank was restarted once more.
        }
        claimed.put(channel, claim.sequence());
        ResendClaim before = find(channel, claim.sequence());
        return before == null ? "" : claim.difference(before);
    }

    private static Channel channel(ResendClaim claim) {
        return new Channel(claim.context(), claim.destination());
    }

    /**
     * Finds the logged message of a claim. Both are in the order of their channel. A message with a lower number is
     * therefore no longer needed, and one that was passed is not in the log.
     */
    private ResendClaim find(Channel channel, long sequence) {
        ArrayDeque<ResendClaim> waiting = unclaimed.computeIfAbsent(channel, none -> new ArrayDeque<>());
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
            ResendClaim next = next();
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

    /** Continues behind records that were cut meanwhile; the messages in between are not compared. */
    private void passOver() {
        close();
        arriving.clear();
    }

    /** Called when the log was cut. Closes files of the log that are not being read. */
    public void onCut() {
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

    /** The message that is completed by the record at the cursor, or null. */
    private ResendClaim next() {
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

    private static ResendClaim claim(LogRecord.Arrival arrival, int checksum) {
        return new ResendClaim(
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
