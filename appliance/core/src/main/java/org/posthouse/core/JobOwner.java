package org.posthouse.core;

import org.posthouse.wire.JobEvent;

/** Who started a job and hears what becomes of its ranks: the relay's connection to the launcher. */
public interface JobOwner {
    void onJobEvent(JobEvent event);
}
