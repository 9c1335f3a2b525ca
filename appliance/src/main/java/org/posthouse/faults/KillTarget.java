package org.posthouse.faults;

/** Whose process is killed. */
public enum KillTarget {
    RANK,
    RELAY,
    /** Of a node: its ranks die with it, and are started on other nodes of its relay. */
    AGENT,
    /** Another goes on with the job: {@code posthouse resume}. */
    LAUNCHER
}
