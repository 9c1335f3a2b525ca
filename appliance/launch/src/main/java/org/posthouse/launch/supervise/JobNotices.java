package org.posthouse.launch.supervise;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Prints lines about a running job for people. A notice that concerns many ranks is printed once. Confined to the job's
 * thread.
 */
final class JobNotices {
    private final Consumer<String> printer;
    private final List<String> divergences = new ArrayList<>();
    private final List<String> printDifferences = new ArrayList<>();

    /** Reasons why ranks cannot be restarted; each is printed once. */
    private final Set<String> limits = new HashSet<>();

    private String logState = "";

    /** @param printer prints one line */
    JobNotices(Consumer<String> printer) {
        this.printer = printer;
    }

    void print(String line) {
        printer.accept(line);
    }

    /** A restarted rank sent something else than before. */
    void diverged(String what) {
        divergences.add(what);
        print("DIVERGED: " + what);
    }

    /**
     * A restarted rank printed something else than before, which says nothing about its sends. The launcher compares
     * the output, the relay the sends.
     */
    void printsDiffer(String what) {
        printDifferences.add(what);
        print("PRINTS DIFFER: " + what);
    }

    /**
     * A relay's log has no room, or has room again. A relay reports this once for each of its cores that has ranks of
     * the job.
     */
    void logState(String text) {
        if (!text.equals(logState)) {
            print(text);
        }
        logState = text;
    }

    /**
     * The rank cannot be restarted any more.
     *
     * @param consequence of the rank's death for the job
     */
    void limited(int rank, String consequence, String why) {
        if (limits.add(why)) {
            print(
                    "rank " + rank + " cannot be started again from here on, and " + consequence + ": " + why + " (of other ranks the same is not told)");
        }
    }

    /** Divergences of restarted ranks in their sends or other operations, each in one line. */
    List<String> divergences() {
        return List.copyOf(divergences);
    }

    /** Differences between the output of restarted ranks and their earlier output, each in one line. */
    List<String> printDifferences() {
        return List.copyOf(printDifferences);
    }
}
