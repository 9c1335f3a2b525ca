package org.posthouse.status;

/**
 * What a relay has done for the failure detectors of jobs since it started.
 *
 * @param passed messages of detectors that it has passed on
 * @param dropped messages for which there was no way
 * @param questions checks of its own agents that other hosts have asked for
 * @param living checks with the verdict that the agent lives: suspicions that were false
 * @param dead checks with the verdict that the agent is dead
 * @param returned agents that came back after such a verdict
 */
public record DetectorCounts(long passed, long dropped, long questions, long living, long dead, long returned) {
    public static final DetectorCounts NONE = new DetectorCounts(0, 0, 0, 0, 0, 0);

    public DetectorCounts plusPassed() {
        return new DetectorCounts(passed + 1, dropped, questions, living, dead, returned);
    }

    public DetectorCounts plusDropped() {
        return new DetectorCounts(passed, dropped + 1, questions, living, dead, returned);
    }

    public DetectorCounts plusQuestion() {
        return new DetectorCounts(passed, dropped, questions + 1, living, dead, returned);
    }

    public DetectorCounts plusLiving() {
        return new DetectorCounts(passed, dropped, questions, living + 1, dead, returned);
    }

    public DetectorCounts plusDead() {
        return new DetectorCounts(passed, dropped, questions, living, dead + 1, returned);
    }

    public DetectorCounts plusReturned() {
        return new DetectorCounts(passed, dropped, questions, living, dead, returned + 1);
    }
}
