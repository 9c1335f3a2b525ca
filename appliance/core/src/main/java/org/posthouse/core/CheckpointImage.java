package org.posthouse.core;

/**
 * An image that is kept. Immutable.
 *
 * @param number among those of its rank: 1, 2, …
 * @param bytes of it
 * @param crc CRC32C of it
 */
public record CheckpointImage(long number, long bytes, int crc) {}
