/**
 * The receive side of a rank: the posted receives and probes, the unexpected messages, and the contexts that match at
 * the rank instead of at its relay.
 *
 * <p>{@link org.posthouse.mpj.match.Inbox} is the entry. All state is guarded by the endpoint's lock. The package is
 * internal: programs never use it, and it may change with any release.
 */
package org.posthouse.mpj.match;
