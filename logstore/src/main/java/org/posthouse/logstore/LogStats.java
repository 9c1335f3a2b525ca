package org.posthouse.logstore;

/**
 * A snapshot of a log's counters, for metrics. Each number is exact; together they may straddle an append.
 *
 * @param records appended since open, the writer's own start record included
 * @param bytes of those records, envelopes included, Chronicle's framing not
 * @param position of the last record
 * @param epoch of this writer
 * @param files of the log on disk
 * @param rolls to a new file since open
 */
public record LogStats(long records, long bytes, long position, long epoch, long files, long rolls) {}
