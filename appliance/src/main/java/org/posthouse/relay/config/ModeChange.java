package org.posthouse.relay.config;

/**
 * The result of a change of mode on a running relay.
 *
 * @param from the mode before
 * @param to the mode since
 * @param asked number of connected ranks that were asked to reconnect
 * @param moved number of ranks that have reconnected
 * @param left number of ranks that have neither moved nor ended; they compute or replay, and move later
 * @param pauseMicrosMedian time between a rank's last frame on the old connection and its welcome on the new one
 * @param pauseMicrosMax the longest of these times
 * @param tookMicros time from the command until the last rank was back
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
