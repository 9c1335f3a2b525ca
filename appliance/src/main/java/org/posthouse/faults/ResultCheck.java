package org.posthouse.faults;

/** What a job says of its own result, line by line. Called by several threads. */
public final class ResultCheck {
    private int successes;
    private int failures;

    /** Notes what a line of the job's output says, if it says anything of the result. */
    public synchronized void onLine(String line) {
        successes += line.contains("Verification: SUCCESSFUL") ? 1 : 0;
        failures += line.contains("Verification: UNSUCCESSFUL") ? 1 : 0;
    }

    /** The job said once that its result is right, and nothing else. */
    public synchronized boolean isSuccessful() {
        return successes == 1 && failures == 0;
    }

    @Override
    public synchronized String toString() {
        return "\"Verification: SUCCESSFUL\" " + successes + " times and UNSUCCESSFUL " + failures + " times";
    }
}
