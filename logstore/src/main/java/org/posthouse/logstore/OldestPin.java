package org.posthouse.logstore;

import org.posthouse.logstore.record.LogRecord;

/**
 * A rank that needs the oldest record of its job. Immutable.
 *
 * @param job the job
 * @param rank its rank; {@link LogRecord#NO_RANK} if the job cannot continue from a record there
 * @param position of that record
 */
record OldestPin(long job, int rank, long position) {}
