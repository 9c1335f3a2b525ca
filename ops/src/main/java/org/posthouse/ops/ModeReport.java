package org.posthouse.ops;

/**
 * The result of a change of mode on one relay. Immutable.
 *
 * @param relay             the relay's id
 * @param from              the mode before, with its sizes
 * @param to                the mode since
 * @param asked             ranks that were connected and asked to connect again
 * @param moved             those that have
 * @param left              those that compute, or are replayed, and move later
 * @param pauseMicrosMedian time that a rank was between two connections, in microseconds
 * @param pauseMicrosMax    the longest of these
 * @param tookMicros        from the order until the last of them was back, in microseconds
 */
public record ModeReport(
        String relay,
        String from,
        String to,
        int asked,
        int moved,
        int left,
        long pauseMicrosMedian,
        long pauseMicrosMax,
        long tookMicros) {}
