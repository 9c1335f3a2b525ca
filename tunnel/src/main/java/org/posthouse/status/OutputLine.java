package org.posthouse.status;

/**
 * A line that a rank has printed. Immutable.
 *
 * @param at     when the rank's home relay got it, in milliseconds since 1970 UTC: up to a second or two after it was printed
 * @param rank   the rank
 * @param stream {@code out} or {@code err}
 * @param text   the line without its end
 */
public record OutputLine(long at, int rank, String stream, String text) {}
