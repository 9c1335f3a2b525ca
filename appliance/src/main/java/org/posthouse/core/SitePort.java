package org.posthouse.core;

import org.posthouse.wire.FrameType;
import org.posthouse.wire.Stall;

/** The way out to other sites. Implemented over the tunnel's links; called by the core's owner only. */
public interface SitePort {
    /**
     * Passes a frame of a rank on to {@code site}. Takes over the parcel.
     *
     * @return false if there is no way to that site
     */
    boolean forward(String site, Parcel frame);

    /** Tells the home of a message's source at {@code site} that it was matched. */
    void clear(String site, long job, int context, int source, int destination, long sequence, long upTo);

    /** Passes on that a message's source wants its offer back, to the home of its destination at {@code site}. */
    void withdraw(String site, long job, int context, int source, int destination, long sequence);

    /** Answers that, to the home of the message's source at {@code site}. */
    void withdrawn(String site, long job, int context, int source, int destination, long sequence, boolean gone);

    /** Tells another relay of a rank that is blocked (BLOCKED), or of one that is so for ever (MISMATCH). */
    void stall(String site, FrameType type, Stall stall);

    /** Gives credit back to {@code rank}, homed at {@code site}. */
    void credit(String site, long job, int rank, long bytes, int messages);
}
