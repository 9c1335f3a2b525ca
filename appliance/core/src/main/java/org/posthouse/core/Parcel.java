package org.posthouse.core;

/**
 * The bytes of one received frame, held by the core and never looked into. It is passed on exactly once, to a port, or
 * released.
 */
public interface Parcel {
    /** Payload bytes in this frame. */
    int payloadBytes();

    /** Called when the frame has to wait in a mailbox: lets go of memory that the frame shares with others. */
    void settle();

    /** Gives the bytes up unused. */
    void release();
}
