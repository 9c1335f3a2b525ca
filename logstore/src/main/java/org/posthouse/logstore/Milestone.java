package org.posthouse.logstore;

/**
 * A record of a rank from which its history can be read on, and what the rank had done before it. Immutable.
 *
 * @param position of the record
 * @param place of the record
 * @param deliveries before it
 * @param events before it
 * @param polls that had failed before it
 */
public record Milestone(long position, long place, long deliveries, long events, long polls) {}
