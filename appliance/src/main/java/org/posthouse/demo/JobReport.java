package org.posthouse.demo;

import org.posthouse.launch.JobOutcome;

/**
 * What became of one of the demo's jobs.
 *
 * @param name the example's name
 * @param ranks how many ranks it had
 * @param outcome how it ended
 * @param verified whether it ended well and said that its result is right
 * @param stopped whether the user ended it
 * @param traffic what it moved
 */
record JobReport(String name, int ranks, JobOutcome outcome, boolean verified, boolean stopped, Traffic traffic) {}
