package org.posthouse.core;

import java.util.ArrayDeque;

/** A rank whose offers were matched at this core: what it was told to send and is not here, and what it is to be told when there is room. Confined to the core. */
final class Sender {
    /**
     * The word that an offer's sender may go on, which may have to wait for room for what would come.
     *
     * @param from who hears it
     * @param replays of the source, if it is at home here, when that was decided
     */
    record Word(Sender from, Message message, int replays) {}

    private final Job job;
    private final int rank;
    private final ArrayDeque<Word> words = new ArrayDeque<>();
    private long underWay;

    Sender(Job job, int rank) {
        this.job = job;
        this.rank = rank;
    }

    Job job() {
        return job;
    }

    int rank() {
        return rank;
    }

    /** Bytes of its offers that it was told to send, and that are not here. */
    long underWay() {
        return underWay;
    }

    void add(long bytes) {
        underWay += bytes;
        assert underWay >= 0 : rank + " has " + underWay + " bytes under way";
    }

    /** What waits for room, in the order in which it was decided. */
    ArrayDeque<Word> words() {
        return words;
    }
}
