package org.posthouse.ops;

/**
 * What a link packs of what it sends. Immutable.
 *
 * @param on          whether large frames go packed now
 * @param bytesBefore bytes of the frames that went packed since the relay started, as they were
 * @param bytesAfter  bytes that went in their place
 * @param samples     frames that were packed only to see whether that would pay
 */
public record PackingView(boolean on, long bytesBefore, long bytesAfter, long samples) {}
