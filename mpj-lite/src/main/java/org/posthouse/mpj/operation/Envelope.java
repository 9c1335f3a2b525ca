package org.posthouse.mpj.operation;

/**
 * The description of a message without its payload.
 *
 * @param source world rank of the sender
 * @param tag the sender's tag
 * @param bytes payload bytes
 * @param elements elements of the datatype
 * @param datatype wire code of the datatype
 */
public record Envelope(int source, int tag, long bytes, int elements, int datatype) {}
