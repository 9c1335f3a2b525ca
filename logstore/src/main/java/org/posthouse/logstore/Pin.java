package org.posthouse.logstore;

/**
 * Who needs the oldest record that anybody needs. Immutable.
 *
 * @param job the job
 * @param rank its rank; {@link LogRecord#NO_RANK} if the job cannot go on from a record there
 * @param position of that record
 */
record Pin(long job, int rank, long position) {}
