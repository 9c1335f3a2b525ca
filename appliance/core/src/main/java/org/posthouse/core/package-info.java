/**
 * The pure core of a relay: jobs, mailboxes and matching, as plain single-owner state machines.
 *
 * <p>Input events come in as method calls of {@link org.posthouse.core.RelayCore}; effects go out through
 * {@link org.posthouse.core.RankPort}, {@link org.posthouse.core.Peer}, {@link org.posthouse.core.JobOwner} and
 * {@link org.posthouse.core.Journal}. No socket, thread, clock or file here, and no type of Vert.x: a test drives it in
 * one thread. All of it is confined to whoever owns the RelayCore.
 *
 * <p>The package is large because a rank's matching, credit and recovery change together, in one step of one owner: each
 * cut would export half of its types.
 */
package org.posthouse.core;
