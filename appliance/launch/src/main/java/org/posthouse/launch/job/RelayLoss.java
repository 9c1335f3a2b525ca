package org.posthouse.launch.job;

import java.util.Locale;

/**
 * A relay that a job lost and found again.
 *
 * @param relay its name
 * @param ranks number of its ranks that still had something to do
 * @param downNs from the broken connection until it had the job again
 * @param ranksNs from then until the last of those ranks was where it had been; 0 if there are none. Negative if the
 *     job ended, or the relay was lost again, before that
 */
public record RelayLoss(String relay, int ranks, long downNs, long ranksNs) {
    /** Whether all its ranks have continued. */
    public boolean isOver() {
        return ranksNs >= 0;
    }

    /** For people, behind the relay's name. */
    public String words() {
        String who = ranks == 1 ? "its rank goes on" : "its " + ranks + " ranks go on";
        return String.format(Locale.ROOT, "%s, %.2f s after it came back", who, ranksNs / 1e9);
    }
}
