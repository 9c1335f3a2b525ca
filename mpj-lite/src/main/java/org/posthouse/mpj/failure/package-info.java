/**
 * Failures of ranks that the program survives: who is dead, which communicators are revoked, agreements under way. All state is guarded by the
 * endpoint's lock. {@code mpi} uses {@link org.posthouse.mpj.failure.RankFailures}.
 */
package org.posthouse.mpj.failure;
