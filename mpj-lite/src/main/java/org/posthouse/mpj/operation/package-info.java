/**
 * Sends, receives and probes under way: the operations, the envelopes and contents of their messages, and the
 * exceptions of receives. Package {@code mpi} makes its requests of them.
 *
 * <p>This is the vocabulary of the library's other packages, so most types are exported. An operation is guarded by its
 * endpoint's lock. The package is internal: programs never use it, and it may change with any release.
 */
package org.posthouse.mpj.operation;
