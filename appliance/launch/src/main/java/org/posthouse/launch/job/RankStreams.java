package org.posthouse.launch.job;

/**
 * The use of the ranks' streams by the job's launcher.
 *
 * @param input which ranks read the launcher's standard input: a rank, {@link #NO_INPUT} or {@link #ALL_INPUT}
 * @param compareErr whether a rank that was started again is to print the same to standard error as before
 * @param showsTail whether the home relays are sent the newest lines that ranks print, for their consoles
 */
public record RankStreams(int input, boolean compareErr, boolean showsTail) {
    /** No rank reads anything. */
    public static final int NO_INPUT = -1;

    /** Each rank reads all of it. */
    public static final int ALL_INPUT = -2;

    /** No input, and standard error is shown and not compared. */
    public static final RankStreams DEFAULT = new RankStreams(NO_INPUT, false, true);

    /** Whether this rank reads it. */
    public boolean hasInput(int rank) {
        return input == rank || input == ALL_INPUT;
    }

    /** Whether any rank does. */
    public boolean hasInput() {
        return input != NO_INPUT;
    }
}
