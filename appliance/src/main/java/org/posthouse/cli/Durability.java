package org.posthouse.cli;

/** What a job's messages and deliveries must survive. */
enum Durability {
    /** Nothing is logged. */
    NONE,
    /** Logged to memory-mapped files: survives the death of the relay's process. */
    PROCESS
}
