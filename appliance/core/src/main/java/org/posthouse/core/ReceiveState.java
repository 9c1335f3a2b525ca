package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Tracks what a rank is being sent: messages that are here in part, messages that wait until it reads, and offers
 * withdrawn from it. Messages that wait for its receives are in its {@link Mailbox}. The counterpart of {@link
 * SendState}. Confined to the relay core.
 */
final class ReceiveState {
    private final Map<TransferId, Message> arriving = new HashMap<>();

    /** Messages whose credit or CLEAR waits until the rank reads again. */
    private final ArrayDeque<Message> deferred = new ArrayDeque<>();

    /** Matched messages whose payload waits in the log until the rank reads, in the order of their deliveries. */
    private final ArrayDeque<Message> toRead = new ArrayDeque<>();

    /** For jobs that are logged. */
    private final Set<TransferId> takenBack = new HashSet<>();

    // ---- messages that are here in part

    /** A message has begun. Its chunks follow unless it is complete. */
    void begin(Message message) {
        if (!message.isComplete()) {
            arriving.put(TransferId.of(message), message);
        }
    }

    /** The message that a chunk belongs to; null if none is expected. */
    Message arriving(TransferId transferId) {
        return arriving.get(transferId);
    }

    /** No more of it will come. */
    void end(TransferId transferId) {
        arriving.remove(transferId);
    }

    /** All messages of which more will come. */
    Collection<Message> arriving() {
        return Collections.unmodifiableCollection(arriving.values());
    }

    /**
     * Whether the log misses pieces of messages that were delivered to the rank: they are under way, or its host has
     * lost them.
     */
    boolean isMissingPieces() {
        return arriving.values().stream().anyMatch(message -> message.receive() != null);
    }

    // ---- messages that wait until the rank reads

    /** Defers the credit or CLEAR of this message. */
    void defer(Message message) {
        deferred.add(message);
    }

    /** Nothing more comes of this message, and its sender is dead. */
    void dropDeferred(Message message) {
        deferred.removeIf(each -> each == message);
    }

    /** Number of deferred messages. */
    int deferred() {
        return deferred.size();
    }

    /** Removes the deferred message that has waited longest; null if there is none. */
    Message takeDeferred() {
        return deferred.poll();
    }

    /** Defers the payload of this message. */
    void waitToRead(Message message) {
        toRead.add(message);
    }

    /** The message whose payload is read next; null if there is none. */
    Message toRead() {
        return toRead.peek();
    }

    /** Removes that message; null if there is none. */
    Message takeToRead() {
        return toRead.poll();
    }

    // ---- offers that were taken back

    void takeBack(TransferId offer) {
        takenBack.add(offer);
    }

    boolean isTakenBack(TransferId offer) {
        return takenBack.contains(offer);
    }

    // ---- all of them

    /**
     * Visits each message that is here in part or waits until the rank reads; one that does both is visited more than
     * once.
     */
    void forEach(Consumer<Message> visitor) {
        arriving.values().forEach(visitor);
        deferred.forEach(visitor);
        toRead.forEach(visitor);
    }

    /** The job ends. */
    void forget() {
        arriving.clear();
        deferred.clear();
        toRead.clear();
    }
}
