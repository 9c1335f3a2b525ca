package org.posthouse.core;

/**
 * What a relay must not forget, written before it has an effect (DESIGN section 7). Implemented over the log store;
 * called by the core's owner only. Every method throws {@link JournalFull} if there is no room, and has then kept
 * nothing.
 */
public interface Journal {
    /** A message was stored in its destination's mailbox, with the payload bytes of its first frame. */
    long arrival(long job, Message message, Parcel head);

    /** More payload bytes of a message, from {@code offset} on. */
    void chunk(long job, Message message, long offset, Parcel chunk);

    /** The rank's next delivery, its {@code delivery}-th, is this message. */
    void delivery(long job, int rank, int incarnation, long delivery, long failedPolls, Message message);

    /** Failed polls of a rank since its last event, which rode on a frame that is about to have an effect. */
    void polls(long job, int rank, int incarnation, long failedPolls);

    /** Keeps nothing: {@code --durability none}. */
    Journal NONE = new Journal() {
        @Override
        public long arrival(long job, Message message, Parcel head) {
            return -1;
        }

        @Override
        public void chunk(long job, Message message, long offset, Parcel chunk) {}

        @Override
        public void delivery(long job, int rank, int incarnation, long delivery, long failedPolls, Message message) {}

        @Override
        public void polls(long job, int rank, int incarnation, long failedPolls) {}
    };
}
