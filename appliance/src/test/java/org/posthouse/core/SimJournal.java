package org.posthouse.core;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A journal that remembers what it was told, and fails when it is told in the wrong order. */
final class SimJournal implements Journal {
    private final CoreWorld world;
    private final Map<Integer, Long> polls = new HashMap<>();
    private final Map<Integer, Long> pollsAtEvents = new HashMap<>();
    private final Map<Integer, Long> deliveries = new HashMap<>();
    private final Set<Message> arrived = new HashSet<>();
    private final Set<Message> delivered = new HashSet<>();
    private long position;

    SimJournal(CoreWorld world) {
        this.world = world;
    }

    @Override
    public long arrival(long job, Message message, Parcel head) {
        SimLetter letter = world.letter(message.context(), message.source(), message.destination(), message.sequence());
        check(arrived.add(message) && letter.bytesLogged < 0, "arrived twice: " + message);
        check(message.receive() == null, "matched before its arrival was logged: " + message);
        letter.bytesLogged = head.payloadBytes();
        return position++;
    }

    @Override
    public void chunk(long job, Message message, long offset, Parcel chunk) {
        SimLetter letter = world.letter(message.context(), message.source(), message.destination(), message.sequence());
        check(letter.bytesLogged == offset, "chunk at " + offset + " logged after " + letter.bytesLogged + " bytes of " + letter);
        letter.bytesLogged += chunk.payloadBytes();
    }

    @Override
    public void delivery(long job, int rank, int incarnation, long delivery, long failedPolls, Message message) {
        check(arrived.contains(message), "delivered before its arrival was logged: " + message);
        check(delivered.add(message), "delivered twice: " + message);
        check(deliveries.merge(rank, 1L, Long::sum) == delivery, "delivery " + delivery + " of rank " + rank);
        check(incarnation == 1, "incarnation " + incarnation);
        pollsAtEvents.merge(rank, failedPolls, Long::sum);
        check(pollsAtEvents.get(rank) <= polls(rank), "rank " + rank + " had fewer failed polls than its deliveries say");
    }

    @Override
    public void polls(long job, int rank, int incarnation, long failedPolls) {
        check(failedPolls > 0, "logged " + failedPolls + " failed polls");
        polls.merge(rank, failedPolls, Long::sum);
    }

    long polls(int rank) {
        return polls.getOrDefault(rank, 0L);
    }

    boolean hasArrival(Message message) {
        return arrived.contains(message);
    }

    boolean hasDelivery(Message message) {
        return delivered.contains(message);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("journal: " + what);
        }
    }
}
