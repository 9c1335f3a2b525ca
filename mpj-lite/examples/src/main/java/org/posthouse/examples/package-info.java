/**
 * The example jobs: ordinary MPJ programs that a newcomer reads, runs and copies.
 * Each program is one class with a {@code main}; the arithmetic that needs no MPI stands in a class beside it.
 * A rank owns everything its program allocates; nothing static changes, so ranks may share a process or not.
 * Every program checks its own result and says so in its last line; the job's status follows that line.
 * From outside, only {@link org.posthouse.examples.Examples} and the programs' {@code main} methods are called.
 */
package org.posthouse.examples;
