package org.posthouse.core;

import java.nio.ByteBuffer;

/**
 * Writes the facts that a relay must not forget before they have an effect (docs/log-format.md). It is also the place
 * where messages wait for their receives. Implemented over the log store; called by the core's owner only. Every method
 * that writes throws {@link JournalBroken} if that fails, and has then kept nothing. Those that read throw {@link
 * JournalDamaged}.
 */
public interface Journal {
    /**
     * A message arrived at its mailbox, with the payload of its first frame. Tells it the place: {@link
     * Message#logged}.
     */
    void arrival(long job, Message message, Parcel head);

    /**
     * As above, for a message that meets a posted receive: it arrived, and is the rank's next delivery.
     *
     * @param delivery its number, from 1
     */
    void arrivalDelivered(long job, int incarnation, long delivery, Receive receive, Message message, Parcel head);

    /** More payload bytes of a message, from {@code offset} on. Returns the place that {@link #piece} finds them by. */
    long chunk(long job, Message message, long offset, Parcel chunk);

    /** The rank's next delivery, number {@code delivery}, is this message, which has waited. */
    void delivery(long job, int rank, int incarnation, long delivery, Message message);

    /** All failed polls of a rank so far, as reported in a frame that is about to have an effect. */
    void polls(long job, int rank, int incarnation, long failedPolls);

    /**
     * Events that a rank has observed, from its {@code first}-th on.
     *
     * @param limited whether the rank reports that a replay is not promised from there on
     * @param items the frame that reported them; stays the caller's
     */
    void events(long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items);

    /** A process of the rank has connected, with this {@code incarnation}. */
    void incarnation(long job, int rank, int incarnation);

    /**
     * A follower of the rank leads it from here on.
     *
     * @param incarnation of the process from here on; those of all earlier leaders are below it
     * @param follower the incarnation that it had as a follower
     */
    void promoted(long job, int rank, int incarnation, int follower);

    /** An offered message was withdrawn by its source. */
    void withdrawn(long job, Message offer);

    /**
     * A rank has died, or a communicator is revoked: {@code frame} is RANK_FAILED or REVOKE. A repeated call has no effect.
     *
     * @param rank that has died, at any home, or -1
     */
    void failed(long job, int rank, ByteBuffer frame);

    /** An agreement is decided: {@code frame} is AGREED. */
    void agreed(long job, ByteBuffer frame);

    /** The rank has called Finalize. */
    void finalized(long job, int rank, int incarnation);

    /**
     * The process of that rank has ended, too, and no other follows: its history is not needed any more. A repeated
     * call has no effect. Does not throw.
     */
    void done(long job, int rank, int incarnation);

    /**
     * The rank can be started again from where it stands.
     *
     * @param image of it, which is kept; null: there is none, it has asked whether it is restored
     */
    void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image);

    /**
     * A {@link JournalFailure} has stopped this job at one of the relay's cores: the journal accepts nothing more of it
     * from any core.
     */
    void giveUp(long job, String why);

    /** Whether the journal accepts nothing more of this job. Asked by every core of the relay. */
    boolean isBroken(long job);

    /** The last record's number. */
    long position();

    /** The frame that began a message, made anew; with the payload that rode in it, read back, or without. */
    Parcel head(long job, Message message, boolean payload);

    /** Payload of a message from {@code offset} on, as much as one frame of it brought, read back into a CHUNK. */
    Parcel piece(long job, Message message, long offset);

    /** Whether senders may run ahead of their receivers: the log has far more room than the bytes under way. */
    boolean hasAmpleRoom();

    /**
     * Whether no sender may be cleared to send more, because the log has too little room. {@link RelayCore#roomChanged}
     * reports changes of both.
     */
    default boolean holds() {
        return false;
    }

    /**
     * Whether a process that has so much of the rank's history can be given the rest, as far as is known without reading: if not, it must not
     * follow, as it would lead where no other process is.
     */
    default boolean hasHistory(int rank, long deliveries, long events) {
        return true;
    }

    /**
     * Why a follower is dropped that was sent too little of its rank's history; empty if it is not, or if the log keeps that ({@link
     * FollowerLag}).
     *
     * @param replay the rank's number of the follower's history
     */
    default String tooFarBehind(HomedRank rank, int replay) {
        return "";
    }

    /** Whether senders are held because this follower was sent too little. */
    default boolean isHeldFor(HomedRank rank, int replay) {
        return false;
    }

    /** A journal that keeps nothing: {@code --durability none}. */
    Journal NONE = new Journal() {
        @Override
        public void arrival(long job, Message message, Parcel head) {}

        @Override
        public void arrivalDelivered(
                long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {}

        @Override
        public long chunk(long job, Message message, long offset, Parcel chunk) {
            return -1;
        }

        @Override
        public void delivery(long job, int rank, int incarnation, long delivery, Message message) {}

        @Override
        public void polls(long job, int rank, int incarnation, long failedPolls) {}

        @Override
        public void events(
                long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {}

        @Override
        public void incarnation(long job, int rank, int incarnation) {}

        @Override
        public void promoted(long job, int rank, int incarnation, int follower) {}

        @Override
        public void withdrawn(long job, Message offer) {}

        @Override
        public void failed(long job, int rank, ByteBuffer frame) {}

        @Override
        public void agreed(long job, ByteBuffer frame) {}

        @Override
        public void finalized(long job, int rank, int incarnation) {}

        @Override
        public void done(long job, int rank, int incarnation) {}

        @Override
        public void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image) {}

        @Override
        public void giveUp(long job, String why) {}

        @Override
        public boolean isBroken(long job) {
            return false;
        }

        @Override
        public long position() {
            return 0;
        }

        @Override
        public Parcel head(long job, Message message, boolean payload) {
            throw new IllegalStateException(message + " is not in a log");
        }

        @Override
        public Parcel piece(long job, Message message, long offset) {
            throw new IllegalStateException(message + " is not in a log");
        }

        @Override
        public boolean hasAmpleRoom() {
            return false;
        }
    };
}
