package org.posthouse.bench.job;

import java.util.ArrayList;
import java.util.List;

/** One series of {@code bench job}: the time of each repetition, in seconds. */
final class JobTimes {
    private final boolean logged;
    private final List<Double> communicating = new ArrayList<>();
    private final List<Double> told = new ArrayList<>();

    JobTimes(boolean logged) {
        this.logged = logged;
    }

    /**
     * One repetition.
     *
     * @param communicatingSeconds from the moment when every rank had called Init to the end of the last process
     * @param toldSeconds the time that the program itself printed; NaN if it printed none
     */
    void add(double communicatingSeconds, double toldSeconds) {
        communicating.add(communicatingSeconds);
        told.add(toldSeconds);
    }

    boolean logged() {
        return logged;
    }

    List<Double> communicating() {
        return communicating;
    }

    /** The seconds that the program printed; empty unless it did so each time. */
    List<Double> told() {
        return told.stream().anyMatch(seconds -> seconds.isNaN()) ? List.of() : told;
    }

    /** Whether the program's times can be compared: it printed one each time, and more than 0.000. */
    boolean isTold() {
        return told.stream().allMatch(seconds -> seconds > 0);
    }
}
