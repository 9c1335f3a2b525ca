package org.posthouse.faults;

/** Whose process is killed. */
public enum KillTarget {
    RANK,
    RELAY,
    /** Another goes on with the job: {@code posthouse resume}. */
    LAUNCHER
}
