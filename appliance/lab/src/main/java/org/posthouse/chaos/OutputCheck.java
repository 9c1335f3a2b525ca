package org.posthouse.chaos;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * The output of a job's ranks that its launchers have shown, together and in order, for a comparison with its folder.
 * All that the folder has kept must have been shown, once. A launcher keeps a line and then shows it, so each one that
 * was killed may lack the last line of each rank (ADR 55).
 * Called by one thread after the other.
 */
final class OutputCheck {
    private final List<List<String>> ranks = new ArrayList<>();

    OutputCheck(int count) {
        for (int rank = 0; rank < count; rank++) {
            ranks.add(new ArrayList<>());
        }
    }

    /** Takes a line as a launcher shows it: behind its rank's tag, with its end. */
    void onLine(String line) {
        int end = line.indexOf("] ");
        ranks.get(Integer.parseInt(line.substring(1, end).strip())).add(line.substring(end + 2).stripTrailing());
    }

    /**
     * Compares.
     *
     * @param kept for each rank, its lines without their ends
     * @param launchersKilled number of launchers killed
     * @param unshown gets each line that was kept and not shown, as it would have been
     * @return the fault in one line; empty if there is none
     */
    String compare(List<List<String>> kept, int launchersKilled, Consumer<String> unshown) {
        for (int rank = 0; rank < ranks.size(); rank++) {
            Iterator<String> shown = ranks.get(rank).iterator();
            String next = shown.hasNext() ? shown.next() : null;
            int missing = 0;
            for (String line : kept.get(rank)) {
                if (line.stripTrailing().equals(next)) {
                    next = shown.hasNext() ? shown.next() : null;
                } else {
                    missing++;
                    unshown.accept("[" + rank + "] " + line + "\n");
                }
            }
            if (next != null) {
                return "rank " + rank + " was shown with a line twice, or one that was not kept: \"" + next + "\"";
            }
            if (missing > launchersKilled) {
                return missing + " lines of rank " + rank + " were kept and not shown, expected at most one for each of " + launchersKilled
                        + " launchers that were killed";
            }
        }
        return "";
    }
}
