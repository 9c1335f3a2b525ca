package org.posthouse.faults;

/** The results that a job prints about itself, read line by line. Called by several threads. */
public final class ResultCheck {
    private int successes;
    private int failures;

    /** Counts a line of the job's output, if it reports the result. */
    public synchronized void onLine(String line) {
        successes += line.contains("Verification: SUCCESSFUL") ? 1 : 0;
        failures += line.contains("Verification: UNSUCCESSFUL") ? 1 : 0;
    }

    /** Whether the job reported a right result once, and no wrong one. */
    public synchronized boolean isSuccessful() {
        return successes == 1 && failures == 0;
    }

    @Override
    public synchronized String toString() {
        return "\"Verification: SUCCESSFUL\" " + successes + " times and UNSUCCESSFUL " + failures + " times";
    }
}
