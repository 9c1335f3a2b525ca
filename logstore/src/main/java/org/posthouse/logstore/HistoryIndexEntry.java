package org.posthouse.logstore;

/**
 * A record of a rank from which its history can be read, and the rank's counts before it. Immutable.
 *
 * @param position of the record
 * @param place of the record
 * @param deliveries before it
 * @param events before it
 * @param polls number of failed polls before it
 */
public record HistoryIndexEntry(long position, long place, long deliveries, long events, long polls) {}
