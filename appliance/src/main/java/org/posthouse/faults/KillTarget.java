package org.posthouse.faults;

/** Whose process is killed. */
public enum KillTarget {
    /** The rank's only process, or the one that leads. */
    RANK,
    /** A process that follows the one that leads. */
    FOLLOWER,
    RELAY,
    /** Of a node: its ranks die with it, and are started on other nodes of its relay. */
    AGENT,
    /** Another goes on with the job: {@code posthouse resume}. */
    LAUNCHER
}
