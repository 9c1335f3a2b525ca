/**
 * Benchmarks that measure the relay beside what a user would put in its place, in the same processes and the same run.
 *
 * <p>The host side starts relays and forwarders and reads the results; the rank side is an ordinary MPI program. The
 * command calls it; nothing here is on a message's path.
 */
package org.posthouse.bench;
