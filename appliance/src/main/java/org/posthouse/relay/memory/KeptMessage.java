package org.posthouse.relay.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.posthouse.core.Message;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/**
 * A message as a {@link MemoryJournal} has it: its envelope, and its payload as it arrived. Garbage once neither a mailbox nor a history
 * has it. Confined to the journal's owner.
 */
final class KeptMessage {
    private final Message.Logged envelope;

    /** The message as the rank's leader is given it. */
    private final Message given;

    /** Of a SEND the payload; of others, one for each chunk that has arrived: null for one that nobody will read, or reads any more. */
    private final List<byte[]> pieces = new ArrayList<>(1);

    private long arrived;
    private long kept;
    private boolean delivered;

    /** Payload bytes at its beginning that no history has, or none any more. */
    private long unneeded;

    /** Number of pieces at its beginning that nobody reads any more. */
    private int freed;

    KeptMessage(Message message) {
        given = message;
        envelope = new Message.Logged(
                message.context(), message.source(), message.destination(), message.tag(), message.sequence(), message.bytes(), message.elements(),
                message.datatype(), message.form(), message.isStorable(), message.logPosition(), message.logPlace());
    }

    /** @param payload null if nobody will read it */
    void add(byte[] payload, int bytes) {
        pieces.add(payload);
        arrived += bytes;
        kept += payload == null ? 0 : bytes;
        free();
    }

    /** No history has its payload up to this offset, now that it was delivered. */
    void unneeded(long upTo) {
        unneeded = Math.max(unneeded, upTo);
        free();
    }

    /** A large message is here as long as it arrives, and would otherwise be here whole. */
    private void free() {
        long upTo = Math.min(unneeded, given.passed());
        while (freed < pieces.size() && offset(freed) < upTo && offset(freed) + length(freed) <= upTo) {
            pieces.set(freed++, null);
        }
    }

    private static long offset(int piece) {
        return (long) piece * Wire.PAYLOAD_BYTES_MAX;
    }

    private int length(int piece) {
        return (int) Math.min(Wire.PAYLOAD_BYTES_MAX, envelope.bytes() - offset(piece));
    }

    /** The payload from {@code offset} on, as much as one frame of it brought. */
    byte[] piece(long offset) {
        free();
        return pieces.get(Math.toIntExact(offset / Wire.PAYLOAD_BYTES_MAX));
    }

    /** Number of frames with payload behind its first. */
    int chunks() {
        return envelope.form() == FrameType.SEND ? 0 : pieces.size();
    }

    /** Payload bytes that have arrived. */
    long arrived() {
        return arrived;
    }

    /** Payload bytes that were kept. */
    long kept() {
        return kept;
    }

    /** What stands for the place of its record. */
    long place() {
        return envelope.place();
    }

    /** Number of pieces that are here. */
    long piecesHere() {
        return pieces.stream().filter(Objects::nonNull).count();
    }

    /** Whether a receive has got it. */
    boolean isDelivered() {
        return delivered;
    }

    void deliver() {
        delivered = true;
    }

    /** The message for one more process, with its first {@code count} chunks. */
    Message again(int count) {
        Message message = Message.of(envelope);
        message.journalEntry(this);
        for (int i = 0; i < count; i++) {
            message.loggedPiece(length(i), envelope.place());
        }
        return message;
    }
}
