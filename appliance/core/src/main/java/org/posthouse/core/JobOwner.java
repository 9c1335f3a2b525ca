package org.posthouse.core;

import org.posthouse.wire.JobEvent;

/** The owner of a job, which receives the events of its ranks: the relay's connection to the launcher. */
public interface JobOwner {
    void onJobEvent(JobEvent event);
}
