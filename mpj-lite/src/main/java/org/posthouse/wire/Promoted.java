package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Tells a follower that it leads its rank from here on. It is to the follower what {@link Welcome} is to a process that has just
 * started: pages of {@link StatePage} follow, then the rest of the history and its end.
 *
 * @param job the job's id
 * @param incarnation of the process from now on
 * @param creditBytes initial byte credit; like the next one below zero if earlier processes of the rank have overdrawn it
 * @param creditMessages initial message credit
 * @param deliveries to the rank that the relay knows of
 * @param events of the rank's history that the relay knows of
 * @param pages number of STATE frames that follow
 */
public record Promoted(long job, int incarnation, long creditBytes, int creditMessages, long deliveries, long events, int pages) {
    /** The part of a rank's welcome that its follower does not know yet. */
    public static Promoted of(Welcome welcome) {
        return new Promoted(
                welcome.job(), welcome.incarnation(), welcome.creditBytes(), welcome.creditMessages(), welcome.deliveries(), welcome.events(), welcome.pages());
    }

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.PROMOTED, job, FrameType.PROMOTED.bytesMax())
                .i32(incarnation)
                .i32(pages)
                .i64(creditBytes)
                .i32(creditMessages)
                .i32(0)
                .i64(deliveries)
                .i64(events)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static Promoted decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int incarnation = in.i32("incarnation", 1, Integer.MAX_VALUE);
        int pages = in.i32("pages of state", 0, Hello.PAGES_MAX);
        long creditBytes = in.i64("credit bytes");
        int creditMessages = in.i32("credit messages");
        in.zero32();
        long deliveries = in.i64("deliveries", 0, Long.MAX_VALUE);
        long events = in.i64("events", 0, Long.MAX_VALUE);
        in.end();
        return new Promoted(
                new FrameView().wrap(frame, frame.position()).job(), incarnation, creditBytes, creditMessages, deliveries, events, pages);
    }
}
