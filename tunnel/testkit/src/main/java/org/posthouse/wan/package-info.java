/**
 * A wide-area network on the loopback, for tests and benches: delay, jitter, bandwidth, cuts and silence, each direction by
 * itself. One {@link org.posthouse.wan.WanEmulator} has one thread, which owns everything; its methods may be called from
 * anywhere. It works on bytes, not packets: TCP below it loses nothing.
 */
package org.posthouse.wan;
