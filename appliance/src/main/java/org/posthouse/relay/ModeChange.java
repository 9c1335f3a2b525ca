package org.posthouse.relay;

/**
 * What came of a change of mode on a running relay.
 *
 * @param from the mode before
 * @param to the mode since
 * @param asked ranks that were connected and asked to connect again
 * @param moved those that have
 * @param left those that have neither moved nor ended: they compute, or are replayed, and move later
 * @param pauseMicrosMedian time between a rank's last frame on the old connection and its welcome on the new one
 * @param pauseMicrosMax the longest of these
 * @param tookMicros from the command until the last of them was back
 */
public record ModeChange(
        ModeConfig from,
        ModeConfig to,
        int asked,
        int moved,
        int left,
        long pauseMicrosMedian,
        long pauseMicrosMax,
        long tookMicros) {

    @Override
    public String toString() {
        return "mode " + from + " -> " + to + ": " + moved + " of " + asked + " ranks moved, " + left
                + " will later; pause median " + pauseMicrosMedian + " us, longest " + pauseMicrosMax
                + " us; took " + tookMicros + " us";
    }
}
