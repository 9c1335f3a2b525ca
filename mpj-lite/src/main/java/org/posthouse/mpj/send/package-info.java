/**
 * The send side of a rank: the form of each message, sequence numbers, credit, offers that wait for CLEAR, and what is
 * sent again after a reconnection.
 *
 * <p>{@link org.posthouse.mpj.send.Outbox} is the entry. All state is guarded by the endpoint's lock. The package is
 * internal: programs never use it, and it may change with any release.
 */
package org.posthouse.mpj.send;
