package org.posthouse.core;

import java.nio.ByteBuffer;

/** One step of a rank's history, in the order in which it was logged. */
public sealed interface HistoryStep {
    /**
     * The rank was given a message.
     *
     * @param number which of its deliveries this is, from 1
     * @param ordinal which receive of its context it was, from 1; 0: the rank has matched it
     * @param message one that {@link Message#logged} made
     * @param arrived payload bytes that were there by then; what came later follows as {@link Piece}
     */
    record Delivered(long number, long ordinal, Message message, long arrived) implements HistoryStep {}

    /** More bytes of a message that it was given before, which stand in the log at {@code place}. */
    record Piece(Message message, long offset, int bytes, long place) implements HistoryStep {}

    /**
     * Events that the rank reported to have observed.
     *
     * @param first number of the first of these events; the rank's first is 1
     * @param items their encoding by the library; opaque to the relay
     */
    record Events(long first, int count, ByteBuffer items) implements HistoryStep {}

    /** So many of its polls had failed since its start. */
    record Polls(long failed) implements HistoryStep {}

    /**
     * The program asked whether it is restored: what it did before is its prologue.
     *
     * @param number of the image where the history continues, whose pieces follow; 0 if it continues here
     * @param bytes of the image
     * @param deliveries at the image, and {@code events} and {@code polls} that had failed
     */
    record PrologueEnd(long number, long bytes, long deliveries, long events, long polls) implements HistoryStep {}

    /** The next bytes of that image. */
    record ImagePiece(long number, long offset, ByteBuffer bytes) implements HistoryStep {}

    /** The log was read up to its {@code position}-th record, and more may stand behind it. */
    record Reached(long position) implements HistoryStep {}

    /** Nothing else stands in the log, up to its {@code position}-th record. */
    record End(long position) implements HistoryStep {}
}
