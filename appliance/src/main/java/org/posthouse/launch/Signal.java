package org.posthouse.launch;

import org.posthouse.wire.JobEvent;

/** What a running job's thread is told by the threads around it. */
sealed interface Signal {
    /** A rank's process has ended and all its output was passed on. */
    record Exited(int rank, int status) implements Signal {}

    /** A relay tells about a rank. */
    record Event(JobEvent event) implements Signal {}

    /** The connection to a relay broke. */
    record RelayLost(String why) implements Signal {}

    /** Somebody wants the job to end, for instance by Ctrl-C. */
    record Stop(int status, String why) implements Signal {}
}
